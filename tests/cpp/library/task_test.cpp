// Tasks give the results of the sequential program, with every run-time and number of workers, and so do their
// exceptions.

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "task_runtimes.hpp"

using namespace task_programs;

TEST_CASE_TEMPLATE_DEFINE("fork-join programs give their results for 1 to 8 workers", Runtime, results) {
    for (const std::size_t workers : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u}) {
        CAPTURE(workers);
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        CHECK(scheduler.size() == workers);
        CHECK(scheduler.run([] { return fib<Runtime>(18); }) == fib_of(18));
        long sum = 0;
        fib_task<Runtime> root(16, &sum);
        scheduler.run(root);
        CHECK(sum == fib_of(16));
        CHECK(scheduler.run([] { return queens<Runtime>(7); }) == 40);
        std::vector<std::uint32_t> data = numbers(20'000);
        scheduler.run([&] { sort<Runtime>(data.data(), data.data() + data.size()); });
        CHECK(std::is_sorted(data.begin(), data.end()));
    }
}

TEST_CASE_TEMPLATE_DEFINE("loops do every step once", Runtime, loops) {
    for (const std::size_t workers : {1u, 2u, 4u, 8u})
        for (const std::size_t grain : {0u, 1u, 7u, 10'000u})
            for (const int count : {0, 1, 2, 63, 10'000}) {
                CAPTURE(workers);
                CAPTURE(grain);
                CAPTURE(count);
                croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
                std::vector<int> times(static_cast<std::size_t>(count));
                std::vector<long> sums(times.size());
                long sum = 0, total = 0;
                std::string digits;
                scheduler.run([&] {
                    croft::parallel_for<Runtime>(0, count, [&](int i) { ++times[static_cast<std::size_t>(i)]; },
                                                 {.grain = grain});
                    croft::parallel_for<Runtime>(times.begin(), times.end(), [&](auto each) { ++*each; },
                                                 {.grain = grain});
                    croft::parallel_for_intervals<Runtime>(0, count,
                                                           [&](int first, int last) {
                                                               for (int i = first; i < last; ++i)
                                                                   ++times[static_cast<std::size_t>(i)];
                                                           },
                                                           {.grain = grain});
                    sum = croft::parallel_reduce<Runtime>(0, count, 0L, [](int i) { return long{i}; }, std::plus<>(),
                                                          {.grain = grain});
                    digits = croft::parallel_reduce<Runtime>(0, std::min(count, 500), std::string(),
                                                             [](int i) { return std::to_string(i); }, std::plus<>(),
                                                             {.grain = grain});
                    total = croft::parallel_scan<Runtime>(
                        0, count, 0L, [](int i) { return long{i}; }, std::plus<>(),
                        [&](int i, long up_to) { sums[static_cast<std::size_t>(i)] = up_to; }, {.grain = grain});
                });
                CHECK(std::count(times.begin(), times.end(), 3) == count);
                CHECK(sum == long{count} * (count - 1) / 2);
                CHECK(total == sum);
                bool right = true;
                for (int i = 0; i < count; ++i) right &= sums[static_cast<std::size_t>(i)] == long{i} * (i + 1) / 2;
                CHECK(right);
                std::string in_order;
                for (int i = 0; i < std::min(count, 500); ++i) in_order += std::to_string(i);
                CHECK(digits == in_order);
            }
}

TEST_CASE_TEMPLATE_DEFINE("a scan that joins without commuting", Runtime, ordered_scan) {
    croft::detail::basic_task_scheduler<Runtime> scheduler(4);
    std::vector<std::string> prefixes(200);
    scheduler.run([&] {
        croft::parallel_scan<Runtime>(
            0, 200, std::string(), [](int i) { return std::string(1, static_cast<char>('a' + i % 26)); }, std::plus<>(),
            [&](int i, const std::string& all) { prefixes[static_cast<std::size_t>(i)] = all; });
    });
    std::string all;
    bool right = true;
    for (std::size_t i = 0; i < 200; ++i) {
        all += static_cast<char>('a' + i % 26);
        right &= prefixes[i] == all;
    }
    CHECK(right);
}

TEST_CASE_TEMPLATE_DEFINE("patterns nest in each other", Runtime, nested) {
    for (const std::size_t workers : {1u, 2u, 4u}) {
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        std::atomic<long> sum{0};
        scheduler.run([&] {
            croft::parallel_for<Runtime>(0, 40,
                                         [&](int i) {
                                             long made = 0;
                                             croft::parallel_invoke<Runtime>(
                                                 [&] {
                                                     made = croft::parallel_reduce<Runtime>(
                                                         0, i, 0L, [](int j) { return long{j}; }, std::plus<>(),
                                                         {.grain = 1});
                                                 },
                                                 [&] { sum += fib<Runtime>(8); },
                                                 [&] {
                                                     croft::detail::basic_task_group<Runtime> group;
                                                     for (int k = 0; k < 5; ++k) group.run([&sum, k] { sum += k; });
                                                     CHECK(group.wait());
                                                 });
                                             sum += made;
                                         },
                                         {.grain = 1});
        });
        long expected = 0;
        for (int i = 0; i < 40; ++i) expected += i * (i - 1) / 2 + fib_of(8) + 10;
        CHECK(sum == expected);
    }
}

namespace {
struct oops : std::runtime_error {
    explicit oops(int which) : std::runtime_error("oops"), which(which) {}
    int which;
};

// Throws at the leaf of that number of a tree of calls.
template <class Runtime>
void throw_at(int leaf, int first, int last) {
    if (last - first == 1) {
        if (first == leaf) throw oops(first);
        return;
    }
    const int middle = (first + last) / 2;
    croft::parallel_invoke<Runtime>([&] { throw_at<Runtime>(leaf, first, middle); },
                                    [&] { throw_at<Runtime>(leaf, middle, last); });
}
template <class Runtime>
int caught_from(croft::detail::basic_task_scheduler<Runtime>& scheduler, const std::function<void()>& action) {
    try {
        scheduler.run(action);
    } catch (const oops& caught) {
        return caught.which;
    }
    return -1;
}

template <class Runtime>
struct failing_task : croft::basic_task<Runtime> {
    failing_task(int depth, int leaf) : depth(depth), leaf(leaf) {}
    void execute() override {
        if (depth == 0) {
            if (leaf == 0) throw oops(7);
            return;
        }
        failing_task a(depth - 1, leaf), b(depth - 1, leaf - (1 << (depth - 1)));
        this->reference_count = 2;
        this->spawn(&a);
        this->spawn(&b);
        this->wait(this);
    }
    int depth, leaf;
};
}  // namespace

TEST_CASE_TEMPLATE_DEFINE("an exception reaches who waits, and the scheduler goes on", Runtime, exceptions) {
    for (const std::size_t workers : {1u, 2u, 4u}) {
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        for (const int leaf : {0, 1, 31, 63})
            CHECK(caught_from(scheduler, [&] { throw_at<Runtime>(leaf, 0, 64); }) == leaf);
        for (const int leaf : {0, 1, 30, 63}) {
            failing_task<Runtime> root(6, leaf);
            CHECK(caught_from(scheduler, [&] { scheduler.run(root); }) == 7);
        }
        for (const int step : {0, 17, 999})
            CHECK(caught_from(scheduler, [&] {
                      croft::parallel_for<Runtime>(0, 1000,
                                                   [&](int i) {
                                                       if (i == step) throw oops(i);
                                                   },
                                                   {.grain = 1});
                  }) == step);
        CHECK(caught_from(scheduler, [&] {
                  croft::parallel_reduce<Runtime>(0, 1000, 0, [](int i) { return i == 500 ? throw oops(i) : i; },
                                                  std::plus<>(), {.grain = 3});
              }) == 500);
        CHECK(caught_from(scheduler, [&] {
                  croft::parallel_scan<Runtime>(
                      0, 1000, 0, [](int i) { return i == 500 ? throw oops(i) : i; }, std::plus<>(), [](int, int) {});
              }) == 500);
        CHECK(caught_from(scheduler, [&] {
                  croft::detail::basic_task_group<Runtime> group;
                  for (int i = 0; i < 10; ++i) group.run([] { throw oops(3); });
                  group.wait();
              }) == 3);
        // All of a step's siblings may throw.
        CHECK(caught_from(scheduler, [&] {
                  croft::parallel_for<Runtime>(0, 100, [](int) { throw oops(1); }, {.grain = 1});
              }) == 1);
        CHECK(scheduler.run([] { return fib<Runtime>(10); }) == fib_of(10));
    }
}

TEST_CASE_TEMPLATE_DEFINE("a loop that failed begins no further chunk of its worker", Runtime, stopped_loop) {
    croft::detail::basic_task_scheduler<Runtime> scheduler(1);
    int steps = 0;
    CHECK(caught_from(scheduler, [&] {
              croft::parallel_for<Runtime>(0, 1'000,
                                           [&](int i) {
                                               ++steps;
                                               if (i == 10) throw oops(i);
                                           },
                                           {.grain = 1});
          }) == 10);
    CHECK(steps == 11);
}

TEST_CASE_TEMPLATE_DEFINE("a cancelled group drops what has not begun", Runtime, cancelled) {
    for (const std::size_t workers : {1u, 4u}) {
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        scheduler.run([&] {
            croft::detail::basic_task_group<Runtime> group;
            std::atomic<int> begun{0}, destroyed{0};
            struct counted {
                explicit counted(std::atomic<int>* count) : count(count) {}
                counted(counted&& from) : count(std::exchange(from.count, nullptr)) {}
                ~counted() {
                    if (count) ++*count;
                }
                std::atomic<int>* count;
            };
            for (int i = 0; i < 1000; ++i)
                group.run([&, c = counted(&destroyed)] {
                    ++begun;
                    group.cancel();
                });
            CHECK_FALSE(group.wait());
            // Others than the first begin only if they did so before it cancelled.
            CHECK(begun >= 1);
            CHECK(begun <= static_cast<int>(workers));
            CHECK(destroyed <= 1000);
            // Usable again.
            group.run([&] { begun = -1; });
            CHECK(group.wait());
            CHECK(begun == -1);

            croft::detail::basic_task_group<Runtime> outer;
            croft::detail::basic_task_group<Runtime> inner(outer);
            inner.run([&] { begun = 5; });
            outer.cancel();
            CHECK(inner.cancelled());
            outer.wait();
            inner.wait();
        });
    }
}

TEST_CASE_TEMPLATE_DEFINE("a group that nobody waits for is dropped", Runtime, dropped) {
    croft::detail::basic_task_scheduler<Runtime> scheduler(3);
    std::atomic<int> running{0};
    scheduler.run([&] {
        croft::detail::basic_task_group<Runtime> group;
        for (int i = 0; i < 100; ++i)
            group.run([&] {
                ++running;
                --running;
            });
    });
    CHECK(running == 0);
}

TEST_CASE_TEMPLATE_DEFINE("recursion deeper than any stack of tasks", Runtime, deep) {
    struct list {
        static long length(int left) {
            if (left == 0) return 0;
            long rest = 0, one = 0;
            croft::parallel_invoke<Runtime>([&] { rest = length(left - 1); }, [&] { one = 1; });
            return rest + one;
        }
    };
#ifdef __SANITIZE_ADDRESS__  // its frames are long, and a thread has 8 MiB of them
    constexpr int length = 8'500;
#else
    constexpr int length = 12'000;
#endif
    for (const std::size_t workers : {1u, 4u}) {
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        CHECK(scheduler.run([] { return list::length(length); }) == length);
        // And wider: more tasks at a time than there is room for.
        std::atomic<int> ran{0};
        scheduler.run([&] {
            croft::detail::basic_task_group<Runtime> group;
            for (int i = 0; i < 20'000; ++i) group.run([&] { ++ran; });
            group.wait();
        });
        CHECK(ran == 20'000);
    }
}

TEST_CASE_TEMPLATE_DEFINE("a task may spawn and wait many times", Runtime, rounds) {
    struct leaf : croft::basic_task<Runtime> {
        void execute() override { ++*ran; }
        std::atomic<int>* ran = nullptr;
    };
    struct root : croft::basic_task<Runtime> {
        void execute() override {
            for (int round = 0; round < 10'000; ++round) {
                leaf leaves[3];
                this->reference_count = 3;
                for (leaf& each : leaves) {
                    each.ran = &ran;
                    this->spawn(&each);
                }
                this->wait(this);
                if (ran != 3 * (round + 1)) return;
            }
        }
        std::atomic<int> ran{0};
    };
    for (const std::size_t workers : {1u, 4u}) {
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        root all;
        scheduler.run(all);
        CHECK(all.ran == 30'000);
    }
}

TEST_CASE_TEMPLATE_INVOKE(results, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(loops, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(ordered_scan, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(nested, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(exceptions, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(stopped_loop, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(cancelled, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(dropped, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(deep, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(rounds, NATIVE_RUNTIMES);

TEST_CASE("spawning and waiting outside of a task, and a group outside of a scheduler, are errors") {
    long sum = 0;
    fib_task<croft::direct_stealing> one(3, &sum);
    CHECK_THROWS_AS(croft::task::spawn(&one), std::logic_error);
    CHECK_THROWS_AS(croft::task::wait(&one), std::logic_error);
    CHECK_THROWS_AS(croft::task_group(), std::logic_error);
    croft::task_scheduler scheduler(2);
    CHECK_THROWS_AS(scheduler.run([&] { croft::task::spawn(&one); }), std::logic_error);
    CHECK_THROWS_AS(scheduler.run([&] { croft::task::wait(&one); }), std::logic_error);
}

TEST_CASE("outside of a scheduler the common one is used") {
    CHECK(fib<croft::detail::default_task_runtime>(12) == fib_of(12));
    CHECK(croft::parallel_reduce(0, 100, 0, [](int i) { return i; }, std::plus<>()) == 4950);
    CHECK(croft::task_scheduler::common().size() == croft::port::core_count());
}

TEST_CASE("run returns what its function does, also a reference, and can be called in a task and by several threads") {
    croft::task_scheduler scheduler(2);
    int there = 5;
    int& same = scheduler.run([&]() -> int& { return there; });
    CHECK(&same == &there);
    CHECK(scheduler.run([&] { return scheduler.run([] { return fib<croft::direct_stealing>(9); }); }) == fib_of(9));
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int j = 0; j < 20; ++j)
                right += scheduler.run([] { return fib<croft::direct_stealing>(12); }) == fib_of(12);
        });
    for (std::thread& each : threads) each.join();
    CHECK(right == 80);
}

TEST_CASE("a scheduler inside of another's task") {
    croft::task_scheduler outer(2), inner(3);
    CHECK(outer.run([&] {
        long x = 0, y = 0;
        croft::parallel_invoke([&] { x = inner.run([] { return fib<croft::direct_stealing>(10); }); },
                               [&] { y = fib<croft::direct_stealing>(11); });
        return x + y;
    }) == fib_of(12));
}

TEST_CASE("wrong options of a scheduler are errors") {
    CHECK_THROWS_AS(croft::task_scheduler({.workers = 2, .cores = {0}}), std::invalid_argument);
    croft::task_scheduler pinned({.workers = 1, .pinned = true});
    CHECK(pinned.run([] { return 1; }) == 1);
}
