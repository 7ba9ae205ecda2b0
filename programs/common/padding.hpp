#pragma once
// Instructions that compute nothing, so that a program's sequential time is the published one: how many, each program's
// own page in docs/experiments.md says, and why. They are there on every machine.

#include <cstddef>

namespace programs {

// `rounds` times round a loop of nothing: two cycles each on a TILEPro64, whose taken branch costs a second one.
[[gnu::noinline]] inline void pad(std::size_t rounds) {
    for (; rounds != 0; --rounds) asm volatile("" : "+r"(rounds));
}

}  // namespace programs
