#pragma once
// The topologies by their names.

#include <string>
#include <vector>

#include "network/topology.hpp"

namespace croftsim {

// In the order of their names.
const std::vector<Topology>& topologies();
// Null if there is none of that name.
const Topology* find_topology(const std::string& name);

// A topology's file has one, before main, with which it enters the table.
struct RegisteredTopology {
    explicit RegisteredTopology(const Topology& topology);
};

}  // namespace croftsim
