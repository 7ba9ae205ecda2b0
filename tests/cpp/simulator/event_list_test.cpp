#include "record/event_list.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace croftsim {
namespace {

struct Short {
    std::uint64_t time;
};
struct Long {
    std::uint64_t time, address;
    std::uint8_t bytes;
};
using Events = EventList<Short, Long>;

// The times, with those of long ones negative.
std::vector<std::int64_t> times_in(const Events& events, Events::Place end) {
    std::vector<std::int64_t> found;
    events.for_each(end, [&]<class One>(const One& event) {
        const auto time = static_cast<std::int64_t>(event.time);
        found.push_back(std::is_same_v<One, Long> ? -time : time);
    });
    return found;
}

}  // namespace

TEST_SUITE("event list") {
    TEST_CASE("what came is there in its order, however long the list has grown") {
        Events events(1);
        std::vector<std::int64_t> all;
        for (std::int64_t i = 1; i <= 100; ++i) {
            const auto time = static_cast<std::uint64_t>(i);
            if (i % 3)
                events.push(Short{time});
            else
                events.push(Long{time, 2 * time, 8});
            all.push_back(i % 3 ? i : -i);
        }
        CHECK(times_in(events, events.end()) == all);
        std::uint64_t address = 0;
        events.find(events.end(), [&]<class One>(const One& event) {
            if constexpr (std::is_same_v<One, Long>) address = event.address;
            return address != 0;
        });
        CHECK(address == 6);
    }

    TEST_CASE("it is cut behind a place and dropped before one") {
        Events events(16);
        events.push(Short{1});
        events.push(Long{2, 0, 1});
        const Events::Place behind_two = events.end();
        events.push(Short{3});
        CHECK(times_in(events, behind_two) == std::vector<std::int64_t>{1, -2});
        const Events::Place all = events.end();
        events.push(Long{4, 0, 1});
        events.cut(all);
        events.drop(behind_two);
        CHECK(times_in(events, events.end()) == std::vector<std::int64_t>{3});
        events.push(Long{5, 0, 1});
        CHECK(times_in(events, events.end()) == std::vector<std::int64_t>{3, -5});
        events.drop(events.end());
        CHECK(times_in(events, events.end()).empty());
    }
}

}  // namespace croftsim
