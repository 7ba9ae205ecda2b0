#pragma once
// Folds a range to one value.
//
//     long sum = croft::parallel_reduce(0, n, 0L, [&](int i) { return a[i]; }, std::plus<>());
//     long all = croft::parallel_reduce_intervals(0, n, 0L,
//                                                 [&](int first, int last, long so_far) {
//                                                     return std::accumulate(a + first, a + last, so_far);
//                                                 },
//                                                 [](long left, long right) { return left + right; });
//
// `join` has to be associative, and `identity` its neutral element; it need not be commutative: joined values are
// adjacent and in order. Where the range is cut depends on who is idle, so sums of floating-point numbers may differ in
// their last digits from run to run. The type of steps, exceptions and where it runs: as for parallel_for.

#include <atomic>
#include <concepts>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <croft/task/loop.hpp>

namespace croft {

namespace detail {

template <called_with What, class Index, class Value, class Body, class Join>
Value fold_interval(Body& body, Join& join, Index first, Index last, Value so_far) {
    if constexpr (What == called_with::interval) {
        return body(first, last, std::move(so_far));
    } else {
        for (Index i = first; i < last; ++i) so_far = join(std::move(so_far), body(i));
        return so_far;
    }
}

template <class Runtime, called_with What, class Index, class Value, class Body, class Join>
class reduce_loop {
    using worker = typename Runtime::worker;

public:
    reduce_loop(const Value& identity, Body& body, Join& join, std::size_t grain)
        : identity_(identity), body_(body), join_(join), grain_(grain) {}

    Value run(Index first, Index last) {
        try {
            return go_through(first, last, identity_);
        } catch (...) {
            stop_.request();
            throw;
        }
    }

private:
    Value go_through(Index first, Index last, Value so_far) {
        worker& here = *worker::current();
        for (std::size_t left = steps_between(first, last); left > grain_; left -= grain_) {
            if (here.should_split()) return split(first, last, left, std::move(so_far));
            const Index end = step_on(first, grain_);
            so_far = fold(first, end, std::move(so_far));
            first = end;
            if (stop_.requested()) return so_far;
        }
        return fold(first, last, std::move(so_far));
    }
    Value split(Index first, Index last, std::size_t left, Value so_far) {
        const Index middle = step_on(first, (left / grain_ + 1) / 2 * grain_);
        Value other = identity_;
        const auto nearer = [&] { so_far = go_through(first, middle, std::move(so_far)); };
        const auto farther = [&] { other = run(middle, last); };
        Runtime::both(*worker::current(), nearer, farther);
        return join_(std::move(so_far), std::move(other));
    }
    // By itself. Otherwise compilers keep the value in memory also within the loop, because it has to be there across
    // calls and exceptions. A sum of doubles then takes 1.6 times as long. A call is little beside a chunk.
    [[gnu::noinline]] Value fold(Index first, Index last, Value so_far) {
        return fold_interval<What>(body_, join_, first, last, std::move(so_far));
    }

    const Value& identity_;
    Body& body_;
    Join& join_;
    const std::size_t grain_;
    loop_stop stop_;
};

template <class Runtime, called_with What, class First, class Last, class Value, class Body, class Join>
[[gnu::always_inline]] inline Value reduce_over(First begin, Last end, Value identity, Body&& body, Join&& join,
                                                loop_options options) {
    using Index = loop_type_t<First, Last>;
    const auto ends = loop_ends(begin, end);
    const Index first = ends.first, last = ends.second;
    Value result = identity;
    const std::size_t steps = steps_between<Index>(first, last);
    if (steps == 0) return result;
    as_worker<Runtime>([&] {
        const std::size_t grain = grain_of(options, steps, workers_of<Runtime>());
        if constexpr (cuts_loops<Runtime>) {
            const auto fold = [&body, &join](Index from, Index to, Value so_far) {
                return fold_interval<What>(body, join, from, to, std::move(so_far));
            };
            using loop =
                typename Runtime::template reduce_loop<Index, Value, std::remove_reference_t<Join>, decltype(fold)>;
            typename loop::common all(identity, join, fold, first, steps, grain);
            result = loop(all).run(*Runtime::worker::current());
        } else {
            using loop =
                reduce_loop<Runtime, What, Index, Value, std::remove_reference_t<Body>, std::remove_reference_t<Join>>;
            result = loop(identity, body, join, grain).run(first, last);
        }
    });
    return result;
}

// Until a stop is requested.
template <class Runtime, called_with What, class First, class Last, class Value, class Body, class Join>
std::optional<Value> reduce_over(First begin, Last end, Value identity, Body&& body, Join&& join,
                                 const std::stop_token& stop, loop_options options) {
    using Index = loop_type_t<First, Last>;
    std::atomic<bool> complete{true};
    Value result = reduce_over<Runtime, called_with::interval>(
        begin, end, std::move(identity),
        [&](Index first, Index last, Value so_far) {
            if (!stop.stop_requested()) return fold_interval<What>(body, join, first, last, std::move(so_far));
            complete.store(false, std::memory_order_relaxed);  // goes with the join
            return so_far;
        },
        join, options);
    return complete.load(std::memory_order_relaxed) ? std::optional<Value>(std::move(result)) : std::nullopt;
}

template <class Body, class Index, class Value>
inline constexpr bool gives_steps =
    std::is_invocable_v<Body&, Index> && !std::is_invocable_v<Body&, Index, Index, Value>;
template <class Body, class Index, class Value>
constexpr void check_gives_steps() {
    static_assert(gives_steps<Body, Index, Value>,
                  "croft::parallel_reduce: the body is called with one step, and one that can be called with an "
                  "interval's ends and a value, too, could be meant for either: give that to "
                  "parallel_reduce_intervals, or a lambda of one parameter to this");
}

}  // namespace detail

// Reduces the results of body(i) for each step.
template <class Runtime = detail::default_task_runtime, class First, class Last, class Value, class Body, class Join>
Value parallel_reduce(First begin, Last end, Value identity, Body&& body, Join&& join, loop_options options = {}) {
    using Index = detail::loop_type_t<First, Last>;
    detail::check_gives_steps<Body, Index, Value>();
    if constexpr (detail::gives_steps<Body, Index, Value>)
        return detail::reduce_over<Runtime, detail::called_with::step>(begin, end, std::move(identity), body, join,
                                                                       options);
}
// Reduces the results of body(first, last, so_far), which adds an interval's steps to the result before them.
template <class Runtime = detail::default_task_runtime, class First, class Last, class Value, class Body, class Join>
Value parallel_reduce_intervals(First begin, Last end, Value identity, Body&& body, Join&& join,
                                loop_options options = {}) {
    return detail::reduce_over<Runtime, detail::called_with::interval>(begin, end, std::move(identity), body, join,
                                                                       options);
}

// The same until a stop is requested: then no further chunk is begun, and nothing is returned if any step was left out.
template <class Runtime = detail::default_task_runtime, class First, class Last, class Value, class Body, class Join,
          std::same_as<std::stop_token> Stop>
std::optional<Value> parallel_reduce(First begin, Last end, Value identity, Body&& body, Join&& join, Stop stop,
                                     loop_options options = {}) {
    using Index = detail::loop_type_t<First, Last>;
    detail::check_gives_steps<Body, Index, Value>();
    if constexpr (detail::gives_steps<Body, Index, Value>)
        return detail::reduce_over<Runtime, detail::called_with::step>(begin, end, std::move(identity), body, join,
                                                                       stop, options);
}
template <class Runtime = detail::default_task_runtime, class First, class Last, class Value, class Body, class Join,
          std::same_as<std::stop_token> Stop>
std::optional<Value> parallel_reduce_intervals(First begin, Last end, Value identity, Body&& body, Join&& join,
                                               Stop stop, loop_options options = {}) {
    return detail::reduce_over<Runtime, detail::called_with::interval>(begin, end, std::move(identity), body, join,
                                                                       stop, options);
}

}  // namespace croft
