#pragma once
// Instructions that compute nothing, so that a program's sequential time is the published one: how many, each program's
// own page in docs/experiments.md says, and why. They are there on every machine.

#include <cstddef>
#include <cstdint>

namespace programs {

// `rounds` times round a loop of nothing: two cycles each on a TILEPro64, whose taken branch costs a second one.
[[gnu::noinline]] inline void pad(std::size_t rounds) {
    for (; rounds != 0; --rounds) asm volatile("" : "+r"(rounds));
}

// The same for long paddings, which are simulated the faster the fewer instructions they have: each round divides.
[[gnu::noinline]] inline void pad_long(std::size_t rounds) {
    std::uint64_t one = 1;
    for (; rounds != 0; --rounds) {
        asm volatile("" : "+r"(one));
        one = rounds / one - rounds + 1;
        asm volatile("" : "+r"(one));
    }
}

}  // namespace programs
