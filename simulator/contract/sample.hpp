#pragma once
// The activity of a machine at a moment between two of its steps, for somebody who watches the run. Taking it changes
// nothing. Cores have clocks of their own: every one has come to `cycles`, and some are ahead (machine/window.md), by
// RunOptions::run_ahead or, where one alone computes, by more.

#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

namespace croftsim {

// A core's activity; activity_names has these names.
enum class Activity : std::uint8_t {
    absent,    // not offered to programs
    unused,    // it has had no thread yet
    finished,  // its thread has ended
    runs,
    fetch,    // waits for a line of the program
    load,     // for a load or an atomic operation
    store,    // for its stores: a fence, or room among the outstanding ones
    line,     // for a line to change (wrs.nto, wrs.sto)
    network,  // for the user network or the DMA engine
    futex,
    sleep,    // nanosleep and its like
    host,     // for a message of the host
    kernel,   // in any other system call
    stopped,  // at ebreak
    count
};

inline constexpr const char* activity_names[] = {"absent", "unused", "finished", "runs",    "fetch",
                                                 "load",   "store",  "line",     "network", "futex",
                                                 "sleep",  "host",   "kernel",   "stopped"};
static_assert(std::size(activity_names) == static_cast<std::size_t>(Activity::count));

struct Sample {
    static constexpr std::size_t networks = 3;  // coherence, memory, user

    std::uint64_t cycles = 0;  // of the program's clock
    // For each tile.
    std::vector<Activity> activities;
    std::vector<std::uint64_t> instructions;
    // For all cores together, in the order of profile_causes(): cycles of threads so far.
    std::vector<std::uint64_t> spent;
    // For each link between routers (Network::carried), the cycles for which it was busy.
    std::array<std::vector<std::uint64_t>, networks> links;
};

}  // namespace croftsim
