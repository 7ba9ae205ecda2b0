#pragma once
// The doorbells (channel/doorbell.hpp) of a process that others ring. A doorbell has to lie where both sides see it. A
// thread that waits at several channels has one for all of them, whose other sides know nothing of each other. So a
// process has its doorbells in memory of their own, which others map when they first have to ring one. A doorbell's
// name tells them where. shared.md tells why no wake-up is lost between processes either; the waiters are in
// waiter.hpp.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <croft/channel/doorbell.hpp>
#include <croft/channel/timed.hpp>
#include <croft/mpi/error.hpp>
#include <croft/mpi/shared_memory.hpp>
#include <croft/port/between_processes.hpp>

namespace croft::mpi {

// The system calls and clock that such a doorbell needs.
struct between_processes : croft::waits::operating_system {
    static constexpr bool fences_fully_and_spins = true;  // where the kernel has no heavy fence between processes
    static void prepare() { detail::os::has_heavy_fence(); }
    static void light_fence() { detail::os::light_fence(); }
    static void heavy_fence() { detail::os::heavy_fence(); }
    static void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
        detail::os::sleep_while(word, value);
    }
    static bool sleep_while_until(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                                  croft::detail::deadline end) {
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
    // How many of these a process may have at a time. Those that were never used take no memory.
    static constexpr std::uint32_t most = 1u << 16;

    static doorbells& of_this_process() {
        static auto* const one = new doorbells;
        return *one;
    }

    // For an owner that shares cores, or for one that does not. A doorbell stays of its kind for ever. Throws `error`.
    std::pair<doorbell*, name> take(bool shares_cores) {
        const std::scoped_lock lock(mutex_);
        std::vector<std::uint32_t>& free = free_[shares_cores];
        if (!free.empty()) {
            const std::uint32_t index = free.back();
            free.pop_back();
            // Left as it is. A thread that rang here before may do so once more without a reason, as after any delay
            // (sleep.md).
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

}  // namespace croft::mpi
