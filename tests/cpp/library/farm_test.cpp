// Farms as patterns: of stages and of patterns, nested, ordered or not, on any number of threads.

#include <croft/pattern/farm.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/run.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "policies_under_test.hpp"
#include "streams.hpp"

using namespace streams;

namespace {

constexpr int items = 400;

std::vector<croft::farm_options> all_options() {
    std::vector<croft::farm_options> all;
    for (const std::size_t workers : {1, 2, 3, 9})
        for (const auto schedule : {croft::schedule::on_demand, croft::schedule::round_robin})
            for (const bool ordered : {false, true})
                for (const std::size_t rows : {1, 2})
                    all.push_back({.workers = workers,
                                   .schedule = schedule,
                                   .ordered = ordered,
                                   .slots = workers,
                                   .emitters = rows,
                                   .collectors = rows});
    return all;
}

// Three from each third item, none from the one after it, one from the others.
void split(int n, croft::out<int>& out) {
    if (n % 3 == 1) return;
    for (int i = 0; i < (n % 3 ? 1 : 3); ++i) out.send(dawdle(n) + i);
}
std::vector<int> split_all(const std::vector<int>& in) {
    std::vector<int> all;
    for (const int n : in) {
        if (n % 3 == 1) continue;
        for (int i = 0; i < (n % 3 ? 1 : 3); ++i) all.push_back(3 * n + i);
    }
    return all;
}
std::vector<int> numbers(int count) {
    std::vector<int> all;
    for (int i = 0; i < count; ++i) all.push_back(i);
    return all;
}

}  // namespace

TEST_CASE_TEMPLATE("every item yields what it should, in order if asked", Policies, packed_policies, turns_policies,
                   paper_policies, drowsy_packed_policies) {
    for (const croft::farm_options& options : all_options())
        for (const std::size_t threads : {1, 2, 13}) {
            CAPTURE(options.workers);
            CAPTURE(options.ordered);
            CAPTURE(options.emitters);
            CAPTURE(threads);
            std::vector<int> made = results_of<int, Policies>(items, croft::farm(dawdle, options), threads);
            std::vector<int> split_made = results_of<int, Policies>(items, croft::farm(split, options), threads);
            if (!options.ordered) std::sort(made.begin(), made.end());
            if (!options.ordered) std::sort(split_made.begin(), split_made.end());
            std::vector<int> expected = numbers(items);
            for (int& n : expected) n *= 3;
            CHECK(made == expected);
            expected = split_all(numbers(items));
            if (!options.ordered) std::sort(expected.begin(), expected.end());
            CHECK(split_made == expected);
        }
}

TEST_CASE("1 to 56 workers, on cores or not") {
    for (std::size_t workers = 1; workers <= 56; workers += workers < 9 ? 1 : 47) {
        const auto made = results_of<int>(200, croft::farm(dawdle, {.workers = workers, .ordered = true}), workers + 2);
        REQUIRE(made.size() == 200);
        for (int n = 0; n < 200; ++n) CHECK(made[n] == 3 * n);
        CHECK(results_of<int>(0, croft::farm(dawdle, {.workers = workers}), workers + 2).empty());
    }
}

TEST_CASE("nested three deep, with filters and stages that make many, ordered by the outermost farm") {
    for (const std::size_t threads : thread_counts)
        for (const bool ordered : {false, true}) {
            const auto odd_out = [](int n) { return n % 2 ? std::nullopt : std::optional(n / 2); };
            const auto innermost = croft::pipeline(split, croft::farm(odd_out, {.workers = 2}));
            const auto middle = croft::farm(croft::pipeline(innermost, split), {.workers = 2});
            auto pattern = croft::farm(croft::pipeline(split, middle), {.workers = 3, .ordered = ordered});
            std::vector<int> expected;
            for (const int n : split_all(split_all(numbers(items))))
                if (n % 2 == 0) expected.push_back(n / 2);
            expected = split_all(expected);
            std::vector<int> made = results_of<int>(items, pattern, threads);
            if (!ordered) std::sort(made.begin(), made.end()), std::sort(expected.begin(), expected.end());
            CHECK(made == expected);
        }
}

TEST_CASE("every worker is a copy, and starts anew with every run") {
    struct counting {
        std::atomic<int>* copies_used;
        int mine = 0;
        int operator()(int n) {
            if (mine++ == 0) ++*copies_used;
            return n;
        }
    };
    for (const std::size_t threads : thread_counts) {
        std::atomic<int> copies_used{0};
        auto pattern = croft::farm(counting{&copies_used}, {.workers = 3, .schedule = croft::schedule::round_robin});
        for (int runs = 1; runs <= 2; ++runs) {
            CHECK(results_of<int>(30, pattern, threads).size() == 30);
            CHECK(copies_used == 3 * runs);
        }
    }
}

TEST_CASE("two items, however long, are worked on at the same time by two workers") {
    std::atomic<int> begun{0};
    const auto meet = [&](int) {
        ++begun;
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (begun < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        return begun.load();
    };
    int next = 0;
    std::vector<int> met;
    croft::run([&] { return next < 2 ? std::optional(next++) : std::nullopt; }, croft::farm(meet, {.workers = 2}),
               [&](int how_many) { met.push_back(how_many); }, {.threads = 2});
    CHECK(met == std::vector{2, 2});
}

TEST_CASE("the user may choose the worker of each item") {
    struct mine {
        int worker = -1;
        int operator()(int n) {
            if (worker < 0) worker = n % 4;
            return worker == n % 4 ? n : -1;
        }
    };
    const auto by_remainder = [](const int& n, std::size_t workers) { return static_cast<std::size_t>(n) % workers; };
    for (const std::size_t threads : thread_counts)
        for (const bool ordered : {false, true}) {
            auto made =
                results_of<int>(items, croft::farm(mine{}, {.workers = 4, .ordered = ordered}, by_remainder), threads);
            if (!ordered) std::sort(made.begin(), made.end());
            CHECK(made == numbers(items));
        }
    CHECK_THROWS_AS(results_of<int>(1, croft::farm(mine{}, {.workers = 4, .emitters = 2}, by_remainder), 2),
                    std::invalid_argument);
}

TEST_CASE("move-only items, in order") {
    for (const std::size_t threads : thread_counts) {
        int next = 0;
        bool in_order = true;
        croft::run([n = 0]() mutable { return n < items ? std::optional(std::make_unique<int>(n++)) : std::nullopt; },
                   croft::farm([](std::unique_ptr<int> n) { return n; }, {.workers = 3, .ordered = true}),
                   [&](std::unique_ptr<int> n) { in_order &= *n == next++; }, {.threads = threads});
        CHECK(in_order);
        CHECK(next == items);
    }
}

TEST_CASE("an exception in a worker, however deep, ends the run, ordered or not") {
    for (const std::size_t threads : thread_counts)
        for (const bool ordered : {false, true}) {
            const auto thrower = [](int n) { return n == 50 ? throw std::runtime_error("worker") : dawdle(n); };
            const auto inner =
                croft::farm(croft::pipeline(dawdle, [](int n) { return n / 3; }, thrower), {.workers = 2});
            CHECK_THROWS_WITH_AS(
                croft::run([n = 0]() mutable { return std::optional(n++); },
                           croft::farm(inner, {.workers = 2, .ordered = ordered}), [](int) {}, {.threads = threads}),
                "worker", std::runtime_error);
            int taken = 0;
            CHECK_THROWS_AS(croft::run([n = 0]() mutable { return std::optional(n++); },
                                       croft::farm(dawdle, {.workers = 4, .ordered = ordered}),
                                       [&](int) {
                                           if (++taken == 10) throw 1;
                                       },
                                       {.threads = threads}),
                            int);
            CHECK(taken == 10);
        }
}

TEST_CASE("a worker that cannot be copied when the run begins, and a choice that throws, are exceptions") {
    struct uncopyable {
        uncopyable() = default;
        uncopyable(const uncopyable& other) : copies(other.copies) {
            if (--*copies == 0) throw std::runtime_error("no copy");
        }
        std::shared_ptr<int> copies = std::make_shared<int>(10);
        int operator()(int n) const { return n; }
    };
    const auto endless = [] { return [n = 0]() mutable { return std::optional(n++); }; };
    CHECK_THROWS_WITH_AS(croft::run(endless(), croft::farm(uncopyable(), {.workers = 20}), [](int) {}), "no copy",
                         std::runtime_error);
    const auto thrower = [](const int& n, std::size_t) -> std::size_t {
        return n == 20 ? throw std::runtime_error("choice") : 0;
    };
    CHECK_THROWS_WITH_AS(croft::run(endless(), croft::farm(dawdle, {.workers = 2}, thrower), [](int) {}), "choice",
                         std::runtime_error);
}

TEST_CASE("a stopped farm drains or drops") {
    for (const std::size_t threads : thread_counts)
        for (const croft::farm_options& options : all_options()) {
            croft::stopper stopper;
            int made = 0, taken = 0;
            const auto source = [&] { return std::optional(made++); };
            const croft::run_options with{.threads = threads, .stops = &stopper};
            croft::run(
                source, croft::farm(dawdle, options),
                [&](int) {
                    if (++taken == 30) stopper.stop();
                },
                with);
            CHECK(taken >= 30);
            CHECK(taken == made);
            taken = 0;
            croft::run(
                source, croft::farm(croft::farm(dawdle, options), {.workers = 2, .ordered = true}),
                [&](int) {
                    if (++taken == 30) stopper.stop(croft::stop_mode::drop);
                },
                with);
            CHECK(taken == 30);
        }
}
