#pragma once
// The state that all roles of a run share: whether it failed, and whether it was asked to stop. Read at every item,
// written at most a few times, so in lines of its own it costs no traffic.
//
// The items that a failure drops. The source makes no further item. Items before the failure, in their order, are
// delivered, as a sequential program would have written them; those behind it are dropped. Roles are numbered in the
// order in which items pass them. So where one stage follows another, the role that failed and those before it drop,
// and those behind it go on. Where roles work side by side, as the workers of a farm, a failure counts as one of the
// last of them (builder::within). Nobody waits for items without an order. In an ordered farm it travels as a mark in
// the item's place (item.hpp), and counts when that item's turn has come at the collector.
//
// That holds for exceptions of users' callables. Any other exception drops all (abandonment.hpp).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

#include <croft/pattern/abandonment.hpp>
#include <croft/pattern/stop_request.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

class alignas(port::cache_line) run_state {
public:
    static constexpr std::int64_t nobody = -1, everybody = std::numeric_limits<std::int64_t>::max();

    explicit run_state(stop_request& stop) : stop_(stop) {}

    // False if it threw; then the run is to end. The first exception of all threads is the one that is kept. Roles up
    // to `last` drop from now on.
    // (Inline, with the action: it stands around every call of what is the user's.)
    template <class Action>
    [[gnu::always_inline]] bool guard(Action action, std::int64_t last = everybody) {
        try {
            action();
            return true;
        } catch (...) {
            fail(std::current_exception(), last);
            return false;
        }
    }
    [[gnu::noinline]] void fail(std::exception_ptr why, std::int64_t last = everybody) {
        // Relaxed: winning says nothing about other memory. The exception is read after the threads were joined.
        const bool first = !failed_.exchange(true, std::memory_order_relaxed);
        if (first) {
            failure_ = why;
            kept_.set();
        }
        drop_up_to(last);
        if (first && alarm_) alarm_();
    }
    // Relaxed, like all loads of it: if another item is still worked on, that does no harm.
    void drop_up_to(std::int64_t last) {
        std::int64_t before = last_dropping_.load(std::memory_order_relaxed);
        while (before < last && !last_dropping_.compare_exchange_weak(before, last, std::memory_order_relaxed)) {
        }
        stop_.request(last == everybody ? stop_mode::drop : stop_mode::drain);
    }
    // Called once the run has failed, by the thread in which it did: for whoever waits outside it. Before it runs.
    void set_alarm(std::function<void()> alarm) { alarm_ = std::move(alarm); }

    // Natively: by a thread that cannot go on, and nobody shall.
    void abandon(std::exception_ptr why) {
        fail(std::move(why));
        ends_.begin();
    }
    [[gnu::always_inline]] bool abandoned() const { return ends_.has_begun(); }
    abandonment& ends() { return ends_; }

    bool stops() const { return stop_.requested(); }
    bool drops(std::int64_t role) const {
        if (!stop_.requested()) [[likely]]
            return false;
        return stop_.drops() || role <= last_dropping_.load(std::memory_order_relaxed);
    }

    // The exception by which it failed, while it still runs. Natively, to be asked by a thread that has seen that it
    // failed, in an item's mark for example. If the mark is of another failure, the exception of the first may not have
    // been kept yet. That is a matter of a few instructions.
    std::exception_ptr failure() const {
        kept_.wait();
        return failure_;
    }

    // After all threads, or the streams of all of them, have ended.
    void rethrow() {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    // Whether failure_ was written: release and acquire, so that it can be read then.
    struct kept_flag {
        void set() { is_kept.store(true, std::memory_order_release); }
        void wait() const {
            while (!is_kept.load(std::memory_order_acquire)) port::pause();
        }
        std::atomic<bool> is_kept{false};
    };
    struct no_flag {
        void set() {}
        void wait() const {}
    };

    stop_request& stop_;
    std::atomic<bool> failed_{false};
    [[no_unique_address]] std::conditional_t<port::waits_on_lines, no_flag, kept_flag> kept_;
    std::atomic<std::int64_t> last_dropping_{nobody};
    std::exception_ptr failure_;
    std::function<void()> alarm_;
    [[no_unique_address]] abandonment ends_;
};

// The same for one role, or one of those that work side by side.
class role_state {
public:
    // `last`: the last role that drops once this role has failed.
    role_state(run_state& all, std::size_t last) : all_(&all), last_(static_cast<std::int64_t>(last)) {}

    // False if it threw; then the run has failed here.
    template <class Action>
    [[gnu::always_inline]] bool guard(Action action) {
        return all_->guard(std::move(action), last_);
    }
    // The same where the item in whose place it failed carries a mark of that, which the collector takes for failed().
    template <class Action>
    [[gnu::always_inline]] bool guard_in_order(Action action) {
        return all_->guard(std::move(action), run_state::nobody);
    }
    void failed() { all_->drop_up_to(last_); }

    bool stops() const { return all_->stops(); }
    bool drops() const { return all_->drops(last_); }
    run_state& all() const { return *all_; }

private:
    run_state* all_;
    std::int64_t last_;
};

}  // namespace croft::detail
