#pragma once
// What a program must not do, and what cannot be told it by an exception without cost: debug builds (without NDEBUG)
// end with the sentence. Nothing on a simulated machine, whose programs have no debug builds.

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

}  // namespace croft::port
