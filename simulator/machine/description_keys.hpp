#pragma once
// The keys of a machine description, by the names that machine files have for them: whoever reads a description from
// somewhere (binding/module.cpp, machine/description_file.cpp) goes through them here.

#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

#include "machine/description.hpp"

namespace croftsim {

inline constexpr const char* cost_names[] = {
    "alu",           "multiply",  "divide",         "branch",      "jump",         "load",
    "store",         "atomic",    "fence",          "csr",         "system",       "float_move",
    "float_compare", "float_add", "float_multiply", "float_fused", "float_divide", "float_sqrt",
    "float_convert", "send",      "push",           "receive"};
static_assert(std::size(cost_names) == static_cast<std::size_t>(Cost::count));

// Reader: read(key, value) fills in a value (an integer, a double or a string), has(section) says whether an optional
// section is there, controllers() how many there are. What it throws passes through; so does
// std::invalid_argument for a home.policy that is none.
template <class Reader>
MachineDescription read_description(Reader&& from) {
    MachineDescription machine;
    const auto read = [&](const std::string& key, auto& value) { from.read(key, value); };
    const auto section = [&](const std::string& name) {
        return [&read, name](const char* key, auto& value) { read(name + "." + key, value); };
    };
    read("name", machine.name);
    read("clock_mhz", machine.clock_mhz);
    read("cores", machine.cores);
    const auto core = section("core");
    for (std::size_t i = 0; i < machine.core.cost.size(); ++i)
        read(std::string("core.cost.") + cost_names[i], machine.core.cost[i]);
    core("issue_width", machine.core.issue_width);
    core("taken_branch", machine.core.taken_branch);
    core("store_buffer_drain", machine.core.store_buffer_drain);
    core("fence_least", machine.core.fence_least);
    core("outstanding_stores", machine.core.outstanding_stores);
    for (const auto& [name, cache] : {std::pair("l1d", &machine.l1d), std::pair("l2", &machine.l2)}) {
        const auto key = section(name);
        key("size", cache->size);
        key("line", cache->line);
        key("ways", cache->ways);
        key("hit", cache->hit);
    }
    read("l2.store", machine.l2.store);
    const auto network = section("network");
    network("columns", machine.network.columns);
    network("rows", machine.network.rows);
    network("hop", machine.network.hop);
    network("inject", machine.network.inject);
    network("eject", machine.network.eject);
    network("flit", machine.network.flit);
    network("header_flits", machine.network.header_flits);
    const auto home = section("home");
    std::string policy;
    home("policy", policy);
    using Policy = HomeDescription::Policy;
    if (policy != "hashed" && policy != "fixed" && policy != "round_robin")
        throw std::invalid_argument("machine: there is no home.policy " + policy);
    machine.home.policy = policy == "fixed"         ? Policy::fixed
                          : policy == "round_robin" ? Policy::round_robin
                                                    : Policy::hashed;
    home("fixed_tile", machine.home.fixed_tile);
    home("service", machine.home.service);
    home("directory", machine.home.directory);
    home("invalidate", machine.home.invalidate);
    home("drop", machine.home.drop);
    home("allocate", machine.home.allocate);
    home("occupancy", machine.home.occupancy);
    home("occupancy_word", machine.home.occupancy_word);
    home("fill", machine.home.fill);
    const auto memory = section("memory");
    machine.memory.controllers.resize(from.controllers());
    for (std::size_t i = 0; i < machine.memory.controllers.size(); ++i) {
        const std::string number = "controllers." + std::to_string(i);
        memory((number + ".column").c_str(), machine.memory.controllers[i].column);
        memory((number + ".row").c_str(), machine.memory.controllers[i].row);
    }
    memory("stripe", machine.memory.stripe);
    memory("latency", machine.memory.latency);
    memory("write_latency", machine.memory.write_latency);
    memory("occupancy", machine.memory.occupancy);
    if (from.has("user_network")) {
        const auto user = section("user_network");
        machine.user_network.emplace();
        user("inject", machine.user_network->inject);
        user("eject", machine.user_network->eject);
        user("words", machine.user_network->words);
        user("buffer", machine.user_network->buffer);
        user("interrupt", machine.user_network->interrupt);
    }
    if (from.has("host_link")) {
        const auto link = section("host_link");
        machine.host_link.emplace();
        link("latency", machine.host_link->latency);
        link("overhead", machine.host_link->overhead);
        link("bytes_per_1000_cycles", machine.host_link->bytes_per_1000_cycles);
        link("slot", machine.host_link->slot);
    }
    const auto kernel = section("kernel");
    kernel("entry", machine.kernel.entry);
    kernel("exit", machine.kernel.exit);
    kernel("thread_start", machine.kernel.thread_start);
    return machine;
}

}  // namespace croftsim
