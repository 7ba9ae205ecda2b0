#pragma once
// Signals (signal(7)): what the program has said about each, and which have been sent and not been taken yet.
// signal_delivery.cpp says when one is taken, and what happens then; signal_frame.hpp what its handler finds.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "contract/fault_signal.hpp"

namespace croftsim {

enum Signal : std::uint32_t {
    sigill = fault_signal::illegal_instruction,
    sigtrap = 5,
    sigabrt = 6,
    sigbus = 7,
    sigkill = 9,
    sigsegv = fault_signal::segmentation,
    sigpipe = 13,
    sigalrm = 14,
    sigchld = 17,
    sigcont = 18,
    sigstop = 19,
    sigtstp = 20,
    sigttou = 22,
    sigurg = 23,
    sigvtalrm = 26,
    sigprof = 27,
    sigwinch = 28,
    first_realtime_signal = 32,
    last_signal = 64,
};

using SignalSet = std::uint64_t;
constexpr SignalSet set_of(std::uint32_t signal) { return SignalSet{1} << (signal - 1); }
constexpr SignalSet not_maskable = set_of(sigkill) | set_of(sigstop);
std::string name_of_signal(std::uint32_t signal);  // "SIGABRT"

struct SignalAction {  // struct sigaction of the RISC-V kernel; it has no restorer
    static constexpr bool is_plain = true;
    static constexpr std::uint64_t by_default = 0, ignored = 1;  // handler
    static constexpr std::uint64_t on_stack = 0x08000000, restarts = 0x10000000, no_defer = 0x40000000,
                                   once = 0x80000000;
    std::uint64_t handler = by_default, flags = 0;
    SignalSet mask = 0;
    bool has_handler() const { return handler > ignored; }
};

struct SignalStack {  // stack_t
    static constexpr bool is_plain = true;
    static constexpr std::int32_t in_use = 1, disabled = 2;
    std::uint64_t base = 0;
    std::int32_t flags = disabled, pad = 0;
    std::uint64_t size = 0;
    bool holds(std::uint64_t sp) const { return !(flags & disabled) && sp - base <= size && sp != base; }
};

// The beginning of siginfo_t; the rest is zero.
struct SignalInfo {
    static constexpr bool is_plain = true;
    static constexpr std::int32_t by_user = 0, by_kernel = 0x80, by_timer = -2, by_thread = -6;  // code
    static constexpr std::int32_t not_mapped = 1, not_allowed = 2, illegal_opcode = 1;           // of faults
    std::uint32_t signal = 0;
    std::int32_t error = 0, code = by_user, pad = 0;
    std::uint64_t from = 0;                       // process and user; a timer's number and overrun; a fault's address
    std::uint64_t value = 0;                      // sigval
    std::array<std::uint8_t, 128> bytes() const;  // as the program finds it
};

class PendingSignals {
public:
    // A standard signal that is pending already is not sent again.
    void add(const SignalInfo& info);
    SignalSet set() const;
    std::optional<SignalInfo> take(SignalSet allowed);  // the one of the lowest number, the oldest first
    void forget(std::uint32_t signal);

    void serialise(Archive& archive) { archive(infos_); }

private:
    std::vector<SignalInfo> infos_;
};

struct ThreadSignals {
    SignalSet mask = 0;
    std::optional<SignalSet> mask_before;  // to be there again behind a call that has replaced it (sigsuspend)
    SignalSet awaited = 0;                 // in sigtimedwait
    SignalStack stack;
    PendingSignals pending;
    void serialise(Archive& archive) { archive(mask, mask_before, awaited, stack, pending); }
};

struct Signals {
    std::array<SignalAction, last_signal + 1> actions{};  // by signal number; 0 is none
    PendingSignals pending;                               // for whichever thread takes them
    void serialise(Archive& archive) { archive(actions, pending); }
};
static_assert(is_listed<PendingSignals, 24> && is_listed<ThreadSignals, 80> && is_listed<Signals, 1584>);

}  // namespace croftsim
