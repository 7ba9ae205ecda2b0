#pragma once
// The world of interrupt_protocol.hpp on a many-core whose cores interrupt each other (port::feature::core_interrupts).

#include <croft/port/port.hpp>

#if defined(CROFT_MANY_CORE)

#include <atomic>

#include <croft/paper/task/place.hpp>
#include <croft/task/show_all.hpp>

namespace croft::paper {

struct user_interrupts {
    template <class T>
    using atomic = std::atomic<T>;
    static void disable() { port::disable_interrupts(); }
    static void enable() { port::enable_interrupts(); }
    // By a handler: behind it, too.
    static void stay_disabled() { port::keep_interrupts_disabled(); }
    static void invalidate(place) { port::cache_invalidate(); }
    static void flush(place) { detail::show_all(); }
};

}  // namespace croft::paper

#endif
