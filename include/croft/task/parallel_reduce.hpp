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

#include <croft/task/lazy_loop.hpp>
#include <croft/task/loop.hpp>
#include <croft/task/loop_body.hpp>
#include <croft/task/loop_ends.hpp>

namespace croft {

namespace detail {

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
