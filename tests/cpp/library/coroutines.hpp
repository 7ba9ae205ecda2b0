#pragma once
// A coroutine that is begun at once and nobody awaits: as little of one as tests need. Users bring their own.

#include <atomic>
#include <chrono>
#include <coroutine>
#include <exception>
#include <thread>

namespace coroutines {

// Its frame is gone when it has ended.
struct begun {
    struct promise_type {
        begun get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
};

// Counts those who have ended; a coroutine says it last.
class ends {
public:
    void one() { count_.fetch_add(1, std::memory_order_release); }
    // False if they do not come.
    bool await(int all) const {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (count_.load(std::memory_order_acquire) != all) {
            if (std::chrono::steady_clock::now() > end) return false;
            std::this_thread::yield();
        }
        return true;
    }

private:
    std::atomic<int> count_{0};
};

}  // namespace coroutines
