#pragma once
// Stacks of threads: the first one's, which grows when its limit does, and how an overflow is told from any other wild
// access.

#include <cstdint>
#include <optional>
#include <string>

#include "kernel/system.hpp"

namespace croftsim {

// Gives the first thread's stack so many bytes in all, if it has fewer; RLIM_INFINITY: as many as there can be. False
// if something is in the way, or there is no memory.
bool grow_stack(System& system, std::uint64_t bytes);

// The sentence for a wild access of the thread on that core if its stack has overflowed. Its stack pointer is then
// below all that it may use. None if it has not.
std::optional<std::string> stack_overflow(System& system, std::uint32_t core);

}  // namespace croftsim
