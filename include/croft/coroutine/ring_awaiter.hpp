#pragma once
// How a coroutine waits at a doorbell (channel/doorbell.hpp). It looks, registers there, and is suspended. The thread
// that rings posts it to a scheduler (task/detached.hpp). On one of the scheduler's threads it looks again, and
// registers again or goes on. No thread waits, and the ringer runs nothing of the coroutine's.
// docs/decisions/coroutines.md says why so.
//
// It may wait until a stop is requested, too (until_stopped.hpp). The thread that requests it rings, as after an event.
// Each look is for the event first, and then for the request (sleep.md). So an event that has come is never lost.
//
// A thread that registers touches nothing of the coroutine afterwards, nor of the channel: it may be running elsewhere,
// or have ended, by then. A coroutine that is suspended here must not be destroyed, and the scheduler not while
// somebody may ring.

#include <coroutine>
#include <optional>
#include <stop_token>
#include <utility>

#include <croft/channel/doorbell.hpp>
#include <croft/channel/flag.hpp>
#include <croft/task/detached.hpp>
#include <croft/task/scheduler.hpp>

namespace croft::detail {

// Derived has waiter(), the doorbell; is_ready(), a look that counts, by which it takes what it waits for; and
// may_be_ready(load), a mere look (channel/wait.hpp).
template <class Derived>
class ring_awaiter : detached, waits::ring_listener {
public:
    // Throws std::system_error if the scheduler's thread for posts cannot be started.
    explicit ring_awaiter(task_scheduler& on) : on_(on) { on.begin_posts(); }

    bool await_ready() { return is_over(); }
    bool await_suspend(std::coroutine_handle<> waiting) {
        waiting_ = waiting;
        if (stop_.stop_possible()) stop_ring_.emplace(stop_, stop_ring{*this});
        return leaves_word();
    }

    // Before it is awaited.
    void stop_with(std::stop_token stop) { stop_ = std::move(stop); }
    // After the wait, and before await_resume(): whether it has ended by the stop alone. From now on a request does not
    // ring; the destructor waits for one that does at the moment.
    bool was_stopped() {
        stop_ring_.reset();
        return stopped_;
    }

private:
    struct stop_ring {
        ring_awaiter& of;
        void operator()() const noexcept { of.self().waiter().notify(); }
    };
    bool is_over() {
        if (self().is_ready()) return true;
        return stopped_ = stop_.stop_requested();
    }
    // False: it is ready.
    bool leaves_word() {
        static_assert(
            requires(ring_listener& who) { self().waiter().tell_when_rung([](auto) { return true; }, who); },
            "a coroutine can wait only where a doorbell is rung: channel/wait.hpp");
        do
            if (self().waiter().tell_when_rung(
                    [this](auto load) { return stop_.stop_requested() || self().may_be_ready(load); }, *this))
                return true;
        while (!is_over());
        return false;
    }
    void rung() noexcept override { on_.post(*this); }
    void run() noexcept override {
        if (is_over() || !leaves_word()) waiting_.resume();
    }
    Derived& self() { return static_cast<Derived&>(*this); }

    task_scheduler& on_;
    std::coroutine_handle<> waiting_;
    std::stop_token stop_;
    std::optional<std::stop_callback<stop_ring>> stop_ring_;
    bool stopped_ = false;
};

}  // namespace croft::detail
