#pragma once
// How the body of a parallel loop is called.

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

}  // namespace croft::detail
