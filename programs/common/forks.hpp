#pragma once
// The two ways to run one divide-and-conquer program: by tasks, and as the sequential program that it is without them.

#include <cstddef>
#include <utility>

#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_invoke.hpp>

namespace programs {

template <class Runtime>
struct by_tasks {
    template <class... Bodies>
    [[gnu::always_inline]] static void invoke(Bodies&&... bodies) {
        croft::parallel_invoke<Runtime>(std::forward<Bodies>(bodies)...);
    }
    template <class Index, class Body>
    static void for_each(Index first, Index last, Body&& body, std::size_t grain) {
        croft::parallel_for<Runtime>(first, last, body, {.grain = grain});
    }
};

struct in_sequence {
    template <class... Bodies>
    [[gnu::always_inline]] static void invoke(Bodies&&... bodies) {
        (bodies(), ...);
    }
    template <class Index, class Body>
    static void for_each(Index first, Index last, Body&& body, std::size_t) {
        for (Index i = first; i < last; ++i) body(i);
    }
};

}  // namespace programs
