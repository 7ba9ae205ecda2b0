#pragma once
// Where a machine's nodes are in its networks.

#include <cstdint>
#include <vector>

#include "contract/description.hpp"

namespace croftsim {

struct Place {
    std::uint16_t router = 0;
    bool by_link = false;  // attached by a link of its own each way; else it is the router's own tile
};

// By the number of the node: tiles first.
inline std::vector<Place> places_of(const MachineDescription& machine) {
    const NetworkDescription& network = machine.network;
    std::vector<Place> places;
    const auto router_of = [&](std::uint32_t tile) { return static_cast<std::uint16_t>(network.router_of(tile)); };
    for (std::uint32_t tile = 0; tile < machine.tiles(); ++tile)
        places.push_back({router_of(tile), network.tiles_per_router > 1});
    for_each_attached(machine, [&](const char*, const std::vector<Attachment>& attached, Placement) {
        for (const Attachment& at : attached)
            places.push_back(
                {static_cast<std::uint16_t>((at.chip * network.rows + at.row) * network.columns + at.column), true});
    });
    machine.for_each_cluster([&](const LevelDescription& level, std::uint32_t first, std::uint32_t tiles) {
        for (std::uint32_t slice = 0; slice < level.slices; ++slice)
            places.push_back({router_of(first + slice * tiles / level.slices), true});
    });
    return places;
}

}  // namespace croftsim
