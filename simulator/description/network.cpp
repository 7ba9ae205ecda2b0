#include "description/network.hpp"

#include "cache/sharer_set.hpp"
#include "network/topologies.hpp"

namespace croftsim {

const Words<std::string>& topology_names() {
    static const Words<std::string> names = [] {
        Words<std::string> all;
        for (const Topology& one : topologies()) all.push_back({one.name, one.name});
        return all;
    }();
    return names;
}

void check(const NetworkDescription& network, Problems& problems) {
    if (network.topology && !find_topology(*network.topology))
        problems.not_allowed("topology", joined("'", *network.topology, "'"), text_of(topology_names()));
    if (network.tiles() > SharerSet::capacity) {
        std::string factors = joined("x rows (", network.columns, " x ", network.rows, ")");
        if (network.tiles_per_router > 1) factors += joined(" x tiles_per_router (", network.tiles_per_router, ")");
        if (network.chips > 1) factors += joined(" x chips (", network.chips, ")");
        problems.impossible("columns", factors, " make more than ", SharerSet::capacity, " tiles");
    }
    if (network.chips > 1 && !network.chip_link)
        problems.impossible("chip_link", "is missing, which ", network.chips, " chips need");
    if (network.chip_link && !has_router(network, network.chip_link->column, network.chip_link->row))
        problems.impossible("chip_link", "(column ", network.chip_link->column, ", row ", network.chip_link->row,
                            ") is outside ", text_of(network));
}

std::string text_of(const NetworkDescription& network) {
    return joined("the ", network.columns, " x ", network.rows, " ", network.topology.value_or("mesh"),
                  network.chips > 1 ? " of each chip" : "");
}

bool has_router(const NetworkDescription& network, std::uint32_t column, std::uint32_t row) {
    return column < network.columns && row < network.rows;
}

}  // namespace croftsim
