#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "bare_machine.hpp"
#include "description/check.hpp"
#include "network/network.hpp"

namespace croftsim {
namespace {

// hop 1. Controllers are nodes `tiles` and up.
MachineDescription with(const char* topology, std::uint32_t columns, std::uint32_t rows) {
    MachineDescription machine = eight_by_eight();
    machine.network.columns = columns;
    machine.network.rows = rows;
    machine.network.topology = topology;
    machine.memory.controllers = {{0, 0}};
    machine.cores = machine.kinds[0].count = machine.tiles();
    return machine;
}

// 4 x 4 routers on each. Router 7 of a chip, at column 3 and row 1, has the links to the others.
MachineDescription chips(std::uint32_t count, const char* topology = "mesh") {
    MachineDescription machine = with(topology, 4, 4);
    machine.network.chips = count;
    machine.network.chip_link = {3, 1, 20, 4};
    machine.cores = machine.kinds[0].count = machine.tiles();
    return machine;
}

MachineDescription clusters() {
    MachineDescription machine = with("mesh", 2, 2);
    machine.network.tiles_per_router = 4;
    machine.cores = machine.kinds[0].count = machine.tiles();
    return machine;
}

std::vector<MachineDescription> all() {
    std::vector<MachineDescription> machines{eight_by_eight(), clusters(), chips(2), chips(3, "ring"),
                                             chips(2, "crossbar")};
    for (const Topology& one : topologies())
        for (const std::uint32_t columns : {1u, 2u, 3u, 5u}) machines.push_back(with(one.name, columns, 2));
    machines.push_back(chips(2));
    machines.back().network.hop = 30;  // longer than the way to the other chip
    machines.push_back(chips(2));
    machines.back().network.tiles_per_router = 3;
    return machines;
}

// The links that one message of one flit takes, in the order of their numbers.
std::vector<std::uint32_t> links_of(Network& network, std::uint32_t from, std::uint32_t to) {
    network.watch_links(true);
    const std::vector<std::uint64_t> before = network.carried();
    network.send(from, to, 1, 0);
    std::vector<std::uint32_t> links;
    for (std::uint32_t link = 0; link < before.size(); ++link)
        if (network.carried()[link] != before[link]) links.push_back(link);
    return links;
}

}  // namespace

TEST_CASE("the table has a topology of each file, in the order of their names") {
    std::vector<std::string> names;
    for (const Topology& one : topologies()) names.push_back(one.name);
    CHECK(names == std::vector<std::string>{"crossbar", "mesh", "ring"});
    CHECK(find_topology("torus") == nullptr);
}

TEST_CASE("ring: the shorter way round, and upwards if both are as long") {
    Network ring(with("ring", 8, 1));
    CHECK(ring.wiring().links() == 16);
    CHECK(ring.send(0, 3, 1, 100).arrival == 103);
    CHECK(ring.send(0, 5, 1, 200).arrival == 203);
    CHECK(ring.send(0, 4, 5, 300).arrival == 300 + 4 + 4);
    CHECK(ring.hops(4, 0) == 4);
    CHECK(ring.hops(5, 0) == 3);
    // A router's link up is twice its number, and its link down one more.
    using Links = std::vector<std::uint32_t>;
    CHECK(links_of(ring, 0, 4) == Links{0, 2, 4, 6});
    CHECK(links_of(ring, 4, 0) == Links{8, 10, 12, 14});
    CHECK(links_of(ring, 0, 5) == Links{1, 13, 15});
    CHECK(links_of(ring, 6, 1) == Links{0, 12, 14});
    CHECK(links_of(ring, 1, 6) == Links{1, 3, 15});
    CHECK(links_of(ring, 7, 0) == Links{14});
    CHECK(links_of(ring, 0, 7) == Links{1});
}

TEST_CASE("a ring of an odd number of routers has no ties, and one of two goes up only") {
    Network five(with("ring", 5, 1));
    CHECK(five.hops(0, 2) == 2);
    CHECK(five.hops(0, 3) == 2);
    CHECK(links_of(five, 1, 4) == std::vector<std::uint32_t>{1, 3});
    Network two(with("ring", 1, 2));
    CHECK(two.wiring().links() == 2);
    CHECK(links_of(two, 1, 0) == std::vector<std::uint32_t>{2});
    CHECK(Network(with("ring", 1, 1)).wiring().links() == 0);
}

TEST_CASE("ring: messages wait for each other where they go the same way") {
    Network ring(with("ring", 8, 1));
    ring.send(0, 4, 50, 0);
    CHECK(ring.send(4, 0, 1, 0).arrival == 4);       // the tie, from the other half
    CHECK(ring.send(3, 0, 1, 0).arrival == 3);       // the same edges, the other way
    CHECK(ring.send(3, 4, 1, 0).arrival == 53 + 1);  // behind the 50 that come to router 3 at 3
}

TEST_CASE("crossbar: every router is one hop away, over a link of its own") {
    Network crossbar(with("crossbar", 4, 2));
    CHECK(crossbar.wiring().links() == 56);
    for (std::uint32_t to = 1; to < 8; ++to) CHECK(crossbar.send(0, to, 9, 0).arrival == 1 + 8);
    CHECK(crossbar.send(3, 7, 1, 0).arrival == 1);
    CHECK(crossbar.statistics().waited == 0);
    CHECK(crossbar.send(0, 7, 1, 0).arrival == 9 + 1);
    CHECK(crossbar.send(5, 8, 1, 100).arrival == 100 + 2);  // the controller is a link beyond router 0
    CHECK(links_of(crossbar, 2, 5) == std::vector<std::uint32_t>{2 * 8 + 5});
}

TEST_CASE("a message to another chip takes the link between them, at its latency and its pace") {
    Network network(chips(2));
    CHECK(network.wiring().links() == 2 * 48 + 2);
    CHECK(network.hops(0, 16) == 4 + 1 + 4);
    CHECK(network.send(0, 16, 1, 0).arrival == 4 + 20 + 4);
    CHECK(network.send(16, 0, 5, 100).arrival == 100 + 4 + 20 + 4 + 4 * 4);  // a flit in four cycles
    CHECK(network.send(7, 23, 1, 200).arrival == 220);                       // from end to end
    CHECK(network.send(2, 30, 1, 300).arrival == 300 + 2 + 20 + 3);
    CHECK(network.send(16, 31, 1, 400).arrival == 406);  // within the second chip
    CHECK(network.statistics().waited == 0);
}

TEST_CASE("a link is a message's own until it has taken the last flit, however slowly they come") {
    Network network(chips(2));
    CHECK(network.send(7, 22, 5, 0).arrival == 20 + 1 + 16);
    CHECK(network.send(7, 23, 1, 1).arrival == 20 + 20);  // the link between chips is free at 5 x 4
    CHECK(network.send(23, 22, 1, 2).arrival == 37 + 1);  // its last flit takes this link at 36
    CHECK(network.statistics().waited == 19 + 35);
    CHECK(network.send(23, 7, 1, 3).arrival == 23);  // the other direction
}

TEST_CASE("each chip has a link to each other") {
    Network network(chips(3));
    CHECK(network.wiring().links() == 3 * 48 + 6);
    network.send(0, 16, 50, 0);
    CHECK(network.send(7, 32 + 7, 1, 0).arrival == 20);
    CHECK(network.send(16 + 7, 32 + 7, 1, 0).arrival == 20);
    // A chip's links are numbered as the first one's, behind those before; between chips, behind all.
    CHECK(links_of(network, 32, 33) == std::vector<std::uint32_t>{2 * 64});
    CHECK(links_of(network, 16 + 7, 32 + 7) == std::vector<std::uint32_t>{3 * 64 + 1 * 3 + 2});
}

TEST_CASE("several tiles of a router have a link each, as a controller has") {
    Network network(clusters());
    CHECK(network.hops(0, 1) == 2);
    CHECK(network.hops(0, 4) == 3);
    CHECK(network.hops(0, 15) == 4);
    CHECK(network.hops(3, 16) == 2);
    CHECK(network.send(0, 1, 10, 0).arrival == 2 + 9);
    CHECK(network.send(2, 3, 10, 0).arrival == 2 + 9);
    CHECK(network.send(2, 8, 1, 20).arrival == 23);
    CHECK(network.statistics().waited == 0);
    CHECK(network.send(0, 4, 10, 100).arrival == 103 + 9);
    CHECK(network.send(1, 5, 1, 100).arrival == 103 + 10);  // both go east from router 0
    CHECK(network.wiring().links() == 8);
}

TEST_CASE("no message takes less than the least latency, and some take no more") {
    for (const MachineDescription& machine : all()) {
        Network network(machine);
        std::uint64_t least = network.signal(0, 1, 0).arrival;
        for (std::uint32_t from = 0; from < machine.nodes(); ++from)
            for (std::uint32_t to = 0; to < machine.nodes(); ++to)
                if (from != to) least = std::min(least, network.signal(from, to, 0).arrival);
        CHECK(network.wiring().least_latency() == least);
    }
    CHECK(Network(eight_by_eight()).wiring().least_latency() == 1);
    CHECK(Network(clusters()).wiring().least_latency() == 2);
}

TEST_CASE("messages between the same nodes do not overtake each other, whatever the topology") {
    std::mt19937 random(1);
    const auto below = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % most); };
    for (const MachineDescription& machine : all()) {
        Network network(machine);
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> last;
        const auto nodes = static_cast<std::uint32_t>(std::min<std::size_t>(machine.nodes(), 40));
        std::uint64_t time = 0, late = 0;
        for (int i = 0; i < 4000; ++i) {
            const std::uint32_t from = below(nodes), to = (from + 1 + below(nodes - 1)) % nodes, flits = 1 + below(17);
            const std::uint64_t least = network.signal(from, to, time).arrival + flits - 1;
            const std::uint64_t arrival = network.send(from, to, flits, time).arrival;
            std::uint64_t& before = last[{from, to}];
            late += arrival <= before || arrival < least;
            before = arrival;
            time += below(6);
        }
        CHECK(late == 0);
    }
}

TEST_CASE("links lead from where a message is to where it goes") {
    for (const MachineDescription& machine : all()) {
        const Chips links(machine.network);
        std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> ends;
        std::uint32_t last = 0;
        links.for_each_link([&](std::uint32_t link, std::uint32_t from, std::uint32_t to) {
            CHECK((ends.empty() || link > last));
            ends[last = link] = {from, to};
        });
        CHECK((ends.empty() || last < links.numbers()));
        const std::uint32_t routers = machine.network.chips * machine.network.routers_of_chip();
        std::uint32_t wrong = 0;
        for (std::uint32_t from = 0; from < routers; ++from)
            for (std::uint32_t to = 0; to < routers; ++to) {
                Route route;
                links.way(from, to, route);
                std::uint32_t at = from;
                for (const Route::Stretch& stretch : route.stretches())
                    for (std::uint32_t i = 0; i < stretch.links; ++i) {
                        const auto link = ends.find(stretch.first + i * static_cast<std::uint32_t>(stretch.step));
                        wrong += link == ends.end() || link->second.first != at;
                        if (link != ends.end()) at = link->second.second;
                    }
                wrong += at != to;
            }
        CHECK(wrong == 0);
    }
}

TEST_CASE("a network that cannot be is refused in a sentence") {
    const auto error = [](MachineDescription machine) -> std::string {
        try {
            check(machine);
        } catch (const std::invalid_argument& wrong) {
            return wrong.what();
        }
        return "none";
    };
    for (const MachineDescription& machine : all()) CHECK(error(machine) == "none");
    CHECK(error(with("torus", 4, 4)) ==
          "machine test: `network.topology` = 'torus': it should be 'crossbar', 'mesh' or 'ring'");
    MachineDescription machine = chips(2);
    machine.network.chip_link.reset();
    CHECK(error(machine) == "machine test: `network.chip_link` is missing, which 2 chips need");
    machine = chips(2, "ring");
    machine.network.chip_link->row = 4;
    CHECK(error(machine) ==
          "machine test: `network.chip_link` (column 3, row 4) is outside the 4 x 4 ring of each chip");
    machine = chips(2);
    machine.memory.controllers = {{0, 0, 2}};
    CHECK(error(machine) == "machine test: `memory.controllers[0]` (chip 2) is not there: the last chip is 1");
    machine = with("mesh", 16, 8);
    machine.network.tiles_per_router = 4;
    machine.network.chips = 4;
    machine.network.chip_link = {0, 0, 1, 1};
    CHECK(
        error(machine) ==
        "machine test: `network.columns` x rows (16 x 8) x tiles_per_router (4) x chips (4) make more than 1024 tiles");
    machine = chips(2);
    machine.cores = machine.kinds[0].count = 33;
    CHECK(error(machine) == "machine test: `cores` (33) are more than the machine has tiles (32)");
}

}  // namespace croftsim
