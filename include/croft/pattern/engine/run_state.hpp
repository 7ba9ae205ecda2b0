#pragma once
// What all roles of a run share: whether it failed, and whether it was asked to stop. Read at every item, written at
// most a few times, so it costs no traffic.

#include <atomic>
#include <exception>

#include <croft/pattern/stop_request.hpp>

namespace croft::detail {

class run_state {
public:
    explicit run_state(stop_request& stop) : stop_(stop) {}

    // False if it threw; then the run is to end. The first exception of all threads is the one that is kept.
    template <class Action>
    bool guard(Action action) {
        try {
            action();
            return true;
        } catch (...) {
            fail(std::current_exception());
            return false;
        }
    }
    void fail(std::exception_ptr why) {
        // Relaxed: who wins says nothing about other memory. The exception is read after the threads were joined.
        if (!failed_.exchange(true, std::memory_order_relaxed)) failure_ = why;
        stop_.request(stop_mode::drop);
    }
    bool stops() const { return stop_.requested(); }
    bool drops() const { return stop_.drops(); }

    // After all threads have ended.
    void rethrow() {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    stop_request& stop_;
    std::atomic<bool> failed_{false};
    std::exception_ptr failure_;
};

}  // namespace croft::detail
