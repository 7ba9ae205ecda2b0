#pragma once
// How the body of a parallel loop is called.

#include <type_traits>
#include <utility>

namespace croft::detail {

// The argument of a loop's body. The name of the loop tells it, because a body may take either.
enum class called_with { step, interval };

// Calls the body for each step, or for the interval.
template <called_with What, class Index, class Body>
void call_for_all(Body& body, Index first, Index last) {
    if constexpr (What == called_with::interval)
        body(first, last);
    else
        for (Index i = first; i < last; ++i) body(i);
}

// A small body that cannot change, so that a copy does what the original does.
template <class Body, class... Arguments>
concept may_be_copied =
    std::is_trivially_copyable_v<Body> && sizeof(Body) <= 64 && std::is_invocable_v<const Body&, Arguments...>;

template <called_with What, class Index, class Value, class Body, class Join>
Value fold_interval(Body& body, Join& join, Index first, Index last, Value so_far) {
    if constexpr (What == called_with::interval) {
        return body(first, last, std::move(so_far));
    } else {
        for (Index i = first; i < last; ++i) so_far = join(std::move(so_far), body(i));
        return so_far;
    }
}

}  // namespace croft::detail
