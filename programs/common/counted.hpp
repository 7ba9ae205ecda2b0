#pragma once
// Policies whose slots a simulated many-core counts requests for (paper 000, figures 11 and 15). They have the same
// homes, whose lines are named to the machine when they are made. State that a side keeps to itself is not counted.

#include <croft/memory/home.hpp>
#include <croft/port/port.hpp>

namespace programs {

// Names memory to the machine; elsewhere than on a many-core there is nothing that counts.
inline void count_requests([[maybe_unused]] const void* at, [[maybe_unused]] std::size_t bytes) {
#if defined(CROFT_MANY_CORE)
    croft::port::count_requests(at, bytes);
#endif
}

template <class Lines>
struct counted_lines : Lines {
    explicit counted_lines(const Lines& lines) : Lines(lines) {}
    void constructed(const void* first, std::size_t size) const {
        Lines::constructed(first, size);
        count_requests(first, size);
    }
};

template <class Policies>
struct counted : Policies {
    struct home : Policies::home {
        home(const typename Policies::home& as) : Policies::home(as) {}
        static home between(croft::detail::ends cores) { return Policies::home::between(cores); }
        auto at(croft::detail::part what) const { return counted_lines(Policies::home::at(what)); }
    };
};

}  // namespace programs
