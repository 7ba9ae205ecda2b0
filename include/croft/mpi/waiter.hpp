#pragma once
// What a thread waits with at channels in shared memory, whose other side is another process: a wait policy
// (channel/wait.hpp) around a doorbell (channel/doorbell.hpp) that processes ring. README.md tells why no wake-up is
// lost between them either.
//
// The doorbell has to lie where both sides see it, and a thread that waits at several channels has one for all of them,
// whose other sides know nothing of each other. So a process has its doorbells in memory of their own, which others map
// when they first have to ring one; a doorbell's name tells them where. Of a waiter that was made by such a name only
// notify() is called.
//
// Who sleeps gets up each second and asks whether those it waits for still live; if one does not, and has not said that
// it would go, wait() throws `error` with its rank. Nothing of that is in the way of who does not sleep so long.
//
// A coroutine cannot wait here (async_receive): whoever rings would have to run it, in another process.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <croft/channel/doorbell.hpp>
#include <croft/channel/flag.hpp>
#include <croft/channel/timed.hpp>
#include <croft/mpi/error.hpp>
#include <croft/mpi/shared_memory.hpp>
#include <croft/port/between_processes.hpp>

namespace croft::mpi {

// What such a doorbell needs of the world.
struct between_processes : croft::waits::operating_system {
    static constexpr bool fences_fully_and_spins = true;  // where the kernel has no heavy fence between processes
    static void prepare() { detail::os::has_heavy_fence(); }
    static void light_fence() { detail::os::light_fence(); }
    static void heavy_fence() { detail::os::heavy_fence(); }
    static void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
        detail::os::sleep_while(word, value);
    }
    static bool sleep_while_until(const std::atomic<std::uint32_t>& word, std::uint32_t value, deadline end) {
        return detail::os::sleep_while_until(word, value, end);
    }
    static void wake_one(const std::atomic<std::uint32_t>& word) { detail::os::wake_one(word); }
};

namespace detail {

using doorbell = croft::waits::doorbell<std::atomic, between_processes>;
static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "a lock would be one process's");

// One for each process that has any: its own doorbells, and those of others that it has mapped. Never destroyed: a
// process that ends is still rung for.
class doorbells {
public:
    struct name {
        shared_memory::name memory;
        std::uint32_t index = 0;
    };
    // How many waiters a process may have at a time. Those that were never used take no memory.
    static constexpr std::uint32_t most = 1u << 16;

    static doorbells& of_this_process() {
        static auto* const one = new doorbells;
        return *one;
    }

    // For an owner that shares cores, or does not; which of both a doorbell is, it is for ever. Throws `error`.
    std::pair<doorbell*, name> take(bool shares_cores) {
        const std::scoped_lock lock(mutex_);
        std::vector<std::uint32_t>& free = free_[shares_cores];
        if (!free.empty()) {
            const std::uint32_t index = free.back();
            free.pop_back();
            // As it is: whoever rang here before may do so once more, for no reason, as after any delay (sleep.md).
            if (!shares_cores) at(own_, index)->spin_for(doorbell::default_spin);
            return {at(own_, index), {own_.named(), index}};
        }
        if (used_ == most) throw error("croft::mpi: a process has more than " + std::to_string(most) + " waiters");
        doorbell* const bell = ::new (own_.data() + used_ * sizeof(doorbell)) doorbell;
        if (!os::has_heavy_fence()) bell->fence_fully();
        if (shares_cores) bell->share_cores();
        return {bell, {own_.named(), used_++}};
    }
    void give_back(std::uint32_t index, bool shares_cores) {
        const std::scoped_lock lock(mutex_);
        free_[shares_cores].push_back(index);
    }
    // Throws `error`. `rank`: whose.
    doorbell* find(const name& of, int rank) {
        os::has_heavy_fence();
        const std::scoped_lock lock(mutex_);
        if (of.memory.maker == own_.named().maker) return at(own_, of.index);
        const auto key = std::pair(of.memory.maker.id, of.memory.maker.began);
        auto found = others_.find(key);
        if (found == others_.end()) found = others_.emplace(key, shared_memory(of.memory, rank)).first;
        return at(found->second, of.index);
    }

private:
    doorbells() : own_(most * sizeof(doorbell)) {}
    static doorbell* at(const shared_memory& in, std::uint32_t index) {
        return std::launder(reinterpret_cast<doorbell*>(in.data() + index * sizeof(doorbell)));
    }

    std::mutex mutex_;
    shared_memory own_;
    std::uint32_t used_ = 0;
    std::array<std::vector<std::uint32_t>, 2> free_;
    std::map<std::pair<std::int64_t, std::uint64_t>, shared_memory> others_;
};

}  // namespace detail

class waiter {
public:
    using name = detail::doorbells::name;
    // How long a peer may be dead before who sleeps is told of it.
    static constexpr std::chrono::seconds longest_sleep{1};

    enum class cores { own, shared };

    // One's own; on cores that others use as well, what share_cores() of doorbell.hpp is for. Throws `error`.
    explicit waiter(cores on = cores::own) : waiter(detail::doorbells::of_this_process().take(on == cores::shared)) {
        is_own_ = true;
        shares_cores_ = on == cores::shared;
    }
    // Another's, of that rank, to be rung.
    waiter(const name& of, int rank) : waiter({detail::doorbells::of_this_process().find(of, rank), of}) {}
    ~waiter() {
        if (is_own_) detail::doorbells::of_this_process().give_back(name_.index, shares_cores_);
    }
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;

    const name& named() const { return name_; }

    // See doorbell.hpp.
    void spin_for(std::chrono::nanoseconds limit) { bell_->spin_for(limit); }

    // By its owner, while it does not wait: also for that process, whose rank is as told, unless has_gone() says that
    // nothing is expected of it any more. `whom`: for forget().
    void watch(const void* whom, const detail::os::process& other, int rank, std::function<bool()> has_gone) {
        watched_.push_back({whom, other, rank, std::move(has_gone)});
    }
    void forget(const void* whom) {
        std::erase_if(watched_, [whom](const watched& one) { return one.whom == whom; });
    }

    // ---- what a wait policy has ----

    template <class Scan>
    void wait(Scan scan) {
        if (!bell_->wait_sleeping(scan, longest_sleep)) look_after_them(scan);
    }
    template <class Scan>
    bool wait_until(Scan scan, deadline end) {
        const deadline now = std::chrono::steady_clock::now(), look = std::min(end, now + longest_sleep);
        if (bell_->wait_until(scan, look)) return true;
        // Who waits for a short time again and again looks after them as often as who waits for long.
        if (look >= next_look_) {
            look_after_them(scan);
            next_look_ = look + longest_sleep;
        }
        return look < end;  // then for no reason
    }
    [[gnu::always_inline]] void notify() { bell_->notify(); }

private:
    struct watched {
        const void* whom;
        detail::os::process other;
        int rank;
        std::function<bool()> has_gone;
    };

    explicit waiter(std::pair<detail::doorbell*, name> one) : bell_(one.first), name_(one.second) {}

    // What one did before it died can be seen by who knows that it is dead; so that is looked for once more, behind.
    template <class Scan>
    [[gnu::noinline]] void look_after_them(Scan& scan) const {
        for (const watched& one : watched_)
            if (!one.other.lives() && !one.has_gone() && !scan(relaxed_load{}))
                throw error("croft::mpi: rank " + std::to_string(one.rank) + " has died, and is waited for", one.rank);
    }

    detail::doorbell* bell_;
    name name_;
    bool is_own_ = false, shares_cores_ = false;
    std::vector<watched> watched_;
    deadline next_look_{};
};

}  // namespace croft::mpi
