#pragma once
// How a coroutine waits at a doorbell (channel/doorbell.hpp). It looks, registers there, and is suspended. The thread
// that rings posts it to a scheduler (task/detached.hpp). On one of the scheduler's threads it looks again, and
// registers again or goes on. No thread waits, and the ringer runs nothing of the coroutine's.
// docs/decisions/coroutines.md says why so.
//
// A thread that registers touches nothing of the coroutine afterwards, nor of the channel: it may be running elsewhere,
// or have ended, by then. A coroutine that is suspended here must not be destroyed, and the scheduler not while
// somebody may ring.

#include <coroutine>

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

    bool await_ready() { return self().is_ready(); }
    bool await_suspend(std::coroutine_handle<> waiting) {
        waiting_ = waiting;
        return leaves_word();
    }

private:
    // False: it is ready.
    bool leaves_word() {
        static_assert(
            requires(ring_listener& who) { self().waiter().tell_when_rung([](auto) { return true; }, who); },
            "a coroutine can wait only where a doorbell is rung: channel/wait.hpp");
        do
            if (self().waiter().tell_when_rung([this](auto load) { return self().may_be_ready(load); }, *this))
                return true;
        while (!self().is_ready());
        return false;
    }
    void rung() noexcept override { on_.post(*this); }
    void run() noexcept override {
        if (self().is_ready() || !leaves_word()) waiting_.resume();
    }
    Derived& self() { return static_cast<Derived&>(*this); }

    task_scheduler& on_;
    std::coroutine_handle<> waiting_;
};

}  // namespace croft::detail
