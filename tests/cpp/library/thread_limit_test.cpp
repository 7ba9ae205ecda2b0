#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>
#include <croft/port/port.hpp>
#include <croft/task/parallel_for.hpp>
#include <croft/task/scheduler.hpp>
#include <croft/thread/core_share.hpp>
#include <croft/thread/thread_limit.hpp>

#include "in_child.hpp"

namespace {

using croft::thread_limit;

std::size_t cores() { return croft::port::core_count(); }
auto farm() {
    return croft::farm([](int i) { return i; });
}
std::size_t threads_of_a_run(croft::run_options options = {}) { return croft::plan_of(farm(), options).threads; }
std::size_t threads_of_an_accelerator(croft::accelerator_options options = {}) {
    return croft::accelerator<int, int>(farm(), options).plan().threads;
}
std::size_t workers_of_loops() {
    return croft::task_scheduler::common().run(
        [] { return croft::detail::default_task_runtime::worker::current()->all().size(); });
}
bool runs_in_this_thread() {
    const auto here = std::this_thread::get_id();
    std::atomic<bool> all{true};
    const auto look = [&] {
        if (std::this_thread::get_id() != here) all = false;
    };
    int next = 0;
    croft::run([&]() -> std::optional<int> { return next < 1000 ? std::optional(next++) : std::nullopt; },
               croft::farm([&](int i) {
                   look();
                   return i;
               }),
               [&](int) { look(); });
    croft::parallel_for(0, 100'000, [&](int) { look(); });
    return all;
}

}  // namespace

TEST_CASE("a limit of one thread: all is done in the calling one") {
    const thread_limit one(1);
    CHECK(threads_of_a_run() == 1);
    CHECK(workers_of_loops() == 1);
    CHECK(croft::task_scheduler().size() == 1);
    CHECK(runs_in_this_thread());
    CHECK(threads_of_an_accelerator() == 1);  // beside the caller's, which has something else to do
}

TEST_CASE("a limit of threads holds for numbers that are named") {
    const thread_limit three(3);
    CHECK(threads_of_a_run({.threads = 2}) == 2);
    CHECK(threads_of_a_run({.threads = 8}) == 3);
    CHECK(threads_of_an_accelerator({.threads = 8}) == 2);
    croft::task_scheduler scheduler(8);
    CHECK(scheduler.size() == 3);
    CHECK(scheduler.run([] { return croft::detail::default_task_runtime::worker::current()->all().size(); }) == 3);
}

TEST_CASE("runs at the same time share a limit") {
    const thread_limit two(2);
    const std::size_t most = std::min<std::size_t>(2, cores());
    CHECK(croft::detail::core_share::left() == most);
    const croft::detail::core_share other(0, croft::detail::caller::works);
    CHECK(other.threads() == most);
    CHECK(croft::detail::core_share::left() == 1);
}

TEST_CASE("of several limits the least holds, and they end in any order") {
    auto outer = std::make_unique<thread_limit>(3);
    CHECK(thread_limit::now() == 3);
    auto inner = std::make_unique<thread_limit>(2), wide = std::make_unique<thread_limit>(5);
    CHECK(thread_limit::now() == 2);
    inner.reset();
    CHECK(thread_limit::now() == 3);
    outer.reset();
    CHECK(thread_limit::now() == 5);
    wide.reset();
    CHECK(thread_limit::now() == SIZE_MAX);
}

TEST_CASE("a limit that has ended limits nothing any more") {
    {
        const thread_limit one(1);
        CHECK(workers_of_loops() == 1);
    }
    CHECK(workers_of_loops() == cores());
    CHECK(threads_of_a_run({.threads = 8}) == 8);
    CHECK(croft::task_scheduler(8).size() == 8);
}

TEST_CASE("what has its threads keeps them, also the scheduler in which a limit is made") {
    croft::task_scheduler scheduler(4);
    const thread_limit one(1);
    CHECK(scheduler.run([] { return croft::detail::default_task_runtime::worker::current()->all().size(); }) == 4);
    const std::size_t inside = croft::task_scheduler::common().run([] {
        const thread_limit none_more(1);
        return workers_of_loops();
    });
    CHECK(inside == 1);
}

TEST_CASE("a child of a fork has the limits of its parent") {
    const thread_limit one(1);
    CHECK(in_child::ends_by([] { return threads_of_a_run({.threads = 4}) == 1 ? 7 : 8; }) == "status 7");
}

TEST_CASE("no threads are no limit") {
    CHECK_THROWS_WITH_AS(thread_limit(0),
                         "croft::thread_limit: no threads, but the calling thread works in any case; give it 1 or more",
                         std::invalid_argument);
    CHECK_THROWS_AS(thread_limit(-1), std::invalid_argument);
    CHECK(thread_limit::now() == SIZE_MAX);
}
