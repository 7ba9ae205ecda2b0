#include "network/topologies.hpp"

#include <algorithm>
#include <cstring>

namespace croftsim {
namespace {

// Made by the first who asks, because files register themselves in any order.
std::vector<Topology>& table() {
    static std::vector<Topology> all;
    return all;
}

}  // namespace

const std::vector<Topology>& topologies() { return table(); }

const Topology* find_topology(const std::string& name) {
    const auto found = std::ranges::find(table(), name, &Topology::name);
    return found == table().end() ? nullptr : &*found;
}

RegisteredTopology::RegisteredTopology(const Topology& topology) {
    const auto before = [](const Topology& one, const Topology& other) {
        return std::strcmp(one.name, other.name) < 0;
    };
    table().insert(std::ranges::upper_bound(table(), topology, before), topology);
}

}  // namespace croftsim
