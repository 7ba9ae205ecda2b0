// croft's threads, counted: who has some, who gives them back, when there are none.

#include <doctest/doctest.h>

#include <pthread.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>
#include <croft/port/port.hpp>
#include <croft/task/parallel_for.hpp>
#include <croft/task/scheduler.hpp>
#include <croft/thread/shut_down.hpp>
#include <croft/thread/thread_pool.hpp>

#include "in_child.hpp"
#include "streams.hpp"

namespace {

// How many this process has; a sanitizer may have one of its own.
std::ptrdiff_t threads() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}
// One that has been joined may be listed for a moment longer.
bool becomes(std::ptrdiff_t count) {
    for (int i = 0; i < 2000 && threads() != count; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return threads() == count;
}
void loop() {
    croft::parallel_for(0, 1000, [](int) {}, {.grain = 4});
}
void pattern(std::size_t threads) {
    croft::run(streams::count_to(100), croft::farm([](int i) { return i; }, {.workers = threads - 1}), [](int) {},
               {.threads = threads});
}
int seven_if(bool right) { return right ? 7 : 8; }

// In a child, of a parent that has no threads of croft's, either: a sanitizer takes one of the child's for one of
// those.
template <class Action>
std::string ends_by(Action action) {
    if (!croft::shut_down()) return "threads are left";
    return in_child::ends_by(action);
}

}  // namespace

TEST_CASE("croft::shut_down() leaves no thread, and all works again afterwards") {
    CHECK(ends_by([] {
              const std::ptrdiff_t before = threads();
              for (int i = 0; i < 3; ++i) {
                  loop();
                  pattern(4);
                  if (threads() == before) return 1;
                  if (!croft::shut_down() || !becomes(before)) return 2;
                  if (!croft::shut_down()) return 3;
              }
              std::atomic<int> ended{0};
              croft::thread_pool::on_thread_stop([&](std::size_t) { ++ended; });
              pattern(4);
              return seven_if(croft::shut_down() && ended == 3);
          }) == "status 7");
}

TEST_CASE("croft::shut_down() leaves what somebody has, and says so") {
    CHECK(ends_by([] {
              const std::ptrdiff_t before = threads();
              {
                  croft::accelerator<int, int> one([](int i) { return i; }, {.threads = 1});
                  if (croft::shut_down()) return 1;
                  one.offload(5);
                  if (one.get_result() != 5) return 2;
                  croft::task_scheduler three(3);
                  if (croft::shut_down()) return 3;
                  three.run(loop);
              }
              bool refused = true;
              croft::task_scheduler::common().run([&] { refused = !croft::shut_down(); });
              return seven_if(refused && croft::shut_down() && becomes(before));
          }) == "status 7");
}

TEST_CASE("patterns and schedulers, one after the other, have the same threads") {
    CHECK(ends_by([] {
              const std::ptrdiff_t before = threads();
              pattern(4);
              croft::task_scheduler(4).run(loop);
              croft::task_scheduler(3).run(loop);
              pattern(3);
              return seven_if(threads() == before + 3);
          }) == "status 7");
}

TEST_CASE("a thread that was pinned and named for somebody is what it was when it was given back") {
    CHECK(ends_by([] {
              const std::vector<int> allowed = croft::port::allowed_cores();
              if (allowed.size() < 2) return 7;
              // All of them new, and so started by a thread that is pinned itself in a run.
              croft::run(streams::count_to(10), croft::farm([](int i) { return i; }, {.workers = 2}), [](int) {},
                         {.threads = 2, .place = croft::placements::neighbours{.pinned = true}});
              croft::task_scheduler({.workers = 2, .pinned = true, .name = "mine"}).run(loop);
              bool right = croft::port::allowed_cores() == allowed;
              auto look = [&](std::size_t) {
                  right = right && croft::port::allowed_cores() == allowed &&
                          croft::port::name_of_this_thread() == "croft-worker-0";
              };
              {
                  croft::thread_pool::loan one(1);
                  one.start(look);
              }
              return seven_if(right);
          }) == "status 7");
}

TEST_CASE("no two threads have the same name") {
    CHECK(ends_by([] {
              std::mutex lock;
              std::set<std::string> names;
              std::size_t asked = 0;
              auto note = [&](std::size_t) {
                  const std::lock_guard guard(lock);
                  names.insert(croft::port::name_of_this_thread());
                  ++asked;
              };
              croft::task_scheduler two({.workers = 3, .at_start = note}), other({.workers = 2, .at_start = note});
              croft::thread_pool::loan three(3);
              three.start(note);
              three.join();
              two.run(loop);
              other.run(loop);
              for (;; std::this_thread::yield()) {
                  const std::lock_guard guard(lock);
                  if (asked == 6) return seven_if(names.size() == 6);
              }
          }) == "status 7");
}

// (A sanitizer needs more memory than there would be.)
#if !defined(__SANITIZE_ADDRESS__) && !defined(CROFT_UNDER_TSAN)
TEST_CASE("who asks for more threads than there can be is told, leaves none, and gets fewer") {
    CHECK(ends_by([] {
              const std::ptrdiff_t before = threads();
              const rlimit most{300u << 20, 300u << 20};
              ::setrlimit(RLIMIT_AS, &most);
              int told = 0;
              const auto refused = [&](auto action) {
                  try {
                      action();
                  } catch (const std::system_error&) {
                      told += becomes(before);
                  }
              };
              int next = 0;
              refused([] { croft::thread_pool::loan many(200); });
              refused([] { croft::task_scheduler many(200); });
              refused([&] {
                  croft::run([&]() -> std::optional<int> { return next++; },
                             croft::farm([](int i) { return i; }, {.workers = 198}), [](int) {}, {.threads = 200});
              });
              refused([] {
                  croft::accelerator<int, int> many(croft::farm([](int i) { return i; }, {.workers = 198}),
                                                    {.threads = 200});
              });
              if (told != 4 || next != 0) return 1;
              pattern(4);
              croft::task_scheduler(4).run(loop);
              return seven_if(threads() == before + 3);
          }) == "status 7");
}

TEST_CASE("where no thread can be had, loops go on with the caller alone, and a pattern with one") {
    CHECK(ends_by([] {
              const std::ptrdiff_t before = threads();
              // Less room than a stack takes, of which none is left by threads that were.
              pthread_attr_t large;
              ::pthread_attr_init(&large);
              ::pthread_attr_setstacksize(&large, 256u << 20);
              ::pthread_setattr_default_np(&large);
              std::size_t pages = 0;
              std::ifstream("/proc/self/statm") >> pages;
              const rlim_t room = pages * 4096 + (128u << 20);
              const rlimit most{room, room};
              ::setrlimit(RLIMIT_AS, &most);
              std::atomic<int> steps{0};
              bool refused = false;
              try {
                  croft::task_scheduler two(2);
              } catch (const std::system_error&) {
                  refused = true;
              }
              croft::parallel_for(0, 1000, [&](int) { ++steps; }, {.grain = 4});
              pattern(1);
              const bool alone = threads() == before;
              return seven_if(refused && alone && steps == 1000);
          }) == "status 7");
}
#endif
