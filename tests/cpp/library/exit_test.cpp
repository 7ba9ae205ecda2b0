// How a program may end, and begin. It ends by exit() out of a task, a step or a stage, while others are at work.
// Constructors and destructors of globals run loops and patterns.

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>
#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_reduce.hpp>
#include <croft/task/scheduler.hpp>

#include "in_child.hpp"
#include "streams.hpp"

using in_child::ends_by;

namespace {

bool loops_and_patterns_work() {
    const long sum = croft::parallel_reduce(0, 1000, 0L, [](int i) { return long{i}; }, std::plus<>());
    long squares = 0;
    croft::run(streams::count_to(10), croft::farm([](int i) { return i * i; }, {.workers = 2}),
               [&](int square) { squares += square; }, {.threads = 3});
    return sum == 499500 && squares == 285;
}

// Made before main, and so destroyed after everything that is made in it.
struct global {
    bool worked = loops_and_patterns_work();
    bool is_tried = false;
    ~global() {
        if (is_tried) std::_Exit(loops_and_patterns_work() ? 7 : 8);
    }
} of_this_file;

// A loop of which a step, the caller's or another thread's, calls exit(3) once both are at work.
template <class Loop>
int exit_in_step(bool of_caller, Loop loop) {
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> seen{0};
    loop([&](int) {
        const bool is_caller = std::this_thread::get_id() == caller;
        seen |= is_caller ? 1 : 2;
        if (seen == 3 && is_caller == of_caller) std::exit(3);
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
    return 0;
}
const auto common_loop = [](auto step) { croft::parallel_for(0, 100'000, step, {.grain = 1}); };

}  // namespace

TEST_CASE("a step of a loop calls exit(), a worker's or the caller's") {
    if (croft::task_scheduler::common().size() < 2) return;
    for (int round = 0; round < 10; ++round)
        for (const bool of_caller : {false, true}) {
            CAPTURE(of_caller);
            CHECK(ends_by([&] { return exit_in_step(of_caller, common_loop); }) == "status 3");
        }
}

TEST_CASE("a step calls exit() whose scheduler is a static object, which is destroyed there") {
    for (const bool of_caller : {false, true}) {
        CAPTURE(of_caller);
        CHECK(ends_by([&] {
                  static croft::task_scheduler of_child(4);
                  return exit_in_step(of_caller, [](auto step) { of_child.run([&] { common_loop(step); }); });
              }) == "status 3");
    }
}

TEST_CASE("a caller calls exit() in a step of a loop that another thread began") {
    CHECK(ends_by([] {
              croft::task_scheduler two(2);
              const std::thread::id caller = std::this_thread::get_id();
              const auto is_caller = [&] { return std::this_thread::get_id() == caller; };
              two.run([&] {
                  common_loop([&](int) {
                      if (is_caller()) return std::this_thread::sleep_for(std::chrono::microseconds(100));
                      common_loop([&](int) {
                          if (is_caller()) std::exit(3);
                          std::this_thread::sleep_for(std::chrono::microseconds(100));
                      });
                  });
              });
              return 0;
          }) == "status 3");
}

TEST_CASE("a stage calls exit()") {
    for (const int bad : {0, 20, 700})
        CHECK(ends_by([&] {
                  croft::run(streams::count_to(5000),
                             croft::farm(
                                 [&](int i) {
                                     if (i == bad) std::exit(3);
                                     return i;
                                 },
                                 {.workers = 3}),
                             [](int) {}, {.threads = 4});
                  return 0;
              }) == "status 3");
}

TEST_CASE("main ends while a thread that nobody waits for is in a loop, or runs a pattern") {
    for (int round = 0; round < 20; ++round)
        CHECK(ends_by([&] {
                  static std::atomic<int> rounds{0};
                  static auto* const left = new std::vector<std::thread>();
                  for (int i = 0; i < 2; ++i)
                      left->emplace_back([i] {
                          for (;; ++rounds)
                              if (i == 0)
                                  croft::parallel_for(0, 100, [](int) {}, {.grain = 1});
                              else
                                  loops_and_patterns_work();
                      });
                  while (rounds < 5 + round) std::this_thread::yield();
                  return 3;
              }) == "status 3");
}

TEST_CASE("a global runs loops and patterns in its constructor, before main, and in its destructor, after it") {
    CHECK(of_this_file.worked);
    CHECK(loops_and_patterns_work());
    CHECK(ends_by([] {
              of_this_file.is_tried = true;
              return loops_and_patterns_work() ? 0 : 1;
          }) == "status 7");
}
