#pragma once
// How a thread waits for what MPI brings, and for local channels at the same time: a wait policy (channel/wait.hpp).
//
// MPI gets on only when it is called, and cannot wake anybody; so whoever waits for it has to look again and again. It
// looks without a pause for a bounded time, and then sleeps between two looks, in steps that double from 20
// microseconds to a millisecond, so that an idle process takes next to nothing. A local channel of the same thread,
// with the same waiter, wakes it from the middle of a nap: its notify() rings.
//
//     croft::mpi::nap waiter;
//     croft::channel<int, croft::mpi::napping> local(64, {}, nullptr, &waiter);
//     croft::mpi::channel<int> remote(group, 1, 0, {.receiver_waiter = &waiter});
//     while (croft::wait_any(local, remote)) look_at(local.try_receive(), remote.try_receive());
//
// The price is latency: what comes during a nap is found at its end, up to a millisecond later, and later by what the
// operating system takes to wake a thread (Linux: about 50 microseconds more than was asked for). Measured on two cores
// of a busy virtual machine (bench/mpi/channel.cpp): an idle process takes 1.3 to 2.4 % of a core, and finds a message
// half a millisecond late in the median, once its naps have grown to one.

#include <algorithm>
#include <atomic>
#include <chrono>

#include <croft/channel/doorbell.hpp>
#include <croft/channel/policies.hpp>
#include <croft/channel/timed.hpp>

namespace croft::mpi {

class nap {
public:
    static constexpr std::chrono::nanoseconds default_spin{50'000}, first_step{20'000}, last_step{1'000'000};

    nap() { look_again(true); }
    nap(const nap&) = delete;
    nap& operator=(const nap&) = delete;

    // How long to look without a pause, and the longest sleep between two looks; by the owner, or before the threads
    // start.
    void spin_for(std::chrono::nanoseconds limit) { spin_ = limit; }
    void sleep_for(std::chrono::nanoseconds longest) { longest_ = std::max(longest, first_step); }
    // False: its owner waits for nothing that cannot ring, and this is a doorbell like others.
    void look_again(bool does) {
        naps_ = does;
        if (!shares_) bell_.spin_for(does ? std::chrono::nanoseconds{0} : spin_);
    }
    // Where its owner's core is others' as well: they go first (doorbell.hpp).
    void share_cores() {
        bell_.share_cores();
        shares_ = true;
    }

    template <class Scan>
    void wait(Scan scan) {
        if (naps_)
            wait_until(scan, deadline::max());
        else
            bell_.wait(scan);
    }
    template <class Scan>
    bool wait_until(Scan scan, deadline end) {
        if (!naps_) return bell_.wait_until(scan, end);
        auto now = std::chrono::steady_clock::now();
        if (now >= end) return false;
        if (!shares_ && waits::operating_system::spin(scan, std::min<std::chrono::nanoseconds>(spin_, end - now)))
            return true;
        for (std::chrono::nanoseconds step = first_step;; step = std::min(2 * step, longest_)) {
            now = std::chrono::steady_clock::now();
            if (now >= end) return scan(relaxed_load{});
            // True: it has rung, or the last look before falling asleep has found something.
            if (bell_.wait_until(scan, step < end - now ? now + step : end)) return true;
        }
    }
    void notify() { bell_.notify(); }

private:
    waits::doorbell<std::atomic, waits::operating_system> bell_;
    std::chrono::nanoseconds spin_ = default_spin, longest_ = last_step;
    bool naps_ = true, shares_ = false;
};

// For local channels of a thread that waits for MPI as well.
struct napping : croft::policies {
    using wait = nap;
};

}  // namespace croft::mpi
