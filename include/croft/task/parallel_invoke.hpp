#pragma once
// Calls its arguments, in any order and perhaps at the same time, and returns when all have returned (paper 002, figure
// 2b).
//
//     int n = 30;
//     long x, y;
//     croft::parallel_invoke([&x, n] { x = fib(n - 1); }, [&y, n] { y = fib(n - 2); });
//
// (Where tasks are so small, capture values that are only read by value, as here. With [&] the parameter n has to lie
// in memory. Then the test that ends the recursion cannot move to the caller, and the call takes 1.6 times as long.)
//
// If one throws, those that have not begun are dropped and the exception is thrown here, once none is running any more.
// If several throw, one of their exceptions is. Called outside of a scheduler's run() it uses task_scheduler::common().

#include <type_traits>
#include <utility>

#include <croft/task/fork.hpp>
#include <croft/task/scheduler.hpp>

namespace croft {

namespace detail {

// A temporary that was passed as such is not needed any more, so a call may have a copy. Then the compiler still knows
// after the call what it knew of the original.
template <class Argument>
using handed_on = std::conditional_t<!std::is_reference_v<Argument> &&
                                         std::is_trivially_copyable_v<std::remove_reference_t<Argument>>,
                                     Argument, std::remove_reference_t<Argument>&>;

template <class Runtime, class... Bodies>
[[gnu::noinline, gnu::cold]] void invoke_from_outside(handed_on<Bodies>... bodies);

// A call until all else is decided. It handles exceptions, so that the function that forks does not. Otherwise no
// compiler moves the test that ends the recursion to where that function is called, and half of all calls are for that
// test. By value, so that captures stay in registers if it stays a call.
template <class Runtime, class First, class Second>
inline void invoke_two(handed_on<First> first, handed_on<Second> second) {
    auto* const here = Runtime::worker::current();
    if (!here) [[unlikely]]
        return invoke_from_outside<Runtime, First, Second>(first, second);
    if constexpr (!std::is_reference_v<Second> && std::is_invocable_v<const std::remove_reference_t<Second>&>)
        Runtime::both(*here, first, std::as_const(second));
    else
        Runtime::both(*here, first, second);
}

#if defined(__GNUC__) && !defined(__clang__)
// Whether a closure ends with a value that is smaller than a pointer, as that of [&x, n] does. Only then a member fits
// behind it, because references fill a closure.
template <class Closure>
struct and_a_byte {
    [[no_unique_address]] Closure closure;
    char byte;
};
template <class Closure>
constexpr bool ends_with_small_value = std::is_trivially_copyable_v<Closure> && !std::is_empty_v<Closure> &&
                                       sizeof(and_a_byte<Closure>) == sizeof(Closure);
// Then g++ moves the test in any case, and at -O2 gains a quarter if the fork is no call, but the handler is. With
// captures by reference it does not move the test of a function that has no call here, and loses a tenth. (Clang loses
// with either.)
template <class Runtime, class First, class Second>
constexpr bool forks_in_place = requires(typename Runtime::worker& here, First& first, const Second& second) {
    requires ends_with_small_value<First> && ends_with_small_value<Second>;
    requires std::is_invocable_v<const Second&>;
    Runtime::template both<true>(here, first, second);
};
#else
template <class, class, class>
constexpr bool forks_in_place = false;
#endif

}  // namespace detail

template <class Runtime = detail::default_task_runtime, class First, class Second, class... Others>
[[gnu::always_inline]] inline void parallel_invoke(First&& first, Second&& second, Others&&... others) {
    if constexpr (sizeof...(Others) == 0 && detail::forks_in_place<Runtime, First, Second>) {
        auto* const here = Runtime::worker::current();
        if (!here) [[unlikely]]
            return detail::invoke_from_outside<Runtime, First, Second>(first, second);
        Runtime::template both<true>(*here, first, std::as_const(second));
    } else if constexpr (sizeof...(Others) == 0) {
        detail::invoke_two<Runtime, First, Second>(first, second);
    } else {
        const auto rest = [&] { parallel_invoke<Runtime>(second, others...); };
        parallel_invoke<Runtime>(rest, first);
    }
}

template <class Runtime, class... Bodies>
void detail::invoke_from_outside(handed_on<Bodies>... bodies) {
    detail::basic_task_scheduler<Runtime>::common().run([&] { parallel_invoke<Runtime>(bodies...); });
}

}  // namespace croft
