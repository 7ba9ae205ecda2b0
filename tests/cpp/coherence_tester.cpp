// The random tester of coherence (simulator/random_tester.hpp) at any length:
//
//     coherence_tester [--operations N] [--l1 PROTOCOL,...] [--private-l2 WAYS] [--cluster CORES]
//                      [--filter PROTOCOL] [--answers home|owner] [--prefetch LINES] [--changes N]
//                      [--forwards LINES] [--stores any|in_order] [--cores N] [--seed N]
//
// Without --l1 it runs each of the protocols beside MESI, then all of them together. Then it runs all again where pages
// change, and tiles whose L2s are homes to each other. It prints a line for each machine, and what was wrong, and exits
// with 1 if anything was.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "simulator/l1_protocols.hpp"
#include "simulator/random_tester.hpp"

namespace {

using croftsim::Protocol;
using croftsim::RandomTester;

Protocol protocol_called(const std::string& name) {
    std::string known;
    for (const croftsim::ProtocolTraits& one : croftsim::all_protocols()) {
        if (name == one.name) return one.protocol;
        known += std::string(known.empty() ? "" : ", ") + one.name;
    }
    throw std::invalid_argument("there is no L1 protocol " + name + "; there are " + known);
}

std::vector<Protocol> protocols_in(const std::string& list) {
    std::vector<Protocol> found;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        found.push_back(protocol_called(list.substr(begin, end - begin)));
        begin = end + 1;
    }
    return found;
}

std::uint64_t number_in(const char* text, std::uint64_t most) {
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(text, &end, 10);
    if (*end != '\0' || value == 0 || value > most)
        throw std::invalid_argument(std::string("not a number here: ") + text);
    return value;
}

constexpr const char* help =
    R"(coherence_tester [--operations N] [--l1 PROTOCOL,...] [--private-l2 WAYS] [--cluster CORES] [--filter PROTOCOL]
                 [--answers home|owner] [--prefetch LINES] [--forwards LINES] [--stores any|in_order] [--changes N]
                 [--cores N] [--seed N]

Runs the random tester of coherence: N operations (10,000,000) on each machine of N cores (8, at most 64) whose L1s take
turns among the protocols named; --l1 may be given again. Each may have a private L2, and so many CORES in a row a cache
that they share, before the banks. The banks may be a snoop filter, which levels ask by that PROTOCOL. Homes answer
requests for lines that others own, or owners do. L1s may prefetch so many LINES ahead. With --forwards lines go home
unasked, and each core collects so many LINES of stores that do not allocate.
Stores of MESI's and MOESI's cores may have to become visible in order. One operation in N finds that pages change.
Without --l1 each protocol beside MESI, then all together, also with more levels, with owners that answer, and with
lines that are forwarded; then again where pages change, and ddc. Exits with 1 if a value was wrong.)";

struct Tested {
    std::vector<Protocol> l1s;
    std::uint32_t private_l2_ways = 0, cluster = 0, changes = 0;
    std::optional<Protocol> filter{};
    std::uint32_t prefetch = 0;
    bool owners_answer = false;
    std::uint32_t forwards = 0;
    bool stores_in_order = false;
};

bool run(const Tested& machine, std::uint64_t operations, std::uint64_t cores, std::uint64_t seed) {
    RandomTester::Options options;
    std::string which;
    for (std::size_t core = 0; core < cores; ++core)
        options.machine.protocols.push_back(machine.l1s[core % machine.l1s.size()]);
    for (const Protocol l1 : machine.l1s) which += (which.empty() ? "" : "+") + std::string(name_of(l1));
    if (machine.private_l2_ways) which += " with private L2s";
    if (machine.cluster) which += ", " + std::to_string(machine.cluster) + " to a cluster";
    if (machine.filter) which += std::string(", a filter behind levels of ") + name_of(*machine.filter);
    if (machine.prefetch) which += ", prefetching " + std::to_string(machine.prefetch);
    if (machine.owners_answer) which += ", owners answer";
    if (machine.forwards) which += ", forwarding, " + std::to_string(machine.forwards) + " collected";
    if (machine.stores_in_order) which += ", stores in order";
    if (machine.changes) which += ", pages change";
    options.machine.private_l2_ways = machine.private_l2_ways;
    options.machine.cluster = machine.cluster;
    if (machine.prefetch) {
        options.machine.prefetch =
            croftsim::PrefetchDescription{croftsim::PrefetchDescription::Policy::next_line, machine.prefetch};
        options.machine.l1_sets = 4;
    }
    options.machine.is_filter = machine.filter.has_value();
    options.machine.levels_protocol = machine.filter.value_or(Protocol::mesi);
    options.machine.memory_first = machine.filter == Protocol::mesif && !machine.owners_answer;
    options.machine.owners_answer = machine.owners_answer;
    options.machine.forwards = machine.forwards;
    options.machine.stores_in_order = machine.stores_in_order;
    options.changes = machine.changes;
    options.operations = operations;
    options.seed = seed;
    RandomTester tester(options);
    const RandomTester::Counts& counts = tester.run();
    const auto big = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    std::printf(
        "%s: %llu operations (%llu loads, %llu stores, %llu atomics, %llu of %llu store-conditionals stored), "
        "%llu episodes, %llu evictions, %llu recalls, %llu invalidations, %llu changes, %llu pushed, %llu cycles: %llu "
        "wrong\n",
        which.c_str(), big(counts.operations), big(counts.loads), big(counts.stores), big(counts.atomics),
        big(counts.stored), big(counts.conditionals), big(counts.episodes), big(counts.evictions), big(counts.recalls),
        big(counts.invalidations), big(counts.changes), big(counts.pushed), big(counts.cycles), big(counts.wrong));
    for (const std::string& report : tester.reports()) std::printf("  %s\n", report.c_str());
    std::fflush(stdout);
    return counts.wrong == 0;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        std::uint64_t operations = 10'000'000, cores = 8, seed = 1;
        std::vector<std::vector<Protocol>> named;
        std::uint32_t private_l2_ways = 0, cluster = 0, changes = 0;
        std::optional<Protocol> filter;
        std::uint32_t prefetch = 0;
        bool owners_answer = false;
        std::uint32_t forwards = 0;
        bool stores_in_order = false;
        for (int i = 1; i < count; i += 2) {
            const std::string name = arguments[i];
            if (name == "--help") {
                std::puts(help);
                return 0;
            }
            if (i + 1 == count) throw std::invalid_argument("a value is missing behind " + name);
            const char* const value = arguments[i + 1];
            if (name == "--operations")
                operations = number_in(value, ~std::uint64_t{0});
            else if (name == "--cores")
                cores = number_in(value, 64);
            else if (name == "--seed")
                seed = number_in(value, ~std::uint64_t{0});
            else if (name == "--l1")
                named.push_back(protocols_in(value));
            else if (name == "--private-l2")
                private_l2_ways = static_cast<std::uint32_t>(number_in(value, 64));
            else if (name == "--cluster")
                cluster = static_cast<std::uint32_t>(number_in(value, 64));
            else if (name == "--filter")
                filter = protocol_called(value);
            else if (name == "--answers" && (std::strcmp(value, "owner") == 0 || std::strcmp(value, "home") == 0))
                owners_answer = value[0] == 'o';
            else if (name == "--prefetch")
                prefetch = static_cast<std::uint32_t>(number_in(value, 8));
            else if (name == "--forwards")
                forwards = static_cast<std::uint32_t>(number_in(value, 64));
            else if (name == "--stores" && (std::strcmp(value, "in_order") == 0 || std::strcmp(value, "any") == 0))
                stores_in_order = value[0] == 'i';
            else if (name == "--changes")
                changes = static_cast<std::uint32_t>(number_in(value, 1'000'000));
            else
                throw std::invalid_argument("there is no option " + name);
        }
        std::vector<Tested> machines;
        for (const auto& l1s : named)
            machines.push_back(
                {l1s, private_l2_ways, cluster, changes, filter, prefetch, owners_answer, forwards, stores_in_order});
        if (machines.empty()) {
            constexpr std::uint32_t often = 100;
            for (const std::uint32_t one_in : {0u, often}) {
                for (const Protocol one : croftsim::l1_protocols())
                    machines.push_back({{one, Protocol::mesi}, 0, 0, one_in, {}});
                machines.push_back({croftsim::l1_protocols(), 0, 0, one_in, {}});
                machines.push_back({croftsim::l1_protocols(), 2, 0, one_in, {}});
                machines.push_back({croftsim::l1_protocols(), 0, 4, one_in, {}});
                machines.push_back({croftsim::l1_protocols(), 1, 4, one_in, {}});
                for (const auto& l1s :
                     {std::vector{Protocol::mesi}, std::vector{Protocol::moesi}, croftsim::l1_protocols()})
                    for (const std::uint32_t cores_of_cluster : {0, 4})
                        machines.push_back({l1s, 0, cores_of_cluster, one_in, {}, 0, true});
                machines.push_back({{Protocol::mesi}, 0, 0, one_in, {}, 0, false, 2});
                machines.push_back({{Protocol::moesi}, 2, 4, one_in, Protocol::moesi, 0, true, 2});
                machines.push_back({{Protocol::mesi}, 0, 0, one_in, {}, 0, false, 0, true});
                machines.push_back({{Protocol::mesi}, 2, 0, one_in, Protocol::mesif, 0, false, 1, true});
                machines.push_back({croftsim::l1_protocols(), 2, 4, one_in, Protocol::mesif, 0, false, 3});
            }
            machines.push_back({{Protocol::ddc}, 0, 0, often, {}});
        }
        bool right = true;
        for (const Tested& machine : machines) right = run(machine, operations, cores, seed) && right;
        return right ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "coherence_tester: %s\n", error.what());
        return 2;
    }
}
