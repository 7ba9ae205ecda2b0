#pragma once
// Signals without handlers that run. Dispositions and masks are remembered. A signal that the program sends to itself
// either has no effect, or ends the run.

#include <array>
#include <cstdint>

namespace croftsim {

struct SignalAction {  // struct sigaction of the RISC-V kernel; it has no restorer
    static constexpr bool is_plain = true;
    std::uint64_t handler = 0, flags = 0, mask = 0;
};

struct SignalStack {  // stack_t
    static constexpr bool is_plain = true;
    static constexpr std::int32_t disabled = 2;
    std::uint64_t base = 0;
    std::int32_t flags = disabled, pad = 0;
    std::uint64_t size = 0;
};

struct ThreadSignals {
    static constexpr bool is_plain = true;
    std::uint64_t mask = 0;
    SignalStack stack;
};

struct Signals {
    static constexpr bool is_plain = true;
    static constexpr std::uint32_t count = 64;
    static constexpr std::uint64_t default_action = 0, ignore = 1;
    std::array<SignalAction, count + 1> actions{};  // by signal number; 0 is none
};

}  // namespace croftsim
