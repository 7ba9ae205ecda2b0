#pragma once
// How a worker without work sleeps, and how one of the sleeping workers is woken when there is some.
//
// A doorbell (channel/doorbell.hpp, sleep.md) is rung for an event of its owner's. Here any sleeper will do, and one is
// enough. A thread *claims* a sleeper before it wakes it, so that two tasks wake two workers and not one worker twice.

#include <atomic>
#include <chrono>
#include <cstdint>

#include <croft/channel/doorbell.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

// How many of a crew's workers sleep and are not claimed.
template <template <class> class Atomic = std::atomic>
struct sleeper_count {
    alignas(port::cache_line) Atomic<std::uint32_t> asleep{0};
};

template <template <class> class Atomic = std::atomic, class World = waits::operating_system>
class sleeper {
public:
    // The spin before it is the worker's own, because the worker looks for work meanwhile.
    sleeper() { bell_.spin_for(std::chrono::nanoseconds{0}); }

    // Sleeps until woken, unless there_is_work() says that it need not. The look comes behind a heavy fence, after
    // this worker has made known that it sleeps.
    template <class Look>
    void sleep(sleeper_count<Atomic>& count, Look there_is_work) {
        state_.store(asleep, std::memory_order_relaxed);
        // Relaxed, both: the heavy fence orders them.
        count.asleep.fetch_add(1, std::memory_order_relaxed);
        bell_.wait([&](auto) { return state_.load(std::memory_order_relaxed) == awake || there_is_work(); });
        // Woken for no reason, or by work that it saw: it claims itself.
        if (state_.exchange(awake, std::memory_order_relaxed) == asleep)
            count.asleep.fetch_sub(1, std::memory_order_relaxed);
    }

    // True if it slept and this call wakes it. To be called after what it shall find was stored, and a light fence.
    bool wake(sleeper_count<Atomic>& count) {
        if (state_.load(std::memory_order_relaxed) == awake) return false;
        if (state_.exchange(awake, std::memory_order_relaxed) == awake) return false;
        count.asleep.fetch_sub(1, std::memory_order_relaxed);
        bell_.notify();
        return true;
    }

private:
    static constexpr std::uint32_t awake = 0, asleep = 1;
    waits::doorbell<Atomic, World> bell_;
    Atomic<std::uint32_t> state_{awake};
};

}  // namespace croft::detail
