#pragma once
// Keeps the first exception of several threads for the one that waits for all of them.

#include <atomic>
#include <exception>
#include <utility>

namespace croft::detail {

class failure {
public:
    // Called in a handler, by any thread; before that thread tells the waiter that it has finished.
    void keep_current() noexcept {
        // Relaxed: winning says nothing about other memory; the waiter comes after all of them anyway.
        if (!failed_.load(std::memory_order_relaxed) && !failed_.exchange(true, std::memory_order_relaxed))
            what_ = std::current_exception();
    }
    // Relaxed: only saves work that nobody wants any more.
    bool failed() const { return failed_.load(std::memory_order_relaxed); }

    // By the waiter, once all have finished. Can be used again afterwards.
    void rethrow() {
        if (!failed()) return;
        failed_.store(false, std::memory_order_relaxed);
        std::rethrow_exception(std::exchange(what_, nullptr));
    }

private:
    std::exception_ptr what_;
    std::atomic<bool> failed_{false};
};

}  // namespace croft::detail
