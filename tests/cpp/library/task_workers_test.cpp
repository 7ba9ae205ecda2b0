// The names and numbers of a scheduler's workers, its hooks, and what each worker has for itself.

#include <croft/task/worker_local.hpp>

#include <doctest/doctest.h>

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "task_runtimes.hpp"

namespace {

std::string name_of_this_thread() {
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    return name;
}

}  // namespace

TEST_CASE("threads of a scheduler have names, and hooks are called at their start and stop") {
    std::mutex one;
    std::vector<std::string> started, stopped;
    std::set<std::size_t> numbers;
    const std::string own = name_of_this_thread();
    {
        croft::task_scheduler scheduler({.workers = 3,
                                         .at_start =
                                             [&](std::size_t worker) {
                                                 const std::lock_guard locked(one);
                                                 started.push_back(name_of_this_thread());
                                                 numbers.insert(worker);
                                             },
                                         .at_stop =
                                             [&](std::size_t) {
                                                 const std::lock_guard locked(one);
                                                 stopped.push_back(name_of_this_thread());
                                             }});
        CHECK(scheduler.run([] { return name_of_this_thread(); }) == own);
    }
    std::sort(started.begin(), started.end());
    std::sort(stopped.begin(), stopped.end());
    REQUIRE(started.size() == 2);
    for (const std::string& name : started) CHECK(name.starts_with("croft-worker-"));
    CHECK(started[0] != started[1]);
    CHECK(stopped == started);
    CHECK(numbers == std::set<std::size_t>{1, 2});
    std::atomic<bool> named{false};
    {
        croft::task_scheduler other({.workers = 2, .name = "mine", .at_start = [&](std::size_t) {
                                         named = name_of_this_thread() == "mine-1";
                                     }});
    }
    CHECK(named);
}

TEST_CASE_TEMPLATE_DEFINE("workers have numbers, one each in a region", Runtime, numbers) {
    CHECK_FALSE(croft::worker_index<Runtime>().has_value());
    croft::detail::basic_task_scheduler<Runtime> scheduler(4);
    std::array<std::atomic<std::thread::id>, 4> whose{};
    std::atomic<int> wrong{0};
    scheduler.run([&] {
        CHECK(croft::worker_index<Runtime>() == 0u);
        croft::parallel_for<Runtime>(0, 2'000,
                                     [&](int) {
                                         const auto own = croft::worker_index<Runtime>();
                                         if (!own || *own >= 4) return void(++wrong);
                                         std::thread::id before{};
                                         if (!whose[*own].compare_exchange_strong(before, std::this_thread::get_id()))
                                             wrong += before != std::this_thread::get_id();
                                     },
                                     {.grain = 1});
    });
    CHECK(wrong == 0);
    CHECK_FALSE(croft::worker_index<Runtime>().has_value());
}

TEST_CASE_TEMPLATE_DEFINE("each worker has a value of its own", Runtime, locals) {
    for (const std::size_t workers : {1u, 4u}) {
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        croft::worker_local<long> sum, from_ten(10L);
        croft::worker_local<std::unique_ptr<std::vector<int>>> seen(
            [] { return std::make_unique<std::vector<int>>(); });
        CHECK(sum.combine(std::plus<>()) == 0);
        CHECK(from_ten.combine(std::plus<>()) == 10);
        scheduler.run([&] {
            croft::parallel_for<Runtime>(0, 5'000,
                                         [&](int i) {
                                             sum.local() += i;
                                             seen.local()->push_back(i);
                                         },
                                         {.grain = 3});
        });
        CHECK(sum.combine(std::plus<>()) == 4'999L * 5'000 / 2);
        CHECK(sum.size() >= 1);
        CHECK(sum.size() <= workers);
        std::vector<int> all;
        seen.for_each([&](const auto& some) { all.insert(all.end(), some->begin(), some->end()); });
        std::sort(all.begin(), all.end());
        REQUIRE(all.size() == 5'000);
        CHECK(all.front() == 0);
        CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
    }
}

TEST_CASE("values of more threads than there are buckets, one after the other and at once") {
    croft::worker_local<int> count;
    for (int round = 0; round < 50; ++round) {
        std::thread a([&] { ++count.local(), ++count.local(); }), b([&] { ++count.local(); });
        a.join();
        b.join();
    }
    CHECK(count.size() == 100);
    CHECK(count.combine(std::plus<>()) == 150);
}

TEST_CASE("a value that cannot be made is an exception, and made at the next try") {
    int tries = 0;
    croft::worker_local<int> value([&]() -> int { return tries++ == 0 ? throw std::runtime_error("not yet") : 5; });
    CHECK_THROWS_AS(value.local(), std::runtime_error);
    CHECK(value.local() == 5);
    CHECK(value.size() == 1);
}

TEST_CASE_TEMPLATE_INVOKE(numbers, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(locals, NATIVE_RUNTIMES);
