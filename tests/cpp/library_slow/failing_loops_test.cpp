// Every parallel loop and its siblings, with values whose every copy, move and construction fails once, and every
// allocation (failing.hpp).

#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_invoke.hpp>
#include <croft/task/parallel_reduce.hpp>
#include <croft/task/parallel_scan.hpp>
#include <croft/task/range_2d.hpp>
#include <croft/task/scheduler.hpp>
#include <croft/task/sort.hpp>
#include <croft/task/task.hpp>
#include <croft/task/task_group.hpp>
#include <croft/task/transform_reduce.hpp>
#include <croft/task/worker_local.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stop_token>
#include <vector>

#include "failing.hpp"

using failing::at_every_place;
using failing::thing;

namespace {

constexpr int steps = 24;
// Long enough for others to take some.
void dawdle() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(5);
    while (std::chrono::steady_clock::now() < end) {
    }
}
thing value(int i) {
    dawdle();
    return thing(i);
}
thing plus(thing a, thing b) { return a + b; }

// An element that is moved, and counted among the things.
class counted {
public:
    explicit counted(int value) : value_(value) { ++thing::alive; }
    counted(counted&& from) noexcept : counted(from.value_) {}
    counted& operator=(counted&&) noexcept = default;
    ~counted() { --thing::alive; }
    explicit operator int() const { return value_; }

private:
    int value_;
};

struct made : croft::task {
    made(const thing& what, std::atomic<int>& sum) : what_(what), sum_(sum) {}
    void execute() override {
        dawdle();
        sum_ += thing(what_).value();
        if (what_.value() == 0) return;
        made first(thing(what_.value() - 1), sum_), second(thing(0), sum_);
        reference_count = 2;
        spawn(&first);
        spawn(&second);
        wait(this);
    }
    thing what_;
    std::atomic<int>& sum_;
};

}  // namespace

TEST_CASE("failures at every place of loops") {
    croft::task_scheduler scheduler({.workers = 3});
    const auto check = [&](const char* which, auto action) {
        at_every_place(which, [&] { return scheduler.run(action); });
    };
    check("parallel_for", [] {
        std::atomic<int> sum{0};
        croft::parallel_for(0, steps, [&](int i) { sum += value(i).value(); }, {.grain = 2});
        return sum.load();
    });
    check("parallel_for with a body that holds one", [body = thing(3)] {
        std::atomic<int> sum{0};
        croft::parallel_for(0, steps, [&sum, own = body](int i) { sum += value(i * own.value()).value(); },
                            {.grain = 2});
        return sum.load();
    });
    check("parallel_for until a stop", [] {
        std::atomic<int> sum{0};
        std::stop_source stop;
        croft::parallel_for(0, steps, [&](int i) { sum += value(i).value(); }, stop.get_token(), {.grain = 2});
        return sum.load();
    });
    check("parallel_for over tiles", [] {
        std::atomic<int> sum{0};
        croft::parallel_for(croft::range_2d{5, 4},
                            [&](std::size_t r, std::size_t c) { sum += value(static_cast<int>(r * c)).value(); },
                            {.grain = 2});
        return sum.load();
    });
    check("parallel_reduce",
          [] { return croft::parallel_reduce(0, steps, thing(), value, plus, {.grain = 2}).value(); });
    check("parallel_reduce until a stop", [] {
        std::stop_source stop;
        return croft::parallel_reduce(0, steps, thing(), value, plus, stop.get_token(), {.grain = 2})->value();
    });
    check("parallel_reduce over tiles", [] {
        return croft::parallel_reduce(croft::range_2d{5, 4}, thing(),
                                      [](std::size_t r, std::size_t c) { return value(static_cast<int>(r * c)); }, plus,
                                      {.grain = 2})
            .value();
    });
    check("parallel_scan", [] {
        std::vector<int> sums(steps);
        const thing all = croft::parallel_scan(0, steps, thing(), value, plus, [&](int i, const thing& so_far) {
            sums[static_cast<std::size_t>(i)] = thing(so_far).value();
        });
        return all.value() + sums.back();
    });
    check("transform_reduce", [] {
        const std::vector<int> all(steps, 2);
        return croft::transform_reduce(all.begin(), all.end(), thing(1), plus, value, {.grain = 2}).value();
    });
    check("worker_local", [] {
        croft::worker_local<thing> sums([] { return thing(); });
        croft::parallel_for(0, steps, [&](int i) { sums.local() = sums.local() + value(i); }, {.grain = 2});
        return sums.combine(plus).value();
    });
}

TEST_CASE_TEMPLATE("failures at every place of a sort", Element, int, counted) {
    // Moving an element must not throw; comparing, and the room for as many again, may.
    croft::task_scheduler scheduler({.workers = 3});
    constexpr int count = 5000;
    at_every_place("sort", [&] {
        return scheduler.run([&] {
            std::vector<Element> all;
            all.reserve(count);
            for (int i = 0; i < count; ++i) all.emplace_back(i * 7919 % count);
            croft::sort(all.begin(), all.end(), [](const Element& a, const Element& b) {
                if (int{a} % 1024 == 3) thing(int{a});
                return int{a} < int{b};
            });
            int wrong = 0;
            for (int i = 0; i < count; ++i) wrong += int{all[static_cast<std::size_t>(i)]} != i;
            return wrong;
        });
    });
}

TEST_CASE("failures at every place of tasks and groups") {
    croft::task_scheduler scheduler({.workers = 3});
    at_every_place("parallel_invoke", [&] {
        return scheduler.run([&, own = thing(1)] {
            std::atomic<int> sum{0};
            const auto add = [&sum, own] { dawdle(), sum += thing(own).value(); };
            croft::parallel_invoke(add, [&] { croft::parallel_invoke(add, add, add); }, add);
            return sum.load();
        });
    });
    at_every_place("task_group", [&] {
        return scheduler.run([&] {
            std::atomic<int> sum{0};
            croft::task_group group;
            for (int i = 0; i < 5; ++i)
                group.run([&, own = thing(i)] {
                    dawdle();
                    sum += thing(own).value();
                    group.run([&sum, own] { sum += own.value(); });
                });
            group.wait();
            return sum.load();
        });
    });
    at_every_place("task", [&] {
        std::atomic<int> sum{0};
        made root(thing(6), sum);
        scheduler.run(root);
        return sum.load();
    });
    at_every_place("run_isolated", [&] {
        return scheduler.run([&] {
            return scheduler.run_isolated([own = thing(3), &scheduler] {
                std::atomic<int> sum{0};
                croft::parallel_for(0, steps, [&](int i) { sum += value(i * own.value()).value(); }, {.grain = 2});
                scheduler.run_isolated([&] { sum += 1; });
                return sum.load();
            });
        });
    });
    at_every_place("the common scheduler",
                   [] { return croft::parallel_reduce(0, steps, thing(), value, plus, {.grain = 2}).value(); });
}
