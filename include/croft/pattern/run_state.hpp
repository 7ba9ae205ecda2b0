#pragma once
// What all roles of a run share: whether it failed, and whether it was asked to stop. Read at every item, written at
// most a few times, so it costs no traffic.

#include <atomic>
#include <exception>
#include <functional>
#include <utility>

#include <croft/pattern/stop_request.hpp>

namespace croft::detail {

class run_state {
public:
    explicit run_state(stop_request& stop) : stop_(stop) {}

    // False if it threw; then the run is to end. The first exception of all threads is the one that is kept.
    // (Inline, with the action: it stands around every call of what is the user's.)
    template <class Action>
    [[gnu::always_inline]] bool guard(Action action) {
        try {
            action();
            return true;
        } catch (...) {
            fail(std::current_exception());
            return false;
        }
    }
    [[gnu::noinline]] void fail(std::exception_ptr why) {
        // Relaxed: who wins says nothing about other memory. The exception is read after the threads were joined.
        const bool first = !failed_.exchange(true, std::memory_order_relaxed);
        if (first) failure_ = why;
        stop_.request(stop_mode::drop);
        if (first && alarm_) alarm_();
    }
    // Called once the run has failed, by the thread in which it did: for whoever waits outside it. Before it runs.
    void set_alarm(std::function<void()> alarm) { alarm_ = std::move(alarm); }
    bool stops() const { return stop_.requested(); }
    bool drops() const { return stop_.drops(); }

    // After all threads, or the streams of all of them, have ended.
    void rethrow() {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    stop_request& stop_;
    std::atomic<bool> failed_{false};
    std::exception_ptr failure_;
    std::function<void()> alarm_;
};

}  // namespace croft::detail
