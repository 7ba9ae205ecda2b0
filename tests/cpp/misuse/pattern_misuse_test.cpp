// Each of these ends a debug build with its sentence. The calls beside it are allowed, and do not.

#include <doctest/doctest.h>

#include <atomic>
#include <optional>
#include <thread>

#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>

#include "last_words.hpp"

namespace {

struct up_to {
    int last, next = 0;
    std::optional<int> operator()() { return next < last ? std::optional(next++) : std::nullopt; }
};
const auto same = [](int n) { return n; };
const auto nothing = [](int) {};

}  // namespace

TEST_CASE("run: what is allowed ends nothing: a pattern again, a copy in a role of its own") {
    CHECK(last_words([] {
              auto farm = croft::farm(same, {.workers = 2});
              croft::stopper stops;
              for (int i = 0; i < 2; ++i) croft::run(up_to{10}, farm, nothing, {.stops = &stops});
              croft::run(up_to{10}, farm, [&](int) {
                  auto copy = farm;
                  croft::run(up_to{2}, copy, nothing);
              });
              std::_Exit(0);
          }) == went_on);
}

TEST_CASE("run: a pattern, and a stopper, are one run's at a time") {
    CHECK(last_words([] {
              auto farm = croft::farm(same, {.workers = 2});
              croft::run(up_to{10}, farm, [&](int) { croft::run(up_to{2}, farm, nothing); });
          }) == "croft::run: a pattern that runs already; a copy of it could");
    CHECK(last_words([] {
              auto farm = croft::farm(same, {.workers = 2});
              std::atomic<bool> runs{false};
              std::thread other([&] {
                  croft::run(up_to{1}, farm, [&](int) {
                      runs = true;
                      while (runs) std::this_thread::yield();
                  });
              });
              while (!runs) std::this_thread::yield();
              croft::run(up_to{2}, farm, nothing);
          }) == "croft::run: a pattern that runs already; a copy of it could");
    CHECK(last_words([] {
              croft::stopper stops;
              croft::run(up_to{10}, same, [&](int) { croft::run(up_to{2}, same, nothing, {.stops = &stops}); },
                         {.stops = &stops});
          }) == "croft::run: a stopper that another run has at the moment");
}

TEST_CASE("a stage sends while it is called, not afterwards") {
    CHECK(last_words([] {
              croft::out<int>* kept = nullptr;
              const auto twice = [&](int n, croft::out<int>& out) {
                  if (kept) kept->send(n);
                  kept = &out;
              };
              croft::run(up_to{10}, twice, nothing);
              std::_Exit(0);
          }) == went_on);
    CHECK(last_words([] {
              croft::out<int>* kept = nullptr;
              const auto keeps = [&](int, croft::out<int>& out) { kept = &out; };
              int items = 0;
              croft::run(
                  [&]() -> std::optional<int> {
                      if (items++ == 1) kept->send(1);
                      return items < 3 ? std::optional(items) : std::nullopt;
                  },
                  keeps, nothing, {.threads = 1});
          }) == "croft::out: send() after the stage has returned that it was given to");
}

TEST_CASE("accelerator: nothing is offloaded behind its end, and by one thread at a time") {
    CHECK(last_words([] {
              croft::accelerator<int, int> one(same);
              one.close();
              one.close();
              one.offload(1);
          }) == "croft::accelerator: an item is offloaded behind close()");
    CHECK(last_words([] {
              croft::accelerator<int, int> one(same);
              std::thread other([&] { one.get_result(); });
              while (one.try_get_result() || true) std::this_thread::yield();
          }) == "croft::channel: two threads receive at the same time");
}
