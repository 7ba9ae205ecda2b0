#pragma once
// Accesses that are timed five times each, of which the middle one counts. One access to memory in sixty meets a
// refresh of the DRAM, and that says nothing of where its line is.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "summary.hpp"

namespace programs {

// prepare(): brings all of them into the state in which they are timed. time(i): how long access i takes.
template <class Prepare, class Time>
summary middle_of_five(std::size_t count, Prepare prepare, Time time) {
    constexpr std::size_t rounds = 5;
    std::vector<std::array<std::int64_t, rounds>> times(count);
    for (std::size_t round = 0; round < rounds; ++round) {
        prepare();
        for (std::size_t i = 0; i < count; ++i) times[i][round] = time(i);
    }
    summary middles;
    for (auto& each : times) {
        std::ranges::sort(each);
        middles.add(each[rounds / 2]);
    }
    return middles;
}

}  // namespace programs
