#pragma once
// The task of all farms across processes that are compared: so many steps of a generator of random numbers, counted out
// beforehand. So it takes its time of a core, and not of the clock, where processes share cores.

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace bench {

inline std::uint32_t steps_of(std::uint32_t number, std::uint32_t steps) {
    std::uint32_t value = number;
    for (std::uint32_t i = 0; i < steps; ++i) {
        value = value * 1664525u + 1013904223u;
        asm volatile("" : "+r"(value));
    }
    return value;
}

// The most of some tries.
inline double steps_a_nanosecond() {
    using clock = std::chrono::steady_clock;
    constexpr std::uint32_t steps = 1'000'000;
    double most = 0;
    for (int i = 0; i < 20; ++i) {
        const auto begin = clock::now();
        steps_of(0, steps);
        most = std::max(most, steps / std::chrono::duration<double, std::nano>(clock::now() - begin).count());
    }
    return most;
}

}  // namespace bench
