#pragma once
// The calls that led a thread to where it is.

#include "debug_info/call_frames.hpp"

namespace croftsim::debug_info {

struct Stopped {
    std::uint64_t pc = 0;
    std::array<std::uint64_t, FrameRules::registers> registers{};  // x0 to x31
    Bytes stack;                                                   // the memory from sp on, as much as is at hand
};

// The addresses of the calls under way, innermost first: `pc`, then one for each caller, inside its call instruction.
// The list ends where the stack or the tables say no more, or at 64. The program runs `moved` bytes beyond where its
// tables say it is.
std::vector<std::uint64_t> callers(CallFrames& frames, const Stopped& at, std::uint64_t moved);

}  // namespace croftsim::debug_info
