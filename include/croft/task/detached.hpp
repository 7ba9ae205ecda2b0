#pragma once
// Work that a scheduler runs by itself, and for which no task waits: for example the continuation of a coroutine or of
// a sender. Its own effects tell that it has run.
//
// It is a link of the queue that it waits in, so that handing it over takes no memory and cannot fail.

#include <atomic>
#include <mutex>

namespace croft {

namespace detail {
class detached_queue;
}

class detached {
public:
    // By one of the scheduler's threads. This object may be gone when it returns.
    virtual void run() noexcept = 0;

protected:
    detached() = default;
    detached(const detached&) = delete;
    detached& operator=(const detached&) = delete;
    ~detached() = default;

private:
    friend class detail::detached_queue;
    detached* next_ = nullptr;
};

namespace detail {

// First in, first out; for any number of threads. A thread that hands something over wakes another, and a thread that
// takes it opens a region. Beside that, a lock held for three instructions is little.
class detached_queue {
public:
    void push(detached& what) noexcept {
        what.next_ = nullptr;
        const std::lock_guard guard(lock_);
        (first_ ? last_->next_ : first_) = &what;
        last_ = &what;
        // Relaxed: a hint to those who look; one that falls asleep looks behind its heavy fence (sleep.md), and to take
        // anything takes the lock.
        has_work_.store(true, std::memory_order_relaxed);
    }
    // The oldest, or null.
    detached* take() noexcept {
        if (!has_work()) return nullptr;
        const std::lock_guard guard(lock_);
        detached* const found = first_;
        if (!found) return nullptr;
        first_ = found->next_;
        if (!first_) has_work_.store(false, std::memory_order_relaxed);
        return found;
    }
    bool has_work() const noexcept { return has_work_.load(std::memory_order_relaxed); }

private:
    std::mutex lock_;
    detached* first_ = nullptr;
    detached* last_ = nullptr;
    std::atomic<bool> has_work_{false};
};

}  // namespace detail
}  // namespace croft
