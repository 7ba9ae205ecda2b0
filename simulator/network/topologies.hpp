#pragma once
// The topologies by their names in machine files.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "network/topology.hpp"

namespace croftsim {

struct NamedTopology {
    const char* name;
    std::unique_ptr<Topology> (*of)(std::uint32_t columns, std::uint32_t rows);  // that many routers
};

// In the order of their names.
const std::vector<NamedTopology>& topologies();
// Null if there is none of that name.
const NamedTopology* find_topology(const std::string& name);

// A topology's file has one, before main, with which it enters the table.
struct RegisteredTopology {
    explicit RegisteredTopology(NamedTopology topology);
};

template <class Kind>
std::unique_ptr<Topology> topology_of(std::uint32_t columns, std::uint32_t rows) {
    return std::make_unique<Kind>(columns, rows);
}

}  // namespace croftsim
