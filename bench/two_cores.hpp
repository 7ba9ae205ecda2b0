#pragma once
// Two threads on two cores, timed; and what the machine itself takes to move one cache line there and back, and two.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include <croft/port/port.hpp>

namespace bench {

// The first two that this process may use; one twice, if it is alone.
inline std::array<int, 2> cores = [] {
    const std::vector<int> allowed = croft::port::allowed_cores();
    return std::array{allowed.front(), allowed[allowed.size() > 1 ? 1 : 0]};
}();

// Seconds that `here` takes on the first core while `there` runs on the second; both begin together.
template <class Here, class There>
double time_of(Here here, There there) {
    std::atomic<bool> ready{false};
    std::thread other([&] {
        croft::port::pin_this_thread(cores[1]);
        ready = true;
        there();
    });
    croft::port::affinity_guard guard;
    croft::port::pin_this_thread(cores[0]);
    while (!ready) croft::port::pause();
    const auto begin = std::chrono::steady_clock::now();
    here();
    other.join();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Short, so that a round in which the cores were disturbed is one of many.
inline constexpr std::uint32_t trips = 5'000;
inline double one_way(double seconds, std::uint32_t count = trips) { return seconds / (2.0 * count) * 1e9; }

inline void await(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
    while (word.load(std::memory_order_acquire) != value) croft::port::pause();
}

// Nanoseconds one way, both directions in one line: the fastest that two cores can answer each other.
inline double bounce_one_line(std::uint32_t count = trips) {
    alignas(128) std::atomic<std::uint32_t> word{0};
    return one_way(time_of(
                       [&] {
                           for (std::uint32_t i = 0; i < count; ++i) {
                               word.store(2 * i + 1, std::memory_order_release);
                               await(word, 2 * i + 2);
                           }
                       },
                       [&] {
                           for (std::uint32_t i = 0; i < count; ++i) {
                               await(word, 2 * i + 1);
                               word.store(2 * i + 2, std::memory_order_release);
                           }
                       }),
                   count);
}

// A line for each direction.
inline double bounce_two_lines() {
    struct alignas(128) line {
        std::atomic<std::uint32_t> word{0};
    } there, back;
    return one_way(time_of(
        [&] {
            for (std::uint32_t i = 1; i <= trips; ++i) {
                there.word.store(i, std::memory_order_release);
                await(back.word, i);
            }
        },
        [&] {
            for (std::uint32_t i = 1; i <= trips; ++i) {
                await(there.word, i);
                back.word.store(i, std::memory_order_release);
            }
        }));
}

}  // namespace bench
