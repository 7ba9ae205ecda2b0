#pragma once
// The numbers that a scheduler's threads have as workers in regions of others (regions.hpp), as far as nobody has them.

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

namespace croft::detail {

class worker_numbers {
public:
    static constexpr std::size_t none = 0;  // who calls is worker 0 of its own region, and nobody is in another's

    // At most so many numbers.
    explicit worker_numbers(std::size_t most) { free_.reserve(most); }

    // The thread that takes it sees all that its last owner has done.
    void give(std::size_t number) noexcept {
        const std::lock_guard guard(lock_);
        free_.push_back(number);
        // Relaxed: read by who falls asleep, behind its heavy fence (sleep.md).
        any_.store(true, std::memory_order_relaxed);
    }
    // `none` only if there is none.
    std::size_t take() noexcept {
        const std::lock_guard guard(lock_);
        if (free_.empty()) return none;
        const std::size_t found = free_.back();
        free_.pop_back();
        any_.store(!free_.empty(), std::memory_order_relaxed);
        return found;
    }
    bool any() const noexcept { return any_.load(std::memory_order_relaxed); }

private:
    std::mutex lock_;
    std::vector<std::size_t> free_;
    std::atomic<bool> any_{false};
};

}  // namespace croft::detail
