#pragma once
// Things that a program must not do, and that an exception cannot tell it without cost: debug builds (without NDEBUG)
// end with the sentence. Nothing on a simulated machine, whose programs have no debug builds.

#include <concepts>
#include <cstdio>
#include <cstdlib>

#include <croft/port/port.hpp>

namespace croft::port {

[[gnu::always_inline]] inline void check_use([[maybe_unused]] bool right, [[maybe_unused]] const char* sentence) {
#if !defined(NDEBUG)
    if constexpr (!waits_on_lines)
        if (!right) [[unlikely]] {
            std::fprintf(stderr, "%s\n", sentence);
            std::abort();
        }
#endif
}
// The same where looking costs something: only debug builds call it.
template <std::predicate Right>
[[gnu::always_inline]] inline void check_use([[maybe_unused]] Right right, [[maybe_unused]] const char* sentence) {
#if !defined(NDEBUG)
    if constexpr (!waits_on_lines) check_use(static_cast<bool>(right()), sentence);
#endif
}

}  // namespace croft::port
