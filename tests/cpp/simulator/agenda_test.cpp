#include "machine/agenda.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace croftsim {
namespace {

std::vector<std::uint32_t> sorted_before(const Agenda& agenda, std::uint64_t bound) {
    std::vector<std::uint32_t> nodes;
    agenda.before(bound, nodes);
    std::sort(nodes.begin(), nodes.end());
    return nodes;
}

}  // namespace

TEST_CASE("agenda: the ring's last slot, and the first time beyond it") {
    Agenda agenda(3);
    CHECK(agenda.earliest().first == never);
    agenda.set(0, Agenda::slots - 1);
    agenda.set(1, Agenda::slots);
    CHECK(agenda.earliest().first == Agenda::slots - 1);
    CHECK(agenda.earliest().second == Agenda::slots);
    CHECK(sorted_before(agenda, Agenda::slots) == std::vector<std::uint32_t>{0});
    CHECK(sorted_before(agenda, Agenda::slots + 1) == std::vector<std::uint32_t>{0, 1});
    agenda.set(0, never);
    CHECK(agenda.earliest().first == Agenda::slots);
    CHECK(agenda.earliest().second == never);
    agenda.advance_to(Agenda::slots);
    agenda.set(2, Agenda::slots);
    CHECK(agenda.earliest().first == Agenda::slots);
    CHECK(agenda.earliest().second == Agenda::slots);
}

TEST_CASE("agenda: the same as looking at all nodes") {
    std::mt19937 random(1);
    constexpr std::uint32_t nodes = 20;
    Agenda agenda(nodes);
    std::vector<std::uint64_t> times(nodes, never);
    std::uint64_t now = 0;
    for (int step = 0; step < 20'000; ++step) {
        // Mostly that node acts which acts first.
        const auto least = std::min_element(times.begin(), times.end());
        const auto node = static_cast<std::uint32_t>(random() % 4 ? least - times.begin() : random() % nodes);
        const std::uint64_t ways[] = {now, now + random() % 8, now + random() % 1000, never};
        times[node] = ways[random() % 4];
        agenda.set(node, times[node]);
        std::vector<std::uint64_t> in_order = times;
        std::sort(in_order.begin(), in_order.end());
        const auto [first, second] = agenda.earliest();
        REQUIRE(first == in_order[0]);
        // Exact as far as the ring goes; behind that never too late.
        REQUIRE(second <= in_order[1]);
        if (in_order[1] < now + Agenda::slots) REQUIRE(second == in_order[1]);
        if (second != in_order[1]) REQUIRE(second >= now + Agenda::slots);
        const std::uint64_t bound = now + random() % 600;
        std::vector<std::uint32_t> expected;
        for (std::uint32_t i = 0; i < nodes; ++i)
            if (times[i] < bound) expected.push_back(i);
        REQUIRE(sorted_before(agenda, bound) == expected);
        if (first != never && random() % 2) {
            now = first - random() % std::min<std::uint64_t>(first - now + 1, 50);
            agenda.advance_to(now);
        }
    }
    CHECK(now > 10'000);
}

}  // namespace croftsim
