// Several threads call a scheduler at once: all are served, each one's tasks stay among themselves, and so do those of
// run_isolated.

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "task_runtimes.hpp"

using namespace task_programs;

namespace {

// How many have come; waits for all, but not for ever, so that a test of who never comes ends.
class meeting {
public:
    explicit meeting(int guests) : missing_(guests) {}
    bool all_come() {
        --missing_;
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (missing_ > 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        return missing_ <= 0;
    }

private:
    std::atomic<int> missing_;
};

template <class Body>
void in_threads(int count, Body body) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
    for (std::thread& each : threads) each.join();
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("callers are served at once, however few workers there are", Runtime, at_once) {
    for (const std::size_t workers : {1u, 2u}) {
        CAPTURE(workers);
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        meeting all(4);
        std::atomic<int> met{0};
        in_threads(4, [&](int) {
            scheduler.run([&] { croft::parallel_for<Runtime>(0, 1, [&](int) { met += all.all_come(); }); });
        });
        CHECK(met == 4);
    }
}

TEST_CASE_TEMPLATE_DEFINE("callers have their own results and exceptions, and regions are used again", Runtime, own) {
    croft::detail::basic_task_scheduler<Runtime> scheduler(3);
    std::atomic<int> right{0};
    in_threads(6, [&](int caller) {
        for (int i = 0; i < 40; ++i) {
            const int n = 5 + (caller + i) % 8;
            right += scheduler.run([n] { return fib<Runtime>(n); }) == fib_of(n);
            try {
                scheduler.run([&] {
                    croft::parallel_for<Runtime>(
                        0, 50, [&](int step) { step == caller ? throw std::runtime_error(std::to_string(n)) : void(); },
                        {.grain = 1});
                });
            } catch (const std::runtime_error& error) {
                right += error.what() == std::to_string(n);
            }
        }
    });
    CHECK(right == 6 * 40 * 2);
}

TEST_CASE_TEMPLATE_DEFINE("no caller runs another's tasks, also while it waits", Runtime, apart) {
    croft::detail::basic_task_scheduler<Runtime> scheduler(2);
    std::vector<std::thread::id> callers(3);
    std::atomic<int> strangers{0}, steps{0};
    meeting all(3);
    in_threads(3, [&](int caller) {
        callers[static_cast<std::size_t>(caller)] = std::this_thread::get_id();
        all.all_come();
        for (int round = 0; round < 30; ++round)
            scheduler.run([&] {
                croft::parallel_for<Runtime>(0, 60,
                                             [&](int) {
                                                 ++steps;
                                                 for (int other = 0; other < 3; ++other)
                                                     strangers +=
                                                         other != caller && callers[static_cast<std::size_t>(other)] ==
                                                                                std::this_thread::get_id();
                                                 fib<Runtime>(6);
                                             },
                                             {.grain = 1});
            });
    });
    CHECK(strangers == 0);
    CHECK(steps == 3 * 30 * 60);
}

TEST_CASE_TEMPLATE_DEFINE("a caller ends while another's task is still at work", Runtime, not_kept) {
    croft::detail::basic_task_scheduler<Runtime> scheduler(2);
    std::atomic<bool> begun{false};
    meeting both(2);
    bool ended = false;
    std::thread longer([&] {
        scheduler.run([&] {
            // Both of its steps are long, so the scheduler's other thread may have one of them.
            croft::parallel_for<Runtime>(0, 2,
                                         [&](int i) {
                                             begun = true;
                                             if (i == 0) ended = both.all_come();
                                         },
                                         {.grain = 1});
        });
    });
    while (!begun) std::this_thread::yield();
    CHECK(scheduler.run([] { return fib<Runtime>(12); }) == fib_of(12));
    both.all_come();
    longer.join();
    CHECK(ended);
}

TEST_CASE_TEMPLATE_DEFINE("run_isolated: who waits with a lock in its hand runs nobody who wants it", Runtime,
                          isolated) {
    thread_local int held = 0;
    for (const std::size_t workers : {1u, 2u, 4u}) {
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        std::mutex one;
        std::atomic<long> sum{0};
        std::atomic<int> within{0};
        scheduler.run([&] {
            croft::parallel_for<Runtime>(0, 50,
                                         [&](int i) {
                                             within += held;
                                             const std::lock_guard locked(one);
                                             held = 1;
                                             sum += scheduler.run_isolated([&] {
                                                 return croft::parallel_reduce<Runtime>(
                                                     0, 20, 0L, [&](int j) { return long{i} * j; }, std::plus<>(),
                                                     {.grain = 1});
                                             });
                                             held = 0;
                                         },
                                         {.grain = 1});
        });
        CHECK(within == 0);
        CHECK(sum == 49 * 50 / 2 * 190);
    }
}

TEST_CASE_TEMPLATE_DEFINE("a group of another region's task is served at once", Runtime, group_elsewhere) {
    croft::detail::basic_task_scheduler<Runtime> scheduler(2);
    int ran = 0;
    scheduler.run([&] {
        croft::detail::basic_task_group<Runtime> group;
        scheduler.run_isolated([&] { group.run([&] { ++ran; }); });
        CHECK(ran == 1);
        CHECK(group.wait());
    });
}

TEST_CASE_TEMPLATE_DEFINE("a scheduler that is called again inside of another's task", Runtime, crossed) {
    croft::detail::basic_task_scheduler<Runtime> one(2), other(2);
    CHECK(one.run([&] { return other.run([&] { return one.run([] { return fib<Runtime>(11); }); }); }) == fib_of(11));
}

TEST_CASE_TEMPLATE_DEFINE("all that callers did counts", Runtime, counts) {
    croft::detail::task_counts counted;
    {
        croft::detail::basic_task_scheduler<Runtime> scheduler({.workers = 2, .counts = &counted});
        // Each goes on until the scheduler's thread has done one of its tasks.
        in_threads(3, [&](int) {
            scheduler.run([&] {
                const std::thread::id own = std::this_thread::get_id();
                std::atomic<bool> helped{false};
                croft::detail::basic_task_group<Runtime> group;
                while (!helped) {
                    group.run([&] { helped = helped || std::this_thread::get_id() != own; });
                    std::this_thread::yield();
                }
                group.wait();
            });
        });
    }
    CHECK(counted.stolen >= 3);
}

TEST_CASE_TEMPLATE_INVOKE(at_once, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(own, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(apart, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(not_kept, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(isolated, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(group_elsewhere, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(crossed, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(counts, NATIVE_RUNTIMES);
