#pragma once
// Whether a pattern was asked to end early, and how.

#include <atomic>

#include <croft/pattern/farm_options.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

// In a line of its own: every role reads it at every item, and beside it might be what the source or the sink writes.
class alignas(port::cache_line) stop_request {
public:
    void request(stop_mode mode) {
        if (mode == stop_mode::drop) return state_.store(state::drop, std::memory_order_relaxed);
        state expected = state::none;  // the stronger request stays
        state_.compare_exchange_strong(expected, state::drain, std::memory_order_relaxed);
    }
    void reset() { state_.store(state::none, std::memory_order_relaxed); }

    // Relaxed: a request carries no data with it, and taking effect one task later is as good.
    bool requested() const { return state_.load(std::memory_order_relaxed) != state::none; }
    bool drops() const { return state_.load(std::memory_order_relaxed) == state::drop; }

private:
    enum class state { none, drain, drop };
    std::atomic<state> state_{state::none};
};

// A stop request that was served is over, however its run ends.
class reset_after {
public:
    explicit reset_after(stop_request& stop) : stop_(stop) {}
    ~reset_after() { stop_.reset(); }
    reset_after(const reset_after&) = delete;
    reset_after& operator=(const reset_after&) = delete;

private:
    stop_request& stop_;
};

}  // namespace croft::detail
