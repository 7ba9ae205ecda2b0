// What works in the child of a fork: everything, begun anew, wherever it was forked.

#include <doctest/doctest.h>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <croft/coroutine/async_run.hpp>
#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>
#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_reduce.hpp>
#include <croft/task/scheduler.hpp>

#include "coroutines.hpp"
#include "in_child.hpp"
#include "streams.hpp"

using in_child::ends_by;

namespace {

bool loop_works() {
    std::atomic<long> sum{0};
    croft::parallel_for(0, 1000, [&](int i) { sum += i; }, {.grain = 4});
    return sum == 499500;
}
bool pattern_works() {
    long squares = 0;
    croft::run(streams::count_to(10), croft::farm([](int i) { return i * i; }, {.workers = 3}),
               [&](int square) { squares += square; }, {.threads = 4});
    return squares == 285;
}
bool accelerator_works() {
    croft::accelerator<int, int> one(croft::farm([](int i) { return i + 1; }, {.workers = 2}), {.threads = 3});
    one.offload(4);
    one.close();
    return one.get_result() == 5 && !one.get_result();
}
coroutines::begun awaits_run(croft::task_scheduler& on, long& sum, coroutines::ends& ended) {
    const auto sink = [&sum](int square) { sum += square; };
    co_await croft::async_run(streams::count_to(10), croft::farm([](int i) { return i * i; }), sink, {.threads = 2},
                              on);
    ended.one();
}
bool coroutine_works(croft::task_scheduler& on) {
    long sum = 0;
    coroutines::ends ended;
    awaits_run(on, sum, ended);
    return ended.await(1) && sum == 285;
}
bool several_help(croft::task_scheduler& on, std::size_t threads) {
    std::mutex lock;
    std::set<std::thread::id> seen;
    on.run([&] {
        croft::parallel_for(0, 100'000,
                            [&](int) {
                                {
                                    const std::lock_guard guard(lock);
                                    seen.insert(std::this_thread::get_id());
                                    if (seen.size() == threads) return;
                                }
                                std::this_thread::sleep_for(std::chrono::microseconds(100));
                            },
                            {.grain = 1});
    });
    return seen.size() == threads;
}
struct posted_once final : croft::detached {
    void run() noexcept override { done = true; }
    std::atomic<bool> done{false};
};
bool post_works(croft::task_scheduler& on) {
    posted_once one;
    on.post(one);
    while (!one.done) std::this_thread::yield();
    return true;
}

int seven_if(bool right) { return right ? 7 : 8; }

}  // namespace

TEST_CASE("in a child all begins anew, after its parent has used it") {
    auto& common = croft::task_scheduler::common();
    croft::task_scheduler three(3);
    three.begin_posts();
    REQUIRE((loop_works() && pattern_works() && accelerator_works() && coroutine_works(common)));
    for (const auto& [what, works] : std::vector<std::pair<std::string, std::function<bool()>>>{
             {"a loop", loop_works},
             {"a pattern", pattern_works},
             {"an accelerator", accelerator_works},
             {"a coroutine", [&] { return coroutine_works(common); }},
             {"a scheduler of the parent's", [&] { return several_help(three, 3); }},
             {"its posts", [&] { return post_works(three); }},
             {"and another one", [] {
                  croft::task_scheduler two(2);
                  return several_help(two, 2);
              }}}) {
        CAPTURE(what);
        CHECK(ends_by([&works = works] { return seven_if(works()); }) == "status 7");
    }
    // One after the other, in a child, in its child, and in the parent.
    const auto all = [&] {
        return loop_works() && pattern_works() && accelerator_works() && coroutine_works(common) &&
               several_help(three, 3) && post_works(three);
    };
    CHECK(ends_by([&] { return seven_if(all() && ends_by([&] { return seven_if(all()); }) == "status 7" && all()); }) ==
          "status 7");
    CHECK(all());
}

// (AddressSanitizer's own allocator may be locked by one of them, for ever in the child.)
#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("a process forks while its threads are in loops and patterns") {
    std::atomic<bool> end{false};
    std::atomic<int> rounds{0};
    std::vector<std::jthread> busy;
    for (int t = 0; t < 3; ++t)
        busy.emplace_back([&, t] {
            while (!end) {
                t == 0 ? pattern_works() : t == 1 ? loop_works() : accelerator_works();
                ++rounds;
            }
        });
    // (A child that exits would see what its parent's threads had, and could not free, as leaks.)
    for (int i = 0; i < 30; ++i)
        CHECK(ends_by([] {
                  ::_exit(seven_if(loop_works() && pattern_works() && accelerator_works()));
                  return 0;
              }) == "status 7");
    while (rounds < 3) std::this_thread::yield();
    end = true;
}
#endif

TEST_CASE("within a step, a task or a stage, a child begins anew and exits") {
    croft::task_scheduler three(3);
    std::string of_step, of_stage;
    three.run([&] {
        croft::parallel_for(0, 3,
                            [&](int i) {
                                if (i == 1)
                                    of_step = ends_by([&] {
                                        ::_exit(seven_if(loop_works() && pattern_works() && several_help(three, 3)));
                                        return 0;
                                    });
                            },
                            {.grain = 1});
    });
    CHECK(of_step == "status 7");
    croft::run(streams::count_to(3),
               croft::farm(
                   [&](int i) {
                       if (i == 1)
                           of_stage = ends_by([] {
                               ::_exit(seven_if(loop_works() && pattern_works()));
                               return 0;
                           });
                       return i;
                   },
                   {.workers = 2}),
               [](int) {}, {.threads = 3});
    CHECK(of_stage == "status 7");
}

TEST_CASE("a child that comes back to a stage or a task that others have to finish is told so") {
    const std::string sentence =
        "croft: the child of a fork has come back to what it was forked in, a stage, a task or a step of a loop: the "
        "threads that work on it are its parent's\nsignal 6";
    // The child of last_words() ends in the same way as the child that it forks itself.
    CHECK(in_child::last_words([&] {
              int status = 0;
              croft::run(streams::count_to(100),
                         croft::farm(
                             [&](int i) {
                                 if (i == 50)
                                     if (const pid_t child = ::fork(); child != 0) {
                                         ::waitpid(child, &status, 0);
                                         std::signal(SIGABRT, SIG_DFL);
                                         ::kill(::getpid(), WTERMSIG(status));
                                     }
                                 return i;
                             },
                             {.workers = 3}),
                         [](int) {}, {.threads = 5});
              return 0;
          }) == sentence);
}

TEST_CASE("a child destroys its parent's accelerator, whose threads it does not have") {
    auto one = std::make_unique<croft::accelerator<int, int>>(croft::farm([](int i) { return i; }, {.workers = 2}),
                                                              croft::accelerator_options{.threads = 3});
    one->offload(1);
    CHECK(ends_by([&] {
              one.reset();
              return seven_if(accelerator_works());
          }) == "status 7");
    CHECK(one->get_result() == 1);
}

TEST_CASE("a child destroys its parent's schedulers, used there or not") {
    auto one = std::make_unique<croft::task_scheduler>(3), other = std::make_unique<croft::task_scheduler>(2);
    CHECK(ends_by([&] {
              one.reset();
              const bool works = several_help(*other, 2);
              other.reset();
              return seven_if(works && loop_works());
          }) == "status 7");
    CHECK(several_help(*one, 3));
}
