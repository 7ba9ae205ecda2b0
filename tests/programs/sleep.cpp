// Time goes by while a thread sleeps: sleep_for, sleep_until, and the timed waits of every kind. Each line says whether
// the wait lasted at least as long as asked; with the argument "times" also how long, in microseconds.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <semaphore>
#include <thread>

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

static bool show_times = false;

template <class Wait>
static void timed(const char* name, Clock::duration least, Wait wait) {
    const auto start = Clock::now();
    const bool answer = wait();
    const auto took = Clock::now() - start;
    std::printf("%s: %s, %s", name, answer ? "yes" : "no", took >= least ? "long enough" : "too short");
    if (show_times)
        std::printf(", %lld", (long long)std::chrono::duration_cast<std::chrono::microseconds>(took).count());
    std::printf("\n");
}

int main(int argc, char**) {
    show_times = argc > 1;
    timed("sleep_for", 3ms, [] {
        std::this_thread::sleep_for(3ms);
        return true;
    });
    timed("sleep_until", 2ms, [] {
        std::this_thread::sleep_until(Clock::now() + 2ms);
        return true;
    });
    std::mutex mutex;
    std::condition_variable condition;
    timed("condition, nobody notifies", 2ms, [&] {
        std::unique_lock held(mutex);
        return condition.wait_for(held, 2ms, [] { return false; });
    });
    bool ready = false;
    std::thread later([&] {
        std::this_thread::sleep_for(2ms);
        const std::lock_guard held(mutex);
        ready = true;
        condition.notify_one();
    });
    timed("condition, notified", 0ms, [&] {
        std::unique_lock held(mutex);
        return condition.wait_for(held, 10s, [&] { return ready; });
    });
    later.join();
    std::timed_mutex lock;
    lock.lock();
    std::thread waiter([&] { timed("timed_mutex, held", 2ms, [&] { return lock.try_lock_for(2ms); }); });
    waiter.join();
    lock.unlock();
    std::promise<int> promise;
    auto future = promise.get_future();
    timed("future, not set", 2ms, [&] { return future.wait_for(2ms) == std::future_status::ready; });
    std::counting_semaphore<1> semaphore(0);
    timed("semaphore, taken", 2ms, [&] { return semaphore.try_acquire_for(2ms); });
}
