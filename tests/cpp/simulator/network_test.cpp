#include "network/network.hpp"

#include <doctest/doctest.h>

#include <map>

#include "bare_machine.hpp"

namespace croftsim {

// hop 1: see eight_by_eight().
TEST_CASE("an uncontended message takes a cycle a hop, and a cycle for each further flit") {
    Network mesh(eight_by_eight());
    CHECK(mesh.send(0, 1, 1, 100).arrival == 100 + 1);
    CHECK(mesh.send(0, 63, 1, 200).arrival == 200 + 14);
    CHECK(mesh.send(9, 54, 17, 300).arrival == 300 + 10 + 16);
    CHECK(mesh.hops(9, 54) == 10);
    CHECK(mesh.statistics().waited == 0);
    CHECK(mesh.statistics().flits == 19);
}

TEST_CASE("a memory controller is one link beyond its router") {
    Network mesh(eight_by_eight());
    CHECK(mesh.hops(2, 64) == 1);
    CHECK(mesh.hops(0, 64) == 3);
    CHECK(mesh.send(0, 64, 1, 0).arrival == 3);
    CHECK(mesh.send(64, 0, 1, 100).arrival == 100 + 3);
}

TEST_CASE("a link carries one flit a cycle: the second message waits exactly until the first has passed") {
    Network mesh(eight_by_eight());
    CHECK(mesh.send(0, 1, 17, 0).arrival == 1 + 16);
    CHECK(mesh.send(0, 1, 1, 3).arrival == 1 + 17);  // the link is free at 17, not at 3
    CHECK(mesh.statistics().waited == 14);
    CHECK(mesh.send(0, 1, 1, 18).arrival == 18 + 1);  // and now it is, to the cycle
    CHECK(mesh.statistics().waited == 14);
}

TEST_CASE("routes that share no directed link do not wait for each other") {
    Network mesh(eight_by_eight());
    mesh.send(0, 7, 100, 0);
    mesh.send(7, 0, 100, 0);   // the same edges, the other way
    mesh.send(8, 15, 100, 0);  // the next row
    CHECK(mesh.statistics().waited == 0);
    mesh.send(1, 2, 1, 0);  // the middle of the first
    CHECK(mesh.statistics().waited > 0);
}

TEST_CASE("columns first, then rows: a message turns at the corner of its destination's column") {
    Network mesh(eight_by_eight());
    mesh.send(0, 9, 50, 0);                     // 0 -> 1 -> 9
    CHECK(mesh.send(8, 9, 1, 0).arrival == 1);  // the other corner's link is free
    CHECK(mesh.send(1, 9, 1, 0).arrival > 1);   // this corner's link is not
}

TEST_CASE("messages between the same nodes arrive in the order in which they were sent") {
    Network mesh(eight_by_eight());
    std::uint64_t last = 0;
    for (std::uint32_t i = 0; i < 200; ++i) {
        mesh.send(i % 8, 60, 1 + i % 17, i);  // crossing traffic
        const std::uint64_t arrival = mesh.send(3, 59, 1 + (i * 7) % 17, i).arrival;
        CHECK(arrival > last);
        last = arrival;
    }
}

TEST_CASE("links are told apart by the router that they lead from, and their cycles add up") {
    Network mesh(eight_by_eight());
    const auto busy = [&] {
        std::map<std::uint32_t, std::uint64_t> links;
        mesh.each_kept_link([&](std::uint32_t link, std::uint64_t cycles) { links[link] = cycles; });
        return links;
    };
    CHECK(busy().empty());  // nobody asked
    mesh.watch_links(true);
    CHECK(busy().size() == mesh.wiring().links());
    mesh.send(0, 9, 5, 0);    // east from 0, south from 1
    mesh.send(63, 54, 2, 0);  // west from 63, north from 62
    mesh.send(0, 64, 3, 0);   // to a controller beyond router 2: its own link is none between routers
    std::uint64_t total = 0;
    for (const auto& [link, cycles] : busy()) {
        const std::map<std::uint32_t, std::uint64_t> expected{{0, 8}, {4, 3}, {7, 5}, {253, 2}, {250, 2}};
        CHECK(cycles == (expected.contains(link) ? expected.at(link) : 0));
        total += cycles;
    }
    CHECK(total == mesh.statistics().busy);
}

TEST_CASE("links that are only watched are in no result and in no checkpoint") {
    Network plain(eight_by_eight()), watched(eight_by_eight());
    watched.watch_links(false);
    for (Network* mesh : {&plain, &watched}) mesh->send(0, 9, 5, 0);
    CHECK(plain.carried().empty());
    CHECK(watched.carried()[0] == 5);
    watched.each_kept_link([](std::uint32_t, std::uint64_t) { FAIL("it is none of the results"); });
    const auto state = [](Network& mesh) {
        Archive archive;
        mesh.serialise(archive);
        return archive.written();
    };
    CHECK(state(plain) == state(watched));
}

}  // namespace croftsim
