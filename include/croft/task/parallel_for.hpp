#pragma once
// A loop whose steps may run at the same time and in any order (paper 002, figure 2c).
//
//     croft::parallel_for(0, n, [&](int i) { dst[i] = a[i] + b[i]; });
//     croft::parallel_for(v, [](int& each) { each *= 2; });
//     croft::parallel_for(v.begin(), v.end(), [](auto i) { *i *= 2; });
//     croft::parallel_for_intervals(0, n, [&](int first, int last) { add(first, last); }, {.grain = 32});
//
// The steps are of the type that the two ends have in common: from 0 to v.size(), it is std::size_t. An end below zero
// beside an unsigned one of 64 bits has none; if such a loop has steps, std::invalid_argument is thrown.
//
// The workers share the body (or have copies, if it is small, trivially copyable and const). If a step throws, no
// further chunk is begun, and the exception is thrown here, once none is running any more. If several throw, one of
// their exceptions is. Called outside of a scheduler's run() it uses task_scheduler::common().

#include <atomic>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <stop_token>
#include <type_traits>

#include <croft/task/lazy_loop.hpp>
#include <croft/task/loop.hpp>
#include <croft/task/loop_body.hpp>
#include <croft/task/loop_ends.hpp>

namespace croft {

namespace detail {

// Until a stop is requested.
template <class Runtime, called_with What, class First, class Last, class Body>
bool loop_over(First begin, Last end, Body&& body, const std::stop_token& stop, loop_options options) {
    using Index = loop_type_t<First, Last>;
    std::atomic<bool> complete{true};
    loop_over<Runtime, called_with::interval>(
        begin, end,
        [&](Index first, Index last) {
            if (!stop.stop_requested()) return call_for_all<What>(body, first, last);
            complete.store(false, std::memory_order_relaxed);  // goes with the join
        },
        options);
    return complete.load(std::memory_order_relaxed);
}

template <class Body, class Index>
inline constexpr bool takes_steps = std::is_invocable_v<Body&, Index> && !std::is_invocable_v<Body&, Index, Index>;
template <class Body, class Index>
constexpr void check_takes_steps() {
    static_assert(
        takes_steps<Body, Index>,
        "croft::parallel_for: the body is called with one step, and one that can be called with two, the ends "
        "of an interval, could be meant for either: give that to parallel_for_intervals, or a lambda of one "
        "parameter to this");
}

template <class Range>
concept elements = requires(Range& range) {
    { std::begin(range) } -> std::random_access_iterator;
    { std::end(range) } -> std::same_as<decltype(std::begin(range))>;
};

// A body that takes an element, called with where that is. Small ones are copied, as loops copy theirs.
template <class Body, class Iterator>
class on_element {
    using body_type = std::remove_reference_t<Body>;
    static constexpr bool is_copied = may_be_copied<body_type, std::iter_reference_t<Iterator>>;

public:
    explicit on_element(body_type& body) : body_(body) {}
    [[gnu::always_inline]] void operator()(Iterator at) const { body_(*at); }

private:
    std::conditional_t<is_copied, const body_type, body_type&> body_;
};

}  // namespace detail

// body(i) for each step.
template <class Runtime = detail::default_task_runtime, class First, class Last, class Body>
    requires(!detail::elements<First>)
void parallel_for(First begin, Last end, Body&& body, loop_options options = {}) {
    using Index = detail::loop_type_t<First, Last>;
    detail::check_takes_steps<Body, Index>();
    if constexpr (detail::takes_steps<Body, Index>)
        detail::loop_over<Runtime, detail::called_with::step>(begin, end, body, options);
}
// body(element) for each element of a container, an array, a span or a view with random access.
template <class Runtime = detail::default_task_runtime, detail::elements Range, class Body>
void parallel_for(Range&& range, Body&& body, loop_options options = {}) {
    detail::loop_over<Runtime, detail::called_with::step>(
        std::begin(range), std::end(range), detail::on_element<Body, decltype(std::begin(range))>(body), options);
}
// body(first, last) for intervals, which together are all steps.
template <class Runtime = detail::default_task_runtime, class First, class Last, class Body>
void parallel_for_intervals(First begin, Last end, Body&& body, loop_options options = {}) {
    detail::loop_over<Runtime, detail::called_with::interval>(begin, end, body, options);
}

// The same until a stop is requested: then no further chunk is begun, and false returned if any step was left out.
template <class Runtime = detail::default_task_runtime, class First, class Last, class Body,
          std::same_as<std::stop_token> Stop>
bool parallel_for(First begin, Last end, Body&& body, Stop stop, loop_options options = {}) {
    using Index = detail::loop_type_t<First, Last>;
    detail::check_takes_steps<Body, Index>();
    if constexpr (detail::takes_steps<Body, Index>)
        return detail::loop_over<Runtime, detail::called_with::step>(begin, end, body, stop, options);
}
template <class Runtime = detail::default_task_runtime, detail::elements Range, class Body>
bool parallel_for(Range&& range, Body&& body, std::stop_token stop, loop_options options = {}) {
    return detail::loop_over<Runtime, detail::called_with::step>(
        std::begin(range), std::end(range), detail::on_element<Body, decltype(std::begin(range))>(body), stop, options);
}
template <class Runtime = detail::default_task_runtime, class First, class Last, class Body,
          std::same_as<std::stop_token> Stop>
bool parallel_for_intervals(First begin, Last end, Body&& body, Stop stop, loop_options options = {}) {
    return detail::loop_over<Runtime, detail::called_with::interval>(begin, end, body, stop, options);
}

}  // namespace croft
