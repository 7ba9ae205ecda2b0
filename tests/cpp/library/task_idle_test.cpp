// Workers without work sleep, and are woken when there is some.

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "task_runtimes.hpp"

using namespace task_programs;

namespace {
double processor_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}
}  // namespace

TEST_CASE_TEMPLATE_DEFINE("a scheduler without work uses next to no processor time", Runtime, idle) {
    croft::detail::basic_task_scheduler<Runtime> scheduler(4);
    CHECK(scheduler.run([] { return fib<Runtime>(10); }) == fib_of(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the spin, wherever the threads get their turn
    const double before = processor_seconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    // One spinning thread would have used 0.3 s, or its share of that on a busy machine.
    CHECK(processor_seconds() - before < 0.02);
}

TEST_CASE_TEMPLATE_DEFINE("so do workers that wait beside a long task, and they wake up for more", Runtime, beside) {
    croft::detail::basic_task_scheduler<Runtime> scheduler(4);
    double used = 1;
    std::atomic<int> others{0};
    scheduler.run([&] {
        const double before = processor_seconds();
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        used = processor_seconds() - before;
        // Only somebody who has been woken can make the one go on who waits for it.
        const std::thread::id own = std::this_thread::get_id();
        croft::detail::basic_task_group<Runtime> group;
        for (int i = 0; i < 3; ++i)
            group.run([&] {
                if (std::this_thread::get_id() != own) ++others;
            });
        while (others == 0) std::this_thread::yield();
        group.wait();
    });
    CHECK(used < 0.03);
    CHECK(others >= 1);
}

TEST_CASE("the longest spin has no end that overflows, as the undefined-behaviour sanitizer tells") {
    croft::task_scheduler scheduler({.workers = 2, .spin = std::chrono::nanoseconds::max()});
    CHECK(scheduler.run([] { return fib<croft::detail::default_task_runtime>(10); }) == fib_of(10));
}

TEST_CASE_TEMPLATE_DEFINE("thousands of races between falling asleep and being woken", Runtime, races) {
    // Without a spin everybody who finds nothing sleeps at once.
    croft::detail::basic_task_scheduler<Runtime> scheduler({.workers = 3, .spin = std::chrono::nanoseconds{0}});
    volatile unsigned spent = 0;
    for (unsigned i = 0; i < 3'000; ++i) {
        long x = 0, y = 0;
        scheduler.run([&] {
            croft::parallel_invoke<Runtime>(
                [&] {
                    for (unsigned n = 0; n < i % 97 * 8; ++n) spent = spent + 1;
                    x = fib<Runtime>(3);
                },
                [&] { y = fib<Runtime>(4); });
        });
        if (x + y != 5) FAIL("lost");
    }
}

TEST_CASE_TEMPLATE_INVOKE(idle, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(beside, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(races, NATIVE_RUNTIMES);
