// In which order a core does what it knows the times of.

#include "core/event_line.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

using namespace croftsim;

TEST_CASE("events of a line leave by time, those of one time by age") {
    EventLine line;
    for (const Event& event : {Event{5, 9, 0}, Event{7, 2, 1}, Event{5, 3, 2}, Event{1, 8, 3}}) line.push(event);
    std::vector<std::uint64_t> places;
    while (!line.empty()) places.push_back(line.pop().place);
    CHECK(places == std::vector<std::uint64_t>{3, 2, 0, 1});
}

TEST_CASE("a line that is never empty keeps its order past the place where it is cut off in front") {
    EventLine line;
    std::vector<Event> expected;
    std::mt19937 random(1);
    std::uint64_t now = 0;
    for (std::uint64_t age = 0; age < 1000; ++age) {
        expected.push_back({now + random() % 20, age, age});
        line.push(expected.back());
        if (expected.size() < 5) continue;
        const auto first =
            std::ranges::min_element(expected, [](const Event& one, const Event& other) { return one.before(other); });
        now = first->time;
        CHECK(line.first().age == first->age);
        CHECK(line.pop().age == first->age);
        expected.erase(first);
    }
    line.clear();
    CHECK(line.empty());
}
