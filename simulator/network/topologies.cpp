#include "network/topologies.hpp"

#include <algorithm>
#include <cstring>

namespace croftsim {
namespace {

// Made by the first who asks, because files register themselves in any order.
std::vector<NamedTopology>& table() {
    static std::vector<NamedTopology> all;
    return all;
}

}  // namespace

const std::vector<NamedTopology>& topologies() { return table(); }

const NamedTopology* find_topology(const std::string& name) {
    const auto found = std::ranges::find(table(), name, &NamedTopology::name);
    return found == table().end() ? nullptr : &*found;
}

RegisteredTopology::RegisteredTopology(NamedTopology topology) {
    const auto before = [](const NamedTopology& one, const NamedTopology& other) {
        return std::strcmp(one.name, other.name) < 0;
    };
    table().insert(std::ranges::upper_bound(table(), topology, before), topology);
}

}  // namespace croftsim
