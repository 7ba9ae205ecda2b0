#pragma once
// A wait policy (channel/wait.hpp) for a thread of a process. It waits for all events that the thread may wait for at
// the same time, whoever brings them.
//
//     croft::mpi::waiter mine;
//     croft::channel<int, croft::mpi::policies> local(64, {}, nullptr, &mine);          // from a thread
//     croft::mpi::channel<int> near(group, 1, 0, {.receiver_waiter = &mine});           // from a process of this node
//     croft::mpi::channel<int> far(group, 2, 0, {.receiver_waiter = &mine});            // from one of another node
//     while (croft::wait_any(local, near, far)) look_at(local.try_receive(), near.try_receive(), far.try_receive());
//
// Threads of its own process ring a doorbell (channel/doorbell.hpp) that lies in it, as ever. Processes of its node
// cannot see that doorbell. So when the first channel that crosses memory asks for its name(), it gets a doorbell that
// they can see (doorbells.hpp). It keeps that from then on, for all. If a waiter is made by such a name, only its
// notify() is called.
//
// MPI gets on only when it is called, and cannot wake anybody; so a thread that waits for it has to look again and
// again. That is so while there is a channel or pattern that has told so (naps_for). The owner then looks without a
// pause for a bounded time, in turns with others if it shares its core. After that it sleeps between two looks, for an
// eighth of the time that it has waited (20 microseconds to a millisecond). Any ring ends such a nap. The price is
// latency: a message that comes during a nap is found at its end. So it is found after a wait that is an eighth longer.
// The time that the operating system takes to wake a thread comes on top. (Linux: about 50 microseconds more than was
// asked for.) Measured on two cores of a busy virtual machine (bench/mpi/channel.cpp): an idle process takes 1.3 to 3.8
// % of a core. It finds a message half a millisecond late in the median, once its naps have grown to one. A thread that
// waits for no MPI sleeps without looking.
//
// A thread that sleeps asks once a second whether the processes it waits for still live. If one does not, and has not
// said that it would go, wait() throws `error` with its rank. It does so too if that process was to bring something by
// another channel of this waiter's. A thread that does not sleep so long pays nothing for that.
//
// A coroutine cannot wait here (async_receive): the ringer would have to run it, in another process.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <croft/channel/doorbell.hpp>
#include <croft/channel/flag.hpp>
#include <croft/channel/timed.hpp>
#include <croft/mpi/any_scan.hpp>
#include <croft/mpi/doorbells.hpp>
#include <croft/mpi/error.hpp>
#include <croft/port/between_processes.hpp>
#include <croft/port/port.hpp>

namespace croft::mpi {

class waiter {
    using private_bell = croft::waits::doorbell<std::atomic, croft::waits::operating_system>;

public:
    using name = detail::doorbells::name;
    static constexpr std::chrono::nanoseconds first_nap{20'000}, longest_nap{1'000'000};
    // How long to look without a pause before a nap, unless spin_for() has said otherwise: a late message costs more
    // than one that rings.
    static constexpr std::chrono::nanoseconds default_look{50'000};
    // How long a peer may be dead before who sleeps is told of it.
    static constexpr std::chrono::seconds longest_sleep{1};

    waiter() = default;
    // Another's, of that rank, to be rung. Throws `error`.
    waiter(const name& of, int rank) { ring_at(of, rank); }
    ~waiter() {
        if (is_named_) detail::doorbells::of_this_process().give_back(name_.index, shares_cores_);
    }
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;

    // ---- by its owner, before any other thread rings and before it has a name ----

    // See doorbell.hpp: for an owner whose core is others' as well.
    void share_cores() {
        own_.share_cores();
        shares_cores_ = true;
    }

    // ---- by its owner ----

    // How long to look without a pause before sleeping, and before naps.
    void spin_for(std::chrono::nanoseconds limit) {
        spin_ = look_ = limit;
        set_spin();
    }
    // The longest sleep between two looks at MPI.
    void nap_for(std::chrono::nanoseconds longest) { longest_ = std::max(longest, first_nap); }

    // The name by which other processes ring it. The first call gives it a doorbell that they can see. Throws `error`.
    const name& named() {
        if (!is_named_) move_to_shared();
        return name_;
    }

    // There is one thing more, or less, for which MPI has to be looked at.
    void begin_naps() {
        ++naps_;
        set_spin();
    }
    void end_naps() {
        --naps_;
        set_spin();
    }

    // Also for that process, whose rank is as told, unless has_gone() says that nothing is expected of it any more.
    // `end_is_gone`: whether its object is, if that can be found out. `whom`: for forget().
    void watch(const void* whom, const detail::os::process& other, int rank, std::function<bool()> has_gone,
               std::function<bool()> end_is_gone = {}) {
        watched_.push_back({whom, other, rank, std::move(has_gone), std::move(end_is_gone)});
        next_look_ = std::chrono::steady_clock::now() + longest_sleep;
    }
    void forget(const void* whom) {
        std::erase_if(watched_, [whom](const watched& one) { return one.whom == whom; });
    }

    // ---- what a wait policy has ----

    template <class Scan>
    void wait(Scan scan) {
        if (naps_ > 0) {
            naps_until(detail::any_scan::of(scan), croft::detail::deadline::max());
        } else if (watched_.empty()) {
            at_bell([&](auto& bell) { bell.wait(scan); });
        } else if (!at_bell([&](auto& bell) { return bell.wait_sleeping(scan, longest_sleep); })) {
            look_after_them(detail::any_scan::of(scan));
        }
    }
    template <class Scan>
    bool wait_until(Scan scan, croft::detail::deadline end) {
        if (naps_ > 0) return naps_until(detail::any_scan::of(scan), end);
        if (watched_.empty()) return at_bell([&](auto& bell) { return bell.wait_until(scan, end); });
        const croft::detail::deadline look = std::min(end, std::chrono::steady_clock::now() + longest_sleep);
        if (at_bell([&](auto& bell) { return bell.wait_until(scan, look); })) return true;
        look_after_them_now_and_then(detail::any_scan::of(scan), look);
        return look < end;  // then for no reason
    }

    // By whoever has set an event that the owner may wait for.
    //
    // Which doorbell it rings. The owner may be about to have another one (move_to_shared). It stores where that is, N,
    // and makes a heavy fence before it looks at its events and sleeps the next time. This thread has set the event, E,
    // and then loads where to ring, L. The heavy fence puts a full one, F, somewhere into this thread's instructions.
    // If F is before L, then L sees N. Else it is behind L, and so behind E, which is before L in the program (the
    // compiler is told not to reorder them). Then E can be seen before the owner looks. So either this rings at the new
    // one, or the owner does not sleep for lack of this event. Acquire: the doorbell was made before N.
    [[gnu::always_inline]] void notify() {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (detail::doorbell* const bell = shared_.load(std::memory_order_acquire))
            bell->notify();
        else
            own_.notify();
    }

    // ---- for a link: a waiter that is made before its name is known ----

    // From now on this waiter rings the doorbell of that name. Called by the thread that calls notify(), or before.
    void ring_at(const name& of, int rank) {
        shared_.store(detail::doorbells::of_this_process().find(of, rank), std::memory_order_release);
        name_ = of;
    }

private:
    struct watched {
        const void* whom;
        detail::os::process other;
        int rank;
        std::function<bool()> has_gone, end_is_gone;
    };

    void move_to_shared() {
        const auto [bell, where] = detail::doorbells::of_this_process().take(shares_cores_);
        name_ = where;
        is_named_ = true;
        shared_.store(bell, std::memory_order_release);  // acquire: notify()
        set_spin();
        // Once in its life. If a process has no heavy fence, it waits until its threads' stores are there to be seen.
        // (shared.md tells of a process that has lost it.)
        if (detail::os::has_heavy_fence())
            detail::os::heavy_fence();
        else
            detail::os::settle();
    }
    // Relaxed: the owner itself has stored it.
    template <class Action>
    auto at_bell(Action action) {
        detail::doorbell* const bell = shared_.load(std::memory_order_relaxed);
        return bell ? action(*bell) : action(own_);
    }
    // Before a nap it is this that looks, once, and not the doorbell before each.
    void set_spin() {
        if (!shares_cores_)
            at_bell([this](auto& bell) { bell.spin_for(naps_ > 0 ? std::chrono::nanoseconds{0} : spin_); });
    }

    // A look at MPI may throw, and a doorbell is not to be left in the middle of falling asleep. So the exception is
    // kept until the doorbell has returned.
    bool naps_until(detail::any_scan scan, croft::detail::deadline end) {
        std::exception_ptr thrown;
        auto looks = [&](croft::detail::relaxed_load load) {
            try {
                return thrown || scan(load);
            } catch (...) {
                thrown = std::current_exception();
                return true;
            }
        };
        const bool found = looks_and_naps(detail::any_scan::of(looks), end);
        if (thrown) std::rethrow_exception(thrown);
        return found;
    }
    bool looks_and_naps(detail::any_scan scan, croft::detail::deadline end) {
        auto now = std::chrono::steady_clock::now();
        if (now >= end) return false;
        if (looks_awake(scan, std::min<std::chrono::nanoseconds>(look_, end - now))) return true;
        for (const auto began = now;;) {
            now = std::chrono::steady_clock::now();
            if (now >= end) return scan(croft::detail::relaxed_load{});
            const auto step = std::clamp<std::chrono::nanoseconds>((now - began) / 8, first_nap, longest_);
            const croft::detail::deadline next = step < end - now ? now + step : end;
            // True: it was rung, or the last look before falling asleep has found something.
            if (at_bell([&](auto& bell) { return bell.wait_until(scan, next); })) return true;
            if (!watched_.empty()) look_after_them_now_and_then(scan, next);
        }
    }

    // Where others have this core as well they have it between two looks.
    bool looks_awake(detail::any_scan scan, std::chrono::nanoseconds limit) {
        if (!shares_cores_) return waits::operating_system::spin(scan, limit);
        for (const auto end = std::chrono::steady_clock::now() + limit; std::chrono::steady_clock::now() < end;) {
            if (scan(croft::detail::relaxed_load{})) return true;
            port::give_way();
        }
        return false;
    }

    // A thread that waits for a short time again and again looks after them as often as one that waits for long.
    void look_after_them_now_and_then(detail::any_scan scan, croft::detail::deadline now) {
        if (now < next_look_) return;
        look_after_them(scan);
        next_look_ = now + longest_sleep;
    }
    // A thread that knows that a process died, or that its end was destroyed, can see all that it did before. So this
    // looks for that once more, behind. (A look may bring more of them.)
    [[gnu::noinline]] void look_after_them(detail::any_scan scan) const {
        for (std::size_t i = 0; i < watched_.size(); ++i) {
            const watched& one = watched_[i];
            const int rank = one.rank;
            const bool gone = one.end_is_gone && one.end_is_gone();
            if ((!gone && one.other.lives()) || one.has_gone() || scan(croft::detail::relaxed_load{})) continue;
            throw error(
                "croft::mpi: rank " + std::to_string(rank) +
                    (gone ? " has destroyed its end of a channel without close()" : " has died, and is waited for"),
                rank);
        }
    }

    private_bell own_;
    std::atomic<detail::doorbell*> shared_{nullptr};  // the other one, if it has a name
    name name_;
    bool is_named_ = false, shares_cores_ = false;
    int naps_ = 0;
    std::chrono::nanoseconds spin_ = private_bell::default_spin, look_ = default_look, longest_ = longest_nap;
    std::vector<watched> watched_;
    croft::detail::deadline next_look_{};
};

namespace detail {

// As long as it lives, `one` has MPI to look at.
class naps_for {
public:
    explicit naps_for(waiter& one) : one_(&one) { one_->begin_naps(); }
    ~naps_for() { end(); }
    naps_for(const naps_for&) = delete;
    naps_for& operator=(const naps_for&) = delete;
    void end() {
        if (one_) std::exchange(one_, nullptr)->end_naps();
    }

private:
    waiter* one_;
};

}  // namespace detail
}  // namespace croft::mpi
