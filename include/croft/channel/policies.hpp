#pragma once
// The three decisions, in one place: every channel and pattern takes them as its last parameter. To change one, derive:
//
//     struct paper : croft::policies { using events = croft::events::flags<croft::events::booleans>; };
//     croft::channel<int, paper> there(1);

#include <atomic>

#include <croft/channel/events.hpp>
#include <croft/channel/wait.hpp>
#include <croft/memory/home.hpp>
#include <croft/port/port.hpp>

namespace croft {

namespace detail {

template <template <class> class Atomic>
struct basic_policies {
    using home = homes::hashed;   // where a slot's lines are homed
    using events = events::best;  // how an event travels
    using wait = waits::best;     // how a waiter waits
    template <class T>
    using atomic = Atomic<T>;
    // Whether a receiver may leave a stream before its end. A sender that waits then looks at one word more. On a
    // machine where cores sleep on lines that is one line more to watch, so there you have to ask for it.
    static constexpr bool receivers_leave = !port::waits_on_lines;
};

}  // namespace detail

struct policies : detail::basic_policies<std::atomic> {};

}  // namespace croft
