#pragma once
// The common part of calls that wait for one of several files.

#include "kernel/system.hpp"

namespace croftsim {

// The deadline of a wait for the struct timespec at that address, or for ever if it is 0. A thread that waits has one
// already.
std::uint64_t deadline_at(System& system, const Call& call, std::uint64_t address);
// Writes there how much of the time is left, as Linux does.
void tell_time_left(System& system, std::uint64_t address, std::uint64_t deadline);

}  // namespace croftsim
