#pragma once
// The ends of a parallel loop as one type, which can count all of its steps. For example, 0 and v.size() make a loop of
// std::size_t, not one of int that ends too early.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace croft::detail {

// A type that counts like a number or an iterator.
template <class T>
concept loop_index = std::copyable<T> && requires(T a, T b) {
    static_cast<std::size_t>(b - a);
    { a < b } -> std::convertible_to<bool>;
};

template <class T>
concept loop_number = std::integral<T> && !std::same_as<T, bool>;

// Numbers: one type that has all values of both, if there is one. Else one is signed, one unsigned, and one has 64
// bits; then it is the unsigned, because a loop can be that long. Iterators: the type that both convert to.
template <class First, class Last>
struct loop_type {
    static_assert(!std::is_arithmetic_v<First> && !std::is_arithmetic_v<Last>,
                  "croft: both ends of a parallel loop have to be integers, or both iterators of one container");
    static_assert(
        requires { typename std::common_type_t<First, Last>; } || std::convertible_to<Last, First>,
        "croft: the ends of a parallel loop have to have a common type");
    static auto find() {
        if constexpr (std::same_as<First, Last>)
            return std::type_identity<First>();
        else if constexpr (requires { typename std::common_type_t<First, Last>; })
            return std::type_identity<std::common_type_t<First, Last>>();
        else
            return std::type_identity<First>();
    }
    using type = typename decltype(find())::type;
};
template <loop_number First, loop_number Last>
struct loop_type<First, Last> {
    static constexpr bool one_sign = std::is_signed_v<First> == std::is_signed_v<Last>;
    static constexpr bool wide = sizeof(First) > 4 || sizeof(Last) > 4;
    using mixed = std::conditional_t<wide, std::common_type_t<First, Last>, std::int64_t>;
    using type = std::conditional_t<one_sign, std::common_type_t<First, Last>, mixed>;
};

template <class First, class Last>
using loop_type_t = typename loop_type<First, Last>::type;

// As for i from `first` while i < `last`, by value. Throws std::invalid_argument if the loop has steps and begins below
// zero with a type that has no sign.
template <class First, class Last>
std::pair<loop_type_t<First, Last>, loop_type_t<First, Last>> loop_ends(First first, Last last) {
    using index = loop_type_t<First, Last>;
    static_assert(loop_index<index>,
                  "croft: what a parallel loop counts has to be a number, or an iterator with random access");
    if constexpr (loop_number<First> && loop_number<Last> && !std::same_as<First, Last>) {
        if (!std::cmp_less(first, last)) return {};
        if (!std::in_range<index>(first))
            throw std::invalid_argument(
                "croft: a parallel loop begins below zero and ends at a number whose type, of 64 bits, has no sign");
    }
    return {static_cast<index>(first), static_cast<index>(last)};
}

template <class Index>
std::size_t steps_between(Index first, Index last) {
    if (!(first < last)) return 0;
    // An int's range may be longer than an int.
    if constexpr (std::integral<Index> && sizeof(Index) < sizeof(std::int64_t))
        return static_cast<std::size_t>(static_cast<std::int64_t>(last) - static_cast<std::int64_t>(first));
    else if constexpr (std::integral<Index>)
        return static_cast<std::size_t>(last) - static_cast<std::size_t>(first);
    else
        return static_cast<std::size_t>(last - first);
}
template <class Index>
Index step_on(Index at, std::size_t steps) {
    if constexpr (std::is_integral_v<Index>) {
        using bits = std::make_unsigned_t<Index>;
        return static_cast<Index>(static_cast<bits>(static_cast<bits>(at) + static_cast<bits>(steps)));
    } else {
        return at + static_cast<std::ptrdiff_t>(steps);
    }
}

}  // namespace croft::detail
