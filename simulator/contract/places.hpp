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
    for (std::uint32_t tile = 0; tile < machine.tiles(); ++tile)
        places.push_back({static_cast<std::uint16_t>(tile / network.tiles_per_router), network.tiles_per_router > 1});
    for_each_attached(machine, [&](const char*, const std::vector<Attachment>& attached, Placement) {
        for (const Attachment& at : attached)
            places.push_back(
                {static_cast<std::uint16_t>((at.chip * network.rows + at.row) * network.columns + at.column), true});
    });
    return places;
}

}  // namespace croftsim
