#pragma once
// The doorbell (doorbell.hpp) of several threads that wait for the same events. They sleep in the operating system, and
// an event wakes one of them.
//
// A sleeper counts itself, notes how often was rung, and looks once more behind a heavy fence. A ringer sets its event
// and looks behind a light fence whether anybody is counted. So the proof of sleep.md holds: the look finds the event,
// or the ringer finds the sleeper. The sleeper sleeps only as long as the number of rings is the noted one. If a ring
// came before it was noted, the look finds that ring's event, because the number is released and acquired. If it came
// later, the sleeper does not fall asleep, or is woken.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include <croft/channel/doorbell.hpp>
#include <croft/channel/timed.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

template <template <class> class Atomic, class World>
class alignas(port::cache_line) event_count {
public:
    event_count() { World::prepare(); }

    template <class Scan>
    void wait(Scan scan) {
        if (World::spin(scan, longest_spin)) return;
        sleep(scan, [this](std::uint32_t rings) { return World::sleep_while(rings_, rings), true; });
    }
    // The same until `end` at the latest; false if that has passed.
    template <class Scan>
    bool wait_until(Scan scan, deadline end) {
        const std::chrono::nanoseconds left = World::time_until(end);
        if (left.count() <= 0) return false;
        if (World::spin(scan, std::min(longest_spin, left))) return true;
        return sleep(scan, [&](std::uint32_t rings) { return World::sleep_while_until(rings_, rings, end); });
    }

    // Wakes one of those who sleep. Another thread may have used the event by then; it sleeps again.
    [[gnu::always_inline]] void notify() {
        if (is_awaited()) [[unlikely]]
            ring(1);
    }
    // Wakes all: for an event that is all of theirs.
    void notify_all() {
        if (is_awaited()) ring(sleepers_.load(std::memory_order_relaxed));
    }
    // Whether anybody may be asleep. Relaxed: the light fence orders it after the event's store.
    [[gnu::always_inline]] bool is_awaited() const {
        World::light_fence();
        return sleepers_.load(std::memory_order_relaxed) != 0;
    }

private:
    static constexpr std::chrono::nanoseconds longest_spin = waits::doorbell<Atomic, World>::default_spin;

    template <class Scan, class Sleep>
    bool sleep(Scan& scan, Sleep sleep_while) {
        // Relaxed: the fence orders it before the look. Acquire: see above.
        sleepers_.fetch_add(1, std::memory_order_relaxed);
        const std::uint32_t rings = rings_.load(std::memory_order_acquire);
        World::heavy_fence();
        const bool in_time = scan(relaxed_load{}) || sleep_while(rings);
        sleepers_.fetch_sub(1, std::memory_order_relaxed);  // a ringer that still counts it wakes nobody, or another
        return in_time;
    }
    [[gnu::noinline]] void ring(std::uint32_t sleepers) {
        rings_.fetch_add(1, std::memory_order_release);
        for (; sleepers > 0; --sleepers) World::wake_one(rings_);
    }

    Atomic<std::uint32_t> sleepers_{0};
    Atomic<std::uint32_t> rings_{0};
};

// Several threads wait at one place with this, if each of them would wait with a `Wait` of its own elsewhere. A policy
// that only looks again has nothing to share.
template <class Wait>
struct wait_of_several {
    using type = Wait;
};
template <class Wait>
    requires requires { typename Wait::of_several; }
struct wait_of_several<Wait> {
    using type = typename Wait::of_several;
};

}  // namespace croft::detail
