#pragma once
// How caches are kept coherent, in which the paper's figures 3a and 3b differ.

#include <atomic>
#include <cstdint>

#include <croft/paper/task/place.hpp>
#include <croft/port/port.hpp>
#include <croft/task/show_all.hpp>

namespace croft::paper {

// The hardware: locks and counts that acquire and release are all it takes.
struct by_hardware {
    static constexpr auto acquire = std::memory_order_acquire, release = std::memory_order_release,
                          both = std::memory_order_acq_rel;
    static void invalidate(place) {}
    static void flush(place) {}
    template <class Count>
    static std::int32_t read(Count& count) {
        return count.load(acquire);
    }
    template <class Lock>
    static void leave(Lock& lock) {
        lock.store(0, release);
    }
};

// The program, with cache_invalidate and cache_flush where the figure has them. On a many-core atomics are relaxed: on
// its software-coherent L1s an acquire would invalidate and a release flush once more. Invalidate and flush also keep
// accesses before them before those after them. Natively both are nothing, so there atomics have to order.
struct by_software {
    static constexpr auto acquire = port::is_many_core ? std::memory_order_relaxed : std::memory_order_acquire,
                          release = port::is_many_core ? std::memory_order_relaxed : std::memory_order_release,
                          both = port::is_many_core ? std::memory_order_relaxed : std::memory_order_acq_rel;
    static void invalidate(place) { port::cache_invalidate(); }
    static void flush(place) { detail::show_all(); }
    // amo_or: a load could find an old value in the own cache for ever.
    template <class Count>
    static std::int32_t read(Count& count) {
        return count.fetch_or(0, acquire);
    }
    // An atomic too: a store could stay in a cache that writes back, and nobody would ever get the lock.
    template <class Lock>
    static void leave(Lock& lock) {
        lock.exchange(0, release);
    }
};

}  // namespace croft::paper
