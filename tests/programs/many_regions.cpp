// Opens and closes regions all the time while other threads are in the middle of something: many_regions KIND THREADS
// REGIONS. With KIND "shared", of loads that miss, branches that depend on them, atomics and locks; with "tasks", of
// tasks that are stolen, by interrupts where the machine has them; with "none" there is no region. Prints sums.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include <croft/port/port.hpp>
#include <croft/task/default_runtime.hpp>
#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_invoke.hpp>

#include "../../programs/common/fib.hpp"

namespace {

std::uint32_t next(std::uint32_t& state) {
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

// `turns` steps through memory, which differ by what is found there.
std::uint64_t walk(const std::vector<std::uint32_t>& table, std::uint32_t seed, int turns) {
    std::uint64_t sum = 0;
    for (int i = 0; i < turns; ++i) {
        const std::uint32_t found = table[next(seed) % table.size()];
        if (found & 1)
            sum += found;
        else
            seed ^= found;
    }
    return sum;
}

bool shared(bool marked, int count, int regions) {
    std::vector<std::uint32_t> table(20'000);
    std::iota(table.begin(), table.end(), 7u);
    std::atomic<bool> over{false};
    std::atomic<std::uint64_t> additions{0};
    std::mutex mutex;
    std::uint64_t locked = 0, expected = 0;
    std::vector<std::uint64_t> mine(static_cast<std::size_t>(count) * 8);
    std::vector<std::thread> threads;
    for (int id = 1; id < count; ++id)
        threads.emplace_back([&, id] {
            std::uint64_t& own = mine[static_cast<std::size_t>(id) * 8];
            while (!over.load(std::memory_order_acquire)) {
                if (walk(table, static_cast<std::uint32_t>(id), 30) == 1) std::abort();
                additions.fetch_add(1, std::memory_order_relaxed);
                const std::lock_guard held(mutex);
                ++locked;
                ++own;
            }
        });
    std::uint64_t sum = 0;
    for (int i = 0; i < regions; ++i) {
        if (marked && !croft::port::region_begin()) return false;
        sum += walk(table, static_cast<std::uint32_t>(i), 40 + 13 * (i % 7));
        if (marked && !croft::port::region_end()) return false;
        sum += walk(table, static_cast<std::uint32_t>(i), 20 * (i % 5));
    }
    over.store(true, std::memory_order_release);
    for (std::thread& thread : threads) thread.join();
    for (const std::uint64_t each : mine) expected += each;
    std::printf("sum %llu\n", static_cast<unsigned long long>(sum));
    return locked == expected && additions.load() == expected;
}

bool tasks(int count, int regions) {
    using Runtime = croft::default_task_runtime;
    croft::basic_task_scheduler<Runtime> scheduler({.workers = static_cast<std::size_t>(count)});
    std::vector<int> cells(600);
    for (int i = 0; i < regions; ++i) {
        if (!croft::port::region_begin()) return false;
        if (scheduler.run([] { return programs::fib<Runtime>(9); }) != 34) return false;
        if (!croft::port::region_end()) return false;
        scheduler.run([&] {
            croft::parallel_for<Runtime>(0, static_cast<int>(cells.size()),
                                         [&](int x) { ++cells[static_cast<std::size_t>(x)]; }, {.grain = 4});
        });
    }
    std::printf("sum %d\n", std::accumulate(cells.begin(), cells.end(), 0));
    return true;
}

}  // namespace

int main(int, char** arguments) {
    const int count = std::atoi(arguments[2]), regions = std::atoi(arguments[3]);
    const char* const kind = arguments[1];
    const bool right =
        !std::strcmp(kind, "tasks") ? tasks(count, regions) : shared(!!std::strcmp(kind, "none"), count, regions);
    std::puts(right ? "ok" : "wrong");
    return right ? 0 : 1;
}
