#pragma once
// One thread of the program: its identity, and the reason for which it does not run.

#include <array>
#include <cstdint>
#include <optional>

#include "base/archive.hpp"
#include "isa/hart.hpp"
#include "kernel/core_set.hpp"
#include "kernel/signals.hpp"

namespace croftsim {

enum class Wait : std::uint8_t { none, futex, sleep, signal, host, event, core };  // core: it could run, and has none

struct Thread {
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    std::uint32_t id = 0;
    std::uint32_t core = 0;               // where it is, or was last
    std::uint64_t stack = 0;              // its stack pointer when it began
    CoreSet affinity;                     // the program's numbers
    std::uint64_t clear_child_tid = 0;    // zeroed, and woken as a futex, when the thread ends
    std::array<std::uint8_t, 16> name{};  // of prctl(PR_SET_NAME), with its terminating zero
    ThreadSignals signals;

    Wait wait = Wait::none;
    std::uint64_t wait_address = 0;
    std::uint64_t deadline = never;          // of the wait
    bool displaced = false;                  // it waits, and its core has been changed meanwhile
    bool begun = false;                      // it has had a core
    std::optional<Hart> parked;              // its registers, while it has no core
    std::optional<std::uint32_t> next_core;  // where it goes on after its next system call; kept free for it

    std::uint64_t cpu_cycles(std::uint64_t now) const {
        return begun ? (wait == Wait::none ? now : blocked_since) - started - blocked_cycles : 0;
    }
    std::uint64_t started = 0, blocked_since = 0, blocked_cycles = 0, queued_since = 0;

    void serialise(Archive& archive) {
        archive(id, core, stack, affinity, clear_child_tid, name, signals, wait, wait_address, deadline, displaced,
                begun, parked, next_core, started, blocked_since, blocked_cycles, queued_since);
    }
};
static_assert(is_listed<Thread, 816>);

}  // namespace croftsim
