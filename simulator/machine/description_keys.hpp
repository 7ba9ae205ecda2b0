#pragma once
// The keys of a machine description, by the names that machine files have for them: whoever reads a description from
// somewhere (binding/module.cpp, machine/description_file.cpp) goes through them here.

#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

#include "contract/description.hpp"

namespace croftsim {

inline constexpr const char* cost_names[] = {
    "alu",           "multiply",  "divide",         "branch",      "jump",         "load",
    "store",         "atomic",    "fence",          "csr",         "system",       "float_move",
    "float_compare", "float_add", "float_multiply", "float_fused", "float_divide", "float_sqrt",
    "float_convert", "send",      "push",           "receive"};
static_assert(std::size(cost_names) == static_cast<std::size_t>(Cost::count));

namespace detail {

template <class Read>
void read_core(const Read& read, const std::string& name, CoreDescription& core) {
    for (std::size_t i = 0; i < core.cost.size(); ++i) read(name + ".cost." + cost_names[i], core.cost[i]);
    read(name + ".issue_width", core.issue_width);
    read(name + ".taken_branch", core.taken_branch);
    read(name + ".store_buffer_drain", core.store_buffer_drain);
    read(name + ".fence_least", core.fence_least);
    read(name + ".outstanding_stores", core.outstanding_stores);
}

template <class Read>
void read_cache(const Read& read, const std::string& name, CacheDescription& cache) {
    read(name + ".size", cache.size);
    read(name + ".line", cache.line);
    read(name + ".ways", cache.ways);
    read(name + ".hit", cache.hit);
}

template <class Read>
void read_places(const Read& read, const std::string& name, std::size_t count, std::vector<Attachment>& places) {
    places.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::string number = name + "." + std::to_string(i);
        read(number + ".column", places[i].column);
        read(number + ".row", places[i].row);
    }
}

inline constexpr const char* unit_names[] = {"alu", "branch", "memory", "multiply", "floating"};
static_assert(std::size(unit_names) == unit_count);

template <class Read>
OutOfOrderDescription read_out_of_order(const Read& read, const std::string& name) {
    OutOfOrderDescription made;
    read(name + ".width", made.width);
    read(name + ".issue_width", made.issue_width);
    for (std::size_t i = 0; i < made.units.size(); ++i) read(name + ".units." + unit_names[i], made.units[i]);
    read(name + ".reorder_buffer", made.reorder_buffer);
    read(name + ".load_store_queue", made.load_store_queue);
    read(name + ".registers", made.registers);
    read(name + ".mispredict", made.mispredict);
    read(name + ".redirect", made.redirect);
    read(name + ".local_histories", made.local_histories);
    read(name + ".local_history_bits", made.local_history_bits);
    read(name + ".global_counters", made.global_counters);
    read(name + ".branch_targets", made.branch_targets);
    read(name + ".return_addresses", made.return_addresses);
    return made;
}

template <class Reader>
void read_kind(Reader& from, const std::string& prefix, CoreKind& kind) {
    const auto read = [&](const std::string& key, auto& value) { from.read(prefix + key, value); };
    std::string protocol;
    read("protocol", protocol);
    constexpr std::pair<const char*, Protocol> protocols[] = {{"ddc", Protocol::ddc},
                                                              {"mesi", Protocol::mesi},
                                                              {"denovo", Protocol::denovo},
                                                              {"gpu_wt", Protocol::gpu_wt},
                                                              {"gpu_wb", Protocol::gpu_wb}};
    bool known = false;
    for (const auto& [text, value] : protocols) {
        if (protocol != text) continue;
        kind.protocol = value;
        known = true;
    }
    if (!known) throw std::invalid_argument("machine: there is no " + prefix + "protocol " + protocol);
    if (from.has(prefix + "interrupt")) read("interrupt", kind.interrupt);
    read_core(read, "core", kind.core);
    read_cache(read, "l1d", kind.l1d);
    if (from.has(prefix + "l1i")) read_cache(read, "l1i", kind.l1i.emplace());
    if (from.has(prefix + "l2")) {
        read_cache(read, "l2", kind.l2.emplace());
        read("l2.store", kind.l2->store);
    }
    if (from.has(prefix + "out_of_order")) kind.out_of_order = read_out_of_order(read, "out_of_order");
}

}  // namespace detail

// Reader: read(key, value) fills in a value (an integer, a double or a string), has(key) says whether an optional
// value or section is there, count(list) how many entries a list has. What it throws passes through; so does
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
    const auto network = section("network");
    network("columns", machine.network.columns);
    network("rows", machine.network.rows);
    network("hop", machine.network.hop);
    network("inject", machine.network.inject);
    network("eject", machine.network.eject);
    network("flit", machine.network.flit);
    network("header_flits", machine.network.header_flits);
    const auto home_times = [&](const auto& home) {
        home("service", machine.home.service);
        home("directory", machine.home.directory);
        home("invalidate", machine.home.invalidate);
        home("drop", machine.home.drop);
        home("occupancy", machine.home.occupancy);
        home("occupancy_word", machine.home.occupancy_word);
        home("fill", machine.home.fill);
    };
    if (from.has("shared")) {
        const auto shared = section("shared");
        machine.shared.emplace();
        shared("size", machine.shared->size);
        shared("ways", machine.shared->ways);
        detail::read_places(read, "shared.banks", from.count("shared.banks"), machine.shared->banks);
        home_times(shared);
    } else {
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
        home("allocate", machine.home.allocate);
        home_times(home);
    }
    for (const std::string name : {"big", "tiny"}) {
        if (!from.has(name)) continue;
        CoreKind& kind = machine.kinds.emplace_back();
        kind.name = name;
        read(name + ".count", kind.count);
        detail::read_kind(from, name + ".", kind);
    }
    if (machine.kinds.empty()) {
        machine.kinds.emplace_back().count = machine.cores;
        detail::read_kind(from, "", machine.kinds.front());
    }
    const auto memory = section("memory");
    detail::read_places(read, "memory.controllers", from.count("memory.controllers"), machine.memory.controllers);
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
    if (from.has("uli")) {
        const auto uli = section("uli");
        machine.uli.emplace();
        uli("inject", machine.uli->inject);
        uli("eject", machine.uli->eject);
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
