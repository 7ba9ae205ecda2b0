#pragma once
// The threads of a scheduler that are in none of its regions, and sleep until one of those has something to do.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <croft/port/port.hpp>
#include <croft/task/sleeper.hpp>

namespace croft::detail {

class idle_workers {
public:
    explicit idle_workers(std::size_t threads) : beds_(std::make_unique<sleeper<>[]>(threads)), size_(threads) {}

    // By thread `i`: as sleeper::sleep.
    template <class Look>
    void sleep(std::size_t i, Look there_is_work) {
        beds_[i].sleep(sleepers_, there_is_work);
    }
    // Relaxed: the asker's light fence has seen to it that those that matter are counted (stealing.md).
    bool somebody_sleeps() const { return sleepers_.asleep.load(std::memory_order_relaxed) != 0; }
    // To be called behind a light fence, which comes behind the work that they shall find. `first`: the first to ask,
    // so that not always the same one gets up. Whether one did.
    bool wake_one(std::size_t first) {
        if (!somebody_sleeps()) return false;
        for (std::size_t i = 0; i < size_; ++i)
            if (beds_[(first + i) % size_].wake(sleepers_)) return true;
        return false;
    }
    void wake_all() {
        for (std::size_t i = 0; i < size_; ++i) beds_[i].wake(sleepers_);
    }

private:
    sleeper_count<> sleepers_;
    std::unique_ptr<sleeper<>[]> beds_;
    const std::size_t size_;
};

}  // namespace croft::detail
