// Fills an array, or has another thread fill it, and adds it up in a region: "own", "other". "sleeps": meanwhile
// another thread sleeps until a time that is over before the region is.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

#include <croft/port/port.hpp>

namespace {

constexpr std::size_t words = 512;
alignas(64) std::uint64_t numbers[words];

[[gnu::noinline]] void fill() {
    for (std::size_t i = 0; i < words; ++i) numbers[i] = i;
    asm volatile("" ::: "memory");
}
[[gnu::noinline]] std::uint64_t sum() {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < words; ++i) total += numbers[i];
    return total;
}

}  // namespace

int main(int, char** arguments) {
    const char* const how = arguments[1];
    std::thread sleeper([&] {
        if (!std::strcmp(how, "sleeps")) std::this_thread::sleep_for(std::chrono::microseconds(3000));
    });
    std::thread other([&] {
        if (!std::strcmp(how, "other")) fill();
    });
    other.join();
    if (std::strcmp(how, "other")) fill();
    croft::port::region_begin();
    const std::uint64_t total = sum();
    croft::port::region_end();
    sleeper.join();
    std::printf("warmth sum=%llu\n", static_cast<unsigned long long>(total));
}
