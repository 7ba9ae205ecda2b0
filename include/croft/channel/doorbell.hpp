#pragma once
// Waiting natively. The waiter spins for a bounded time, or gives others a few turns if the thread that it waits for
// needs this core. Then it sleeps in the operating system. A thread that sets an event rings, but only if the other
// side sleeps. Finding out costs it one load of a line that hardly ever changes. sleep.md tells the states, the race
// and why no wake-up is lost.
//
// One doorbell belongs to one waiting thread; any number of channels and threads may ring it. An owner that is no
// thread, for example a coroutine, does not wait: it names a ring_listener to be told, and goes.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <type_traits>

#include <croft/channel/courtesy.hpp>
#include <croft/channel/flag.hpp>
#include <croft/channel/timed.hpp>
#include <croft/port/misuse.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

template <template <class> class Atomic, class World>
class event_count;  // event_count.hpp

}  // namespace croft::detail

namespace croft::waits {

// The system calls and clock that a doorbell needs. A test puts its own in, to drive every interleaving.
struct operating_system {
    static void prepare() { port::decide_fences(); }
    static void light_fence() { port::light_fence(); }
    static void heavy_fence() { port::heavy_fence(); }
    static void full_fence() { port::full_fence(); }
    static void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
        port::sleep_while(word, value);
    }
    static bool sleep_while_until(const std::atomic<std::uint32_t>& word, std::uint32_t value, detail::deadline end) {
        return port::sleep_while_until(word, value, end);
    }
    static int this_core() { return port::current_core(); }
    static std::chrono::nanoseconds time_until(detail::deadline end) { return croft::detail::time_until(end); }
    static void wake_one(const std::atomic<std::uint32_t>& word) { port::wake_one(word); }

    // Looks until `scan` is true or `limit` has passed. A number of looks would be no bound: the time that a pause
    // takes differs by a factor of ten between machines. Where threads share a core, it differs by any factor.
    template <class Scan>
    static bool spin(Scan& scan, std::chrono::nanoseconds limit) {
        if (limit.count() <= 0) return false;
        const auto look = [&scan] {
            for (int looks = 0; looks < 16; ++looks) {
                if (scan(detail::relaxed_load{})) return true;
                port::pause();
            }
            return false;
        };
        if (look()) return true;  // before the clock is read, which takes as long as a line takes to come
        const detail::deadline end = detail::deadline_after(limit);
        do {
            if (look()) return true;
        } while (std::chrono::steady_clock::now() < end);
        return false;
    }

    // The same where the core is others' too: they have it first, a few times, if that is worth it (courtesy.hpp).
    template <class Scan>
    static bool give_way(Scan& scan) {
        courtesy& mine = courtesy_of_this_thread();
        if (!mine.is_due()) return false;
        bool found = false;
        std::chrono::nanoseconds gone{0};
        const auto begin = std::chrono::steady_clock::now();
        for (int turns = 0; turns < 3 && !found && gone <= courtesy::long_time; ++turns) {
            port::give_way();
            gone = std::chrono::steady_clock::now() - begin;
            found = scan(detail::relaxed_load{});
        }
        mine.gone_for(gone);
        return found;
    }
    static courtesy& courtesy_of_this_thread() {
        static thread_local courtesy one;
        return one;
    }
};

// The listener that a ring tells, in the place of a thread that would wake up.
class ring_listener {
public:
    // Called by the ringer, in the middle of its send or receive: it has to be short, call neither, and throw nothing.
    virtual void rung() = 0;

protected:
    ~ring_listener() = default;
};

template <template <class> class Atomic, class World>
class alignas(port::cache_line) doorbell {
public:
    // For several threads that wait at the same place.
    using of_several = detail::event_count<Atomic, World>;

    // A wake-up across cores takes about 30 microseconds: spinning for about as long at most doubles any wait.
    static constexpr std::chrono::nanoseconds default_spin{30'000};

    doorbell() { World::prepare(); }

    // How long to spin before sleeping; 0 where threads have to share cores, and a spinner only keeps out the one that
    // it waits for. To be set by the owner or before the threads start.
    void spin_for(std::chrono::nanoseconds limit) { limit_ = limit; }

    // For an owner that would sleep for nearly every event, because its core is others' as well. Instead of spinning it
    // lets these go first. Its fences are two full ones, because a heavy one interrupts all cores at each sleep. That
    // costs more than a full one at each ring. Under the same conditions as spin_for().
    void share_cores() {
        limit_ = std::chrono::nanoseconds{0};
        if constexpr (tells_apart) gives_way_ = true;
        kind_ = full_fences;
        sleeps_.store(kind_ | awake, std::memory_order_relaxed);
    }
    // That alone, the two full fences: for an owner that cannot have heavy ones. Under the same conditions.
    void fence_fully()
        requires requires { World::fences_fully_and_spins; }
    {
        kind_ = full_fences;
        sleeps_.store(kind_ | awake, std::memory_order_relaxed);
    }

    template <class Scan>
    void wait(Scan scan) {
        if (is_soon(scan, limit_) || !is_to_sleep(scan, asleep)) return;
        // Acquire: the ringer's event is there to be seen when it wakes us. (Were it not, we should only sleep again.)
        const std::uint32_t as = kind_ | asleep;
        while (sleeps_.load(std::memory_order_acquire) == as) World::sleep_while(sleeps_, as);
    }
    // The same until `end` at the latest; false if that has passed.
    template <class Scan>
    bool wait_until(Scan scan, detail::deadline end) {
        const std::chrono::nanoseconds left = World::time_until(end);
        if (left.count() <= 0) return false;
        if (is_soon(scan, std::min(limit_, left)) || !is_to_sleep(scan, asleep)) return true;
        return sleeps_until(end);
    }
    // wait(), but false if it has slept for so long: for who then looks after something else. Unlike wait_until() it
    // reads no clock unless it sleeps.
    template <class Scan>
    bool wait_sleeping(Scan scan, std::chrono::nanoseconds longest) {
        if (is_soon(scan, limit_) || !is_to_sleep(scan, asleep)) return true;
        return sleeps_until(detail::deadline_after(longest));
    }

    // Waits for nothing: the next who rings tells `who`, once, perhaps for no reason, and perhaps before this returns.
    // So after true the caller leaves alone what whoever is told will use. False: `scan` was true, or somebody has rung
    // meanwhile, and nobody is told; the caller looks again.
    template <class Scan>
    bool tell_when_rung(Scan scan, ring_listener& who) {
        if (!is_to_sleep(scan, deciding)) return false;
        listener_ = &who;
        // Release: the ringer sees who is to be told, and all that one knows. Relaxed otherwise: a ring that came while
        // this decided has told nobody. Its event is found by looking again (sleep.md).
        std::uint32_t before = kind_ | deciding;
        return sleeps_.compare_exchange_strong(before, kind_ | elsewhere, std::memory_order_release,
                                               std::memory_order_relaxed);
    }

    [[gnu::always_inline]] void notify() {
        World::light_fence();
        // Relaxed: the light fence orders it after the event's store, for a sleeper behind its heavy fence. (An owner
        // of full fences is never `awake` alone, so that for others it costs nothing that there are such.)
        if (sleeps_.load(std::memory_order_relaxed) != awake) [[unlikely]]
            ring();
    }

private:
    [[gnu::noinline]] void ring() {
        // Written by share_cores() or fence_fully() before there were ringers, and in every value since.
        const std::uint32_t kind = sleeps_.load(std::memory_order_relaxed) & full_fences;
        if (kind) {
            World::full_fence();  // the ringer's of two; then the look that counts
            if (sleeps_.load(std::memory_order_relaxed) == (kind | awake)) return;
        }
        // If several ring, one wins, and makes the one system call, or tells the one listener. Release: see the
        // sleeper's acquire. Acquire: see tell_when_rung().
        const std::uint32_t before = sleeps_.exchange(kind | awake, std::memory_order_acq_rel) & ~full_fences;
        if (before == elsewhere) return listener_->rung();
        if (before != asleep) return;
        if constexpr (knows_cores) rung_from_.store(World::this_core(), std::memory_order_relaxed);
        World::wake_one(sleeps_);
    }

    static constexpr bool knows_cores = requires { World::this_core(); };
    // Whether others are to go first, because a spin would keep them out. So it is, too, if the last ringer runs on
    // this core: it cannot get on while this thread spins. Were it elsewhere by now, its next ring would tell.
    // (Relaxed: a hint.)
    bool shares_its_core() const {
        if constexpr (knows_cores) {
            const int from = rung_from_.load(std::memory_order_relaxed);
            if (from >= 0 && limit_.count() > 0 && from == World::this_core()) return true;
        }
        if constexpr (tells_apart)
            return gives_way_;
        else
            return kind_ != 0;
    }
    template <class Scan>
    bool is_soon(Scan& scan, std::chrono::nanoseconds limit) {
        return shares_its_core() ? World::give_way(scan) : World::spin(scan, limit);
    }
    bool sleeps_until(detail::deadline end) {
        const std::uint32_t as = kind_ | asleep;
        while (sleeps_.load(std::memory_order_acquire) == as)  // acquire: as in wait()
            if (!World::sleep_while_until(sleeps_, as, end)) {
                sleeps_.store(kind_ | awake, std::memory_order_relaxed);  // as below; sleep.md
                return false;
            }
        return true;
    }
    template <class Scan>
    bool is_to_sleep(Scan& scan, std::uint32_t as) {
        // (Not under the explorer, for which it would be another step.)
        if constexpr (std::is_same_v<Atomic<std::uint32_t>, std::atomic<std::uint32_t>>)
            port::check_use([this] { return sleeps_.load(std::memory_order_relaxed) == (kind_ | awake); },
                            "croft::waits::doorbell: two threads wait with the same one");
        // Relaxed: the fence orders it before the scan, for every thread that has one of its own behind its event.
        sleeps_.store(kind_ | as, std::memory_order_relaxed);
        if (kind_)
            World::full_fence();
        else
            World::heavy_fence();
        if (!scan(detail::relaxed_load{})) return true;
        sleeps_.store(kind_ | awake, std::memory_order_relaxed);  // only saves a ring; a late one wakes nobody
        return false;
    }

    // asleep: the owner sleeps or is about to; the thread that makes it awake has to wake it. deciding: the owner may
    // be about to register; the thread that makes it awake only keeps it from that. elsewhere: it has registered; the
    // thread that makes it awake tells.
    static constexpr std::uint32_t awake = 0, asleep = 1, deciding = 2, elsewhere = 3;
    // Beside each of them, for ever, if both fences are full ones.
    static constexpr std::uint32_t full_fences = 4;
    Atomic<std::uint32_t> sleeps_{awake};
    Atomic<int> rung_from_{-1};          // the core of who rang last while the owner slept; -1: nobody yet
    ring_listener* listener_ = nullptr;  // the owner's; the ringer's that makes `elsewhere` awake
    std::chrono::nanoseconds limit_ = default_spin;
    std::uint32_t kind_ = 0;  // or full_fences
    // In most worlds who fences fully does so because it shares its core.
    static constexpr bool tells_apart = requires { World::fences_fully_and_spins; };
    struct no_word {};
    [[no_unique_address]] std::conditional_t<tells_apart, bool, no_word> gives_way_{};
};

}  // namespace croft::waits
