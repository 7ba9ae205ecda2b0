// Stores a thousand words in each of the regions that the argument asks for ("none", "one", "two", "open", "twice"),
// and many more outside. Meanwhile a second thread sleeps all along and a third stores all along.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

#include <croft/port/port.hpp>

static void store(int times) {
    std::uint64_t word = 0;
    for (int i = 0; i < times; ++i) asm volatile("sd %0, 0(%1)" ::"r"(word), "r"(&word) : "memory");
}

int main(int, char** arguments) {
    const char* const regions = arguments[1];
    const bool none = !std::strcmp(regions, "none"), two = !std::strcmp(regions, "two");
    std::mutex held;
    held.lock();
    std::thread sleeper([&] { held.lock(); });
    std::atomic<bool> over{false};
    std::thread busy([&] {
        while (!over.load(std::memory_order_acquire)) store(100);
    });
    store(50'000);
    for (int i = 0; i < (none ? 0 : two ? 2 : 1); ++i) {
        bool right = croft::port::region_begin();
        if (!std::strcmp(regions, "twice")) right = right && !croft::port::region_begin();
        store(1'000);
        if (!std::strcmp(regions, "open")) break;
        right = croft::port::region_end() && right;
        if (!std::strcmp(regions, "twice")) right = right && !croft::port::region_end();
        if (!right) return 1;
        store(20'000);
    }
    held.unlock();
    sleeper.join();
    over.store(true, std::memory_order_release);
    busy.join();
    std::puts("ok");
}
