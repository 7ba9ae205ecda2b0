// Two threads take two mutexes in opposite order, and each waits for the other for ever.
#include <atomic>
#include <mutex>
#include <thread>

static std::mutex left, right;
static std::atomic<int> holding{0};

[[gnu::noinline]] static void take_both(std::mutex& first, std::mutex& second) {
    first.lock();
    ++holding;
    while (holding.load() < 2) std::this_thread::yield();
    second.lock();  // deadlock
    second.unlock();
    first.unlock();
}

int main() {
    std::thread one([] { take_both(left, right); });
    std::thread two([] { take_both(right, left); });
    one.join();
    two.join();
}
