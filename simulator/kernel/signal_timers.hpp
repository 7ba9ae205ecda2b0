#pragma once
// Timers that send signals: the three of setitimer, and those of timer_create. A timer runs by the machine's clock, or
// by the processor time of the process or of a thread. Processor time goes on only while threads run.

#include <array>
#include <cstdint>
#include <map>

#include "base/archive.hpp"
#include "kernel/signals.hpp"

namespace croftsim {

struct System;

struct SignalTimer {
    static constexpr bool is_plain = true;
    static constexpr std::uint64_t off = ~std::uint64_t{0};
    enum class By : std::uint8_t { clock, process, thread };
    By by = By::clock;
    std::uint32_t of = 0;                    // the thread whose time it is
    std::uint64_t next = off, interval = 0;  // cycles by its clock
    SignalInfo sends;                        // signal 0: nothing
    std::uint32_t to = 0;                    // a thread; 0: the process
    std::uint32_t overrun = 0;               // how often it has come due since its signal was sent
};

class SignalTimers {
public:
    enum Interval : std::uint32_t { real, virtual_time, profiling };

    SignalTimers();
    SignalTimer& interval(std::uint32_t which) { return intervals_.at(which); }
    std::uint32_t add(const SignalTimer& timer);
    SignalTimer* find(std::uint64_t id);
    bool remove(std::uint64_t id) { return by_id_.erase(static_cast<std::uint32_t>(id)) > 0; }
    // One may be armed that was not.
    void armed() { any_armed_ = true; }

    static std::uint64_t reading(System& system, const SignalTimer& timer);  // of its clock, in cycles
    std::uint64_t next_event(System& system);                                // by the machine's clock
    void act(System& system);

    void serialise(Archive& archive) { archive(intervals_, by_id_, last_id_, any_armed_); }

private:
    template <class Visit>
    void for_each(Visit visit) {
        for (SignalTimer& timer : intervals_) visit(timer);
        for (auto& [id, timer] : by_id_) visit(timer);
    }

    std::array<SignalTimer, 3> intervals_;
    std::map<std::uint32_t, SignalTimer> by_id_;
    std::uint32_t last_id_ = 0;
    bool any_armed_ = false;  // most programs arm none, and the kernel asks often
};
static_assert(is_listed<SignalTimers, 248>);

}  // namespace croftsim
