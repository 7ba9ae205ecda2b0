// Loops: items that go round, that multiply, that vanish; loops in farms, farms in loops, loops in loops.

#include <croft/pattern/farm.hpp>
#include <croft/pattern/feedback.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/run.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "policies_under_test.hpp"
#include "streams.hpp"

using namespace streams;

namespace {

int halve(int n) { return n / 2; }
bool large(const int& n) { return n > 10; }
int halved(int n) {
    do n = halve(n);
    while (large(n));
    return n;
}
std::vector<int> sorted(std::vector<int> all) {
    std::sort(all.begin(), all.end());
    return all;
}
std::vector<int> halved_up_to(int count) {
    std::vector<int> all;
    for (int n = 0; n < count; ++n) all.push_back(halved(n));
    return all;
}

// A tree: an item of depth d makes two of depth d - 1, down to 0. A one leaves for each leaf.
void grow(int depth, croft::out<int>& back, croft::out<int>& out) {
    if (depth == 0) return out.send(1);
    back.send(depth - 1);
    back.send(depth - 1);
}

}  // namespace

TEST_CASE_TEMPLATE("items go round until they should not", Policies, packed_policies, paper_policies,
                   drowsy_packed_policies) {
    for (const std::size_t threads : thread_counts)
        for (const std::size_t slots : {1, 30}) {
            auto alone = croft::feedback(halve, large);
            CHECK(sorted(results_of<int, Policies>(300, alone, threads, slots)) == sorted(halved_up_to(300)));
            auto farm = croft::feedback(croft::farm(halve, {.workers = 3}), large);
            CHECK(sorted(results_of<int, Policies>(300, farm, threads, slots)) == sorted(halved_up_to(300)));
            CHECK(results_of<int, Policies>(0, farm, threads, slots).empty());
        }
}

TEST_CASE("items multiply in the router, in the body, and vanish in either") {
    for (const std::size_t threads : thread_counts) {
        const auto same = [](int n) { return n; };
        auto tree = croft::feedback(croft::farm(same, {.workers = 4}), grow);
        CHECK(results_of<int>(10, tree, threads).size() == (1 << 10) - 1);

        // The same tree, grown in the body, whose stage lets leaves fall.
        const auto split = [](int depth, croft::out<int>& out) {
            for (int i = 0; depth > 0 && i < 2; ++i) out.send(depth - 1);
        };
        int rounds = 0;
        auto silent = croft::feedback(croft::farm(split, {.workers = 4}), [&](const int&) { return ++rounds > 0; });
        CHECK(results_of<int>(10, silent, threads).empty());
        CHECK(rounds == 2 * ((1 << 10) - 1 - 10));

        auto filtered = croft::feedback([](int n) { return n % 2 ? std::optional(n / 2) : std::nullopt; }, large);
        int survivors = 0;
        for (int n = 0; n < 200; ++n) {
            int m = n;
            bool alive = true;
            do {
                alive = m % 2;
                m /= 2;
            } while (alive && large(m));
            survivors += alive;
        }
        CHECK(static_cast<int>(results_of<int>(200, filtered, threads).size()) == survivors);
    }
}

TEST_CASE("a loop within an ordered farm keeps the order, and what comes of an item together") {
    for (const std::size_t threads : thread_counts) {
        auto inside = croft::feedback(croft::farm(halve, {.workers = 2}), large);
        auto pattern = croft::farm(inside, {.workers = 3, .ordered = true});
        CHECK(results_of<int>(300, pattern, threads) == halved_up_to(300));

        const auto label = [](int n) { return std::pair(n, n % 5); };
        const auto route = [](std::pair<int, int> n, croft::out<std::pair<int, int>>& back, croft::out<int>& out) {
            if (n.second == 0) return out.send(n.first);
            back.send({n.first, n.second - 1});
            back.send({n.first, 0});
        };
        auto labelled = croft::pipeline(label, croft::feedback([](std::pair<int, int> n) { return n; }, route));
        const auto made = results_of<int>(100, croft::farm(labelled, {.workers = 3, .ordered = true}), threads);
        CHECK(std::is_sorted(made.begin(), made.end()));
        CHECK(made.size() == 300);
    }
}

TEST_CASE("a loop in a loop, with an ordered farm between") {
    for (const std::size_t threads : thread_counts) {
        auto inner = croft::feedback(halve, [](const int& n) { return n > 10 && n % 3; });
        auto middle = croft::farm(inner, {.workers = 2, .ordered = true});
        auto outer = croft::feedback(middle, large);
        const auto made = results_of<int>(300, outer, threads);
        CHECK(sorted(made) == sorted(halved_up_to(300)));
        auto nested = croft::feedback(croft::feedback(croft::farm(halve, {.workers = 2}), large),
                                      [](const int& n) { return n > 5; });
        CHECK(results_of<int>(300, nested, threads).size() == 300);
        auto trees = croft::feedback(croft::feedback([](int n) { return n; }, grow), [](const int&) { return false; });
        CHECK(results_of<int>(10, trees, threads).size() == (1 << 10) - 1);
    }
}

TEST_CASE("items that go round may be movable only") {
    for (const std::size_t threads : thread_counts) {
        int sum = 0;
        croft::run([n = 0]() mutable { return n < 50 ? std::optional(std::make_unique<int>(n++)) : std::nullopt; },
                   croft::feedback(croft::farm(
                                       [](std::unique_ptr<int> n) {
                                           *n /= 2;
                                           return n;
                                       },
                                       {.workers = 2}),
                                   [](const std::unique_ptr<int>& n) { return *n > 0; }),
                   [&](std::unique_ptr<int> n) { sum += 1 + *n; }, {.threads = threads});
        CHECK(sum == 50);
    }
}

TEST_CASE("an exception ends an endless loop, from wherever it comes") {
    for (const std::size_t threads : thread_counts)
        for (const bool ordered : {false, true}) {
            const croft::run_options options{.threads = threads};
            const auto run = [&](auto body, auto route) {
                croft::run(
                    count_to(10), croft::farm(croft::feedback(body, route), {.workers = 2, .ordered = ordered}),
                    [](int) {}, options);
            };
            const auto count = [](int n) { return n + 1; };
            const auto always = [](const int&) { return true; };
            CHECK_THROWS_WITH_AS(run([](int n) { return n > 200 ? throw std::runtime_error("body") : n + 1; }, always),
                                 "body", std::runtime_error);
            CHECK_THROWS_WITH_AS(run(croft::farm(count, {.workers = 2}),
                                     [](const int& n) { return n > 200 ? throw std::runtime_error("route") : true; }),
                                 "route", std::runtime_error);
        }
}

TEST_CASE("a stop that drains lets items go round; one that drops ends an endless loop") {
    for (const std::size_t threads : thread_counts) {
        croft::stopper stopper;
        int made = 0, taken = 0;
        const croft::run_options options{.threads = threads, .stops = &stopper};
        croft::run([&] { return std::optional(100 + made++); },
                   croft::feedback(croft::farm(halve, {.workers = 2}), large),
                   [&](int) {
                       if (++taken == 30) stopper.stop();
                   },
                   options);
        CHECK(taken == made);
        std::atomic<int> rounds{0};
        croft::run([n = 0]() mutable { return std::optional(n++); },
                   croft::feedback(croft::feedback(croft::farm(
                                                       [&](int n) {
                                                           if (++rounds == 500) stopper.stop(croft::stop_mode::drop);
                                                           return n;
                                                       },
                                                       {.workers = 2}),
                                                   [](const int&) { return true; }),
                                   large),
                   [&](int) { CHECK(false); }, options);
        CHECK(rounds >= 500);
    }
}

TEST_CASE("a loop does not look empty between the messages that are made of one") {
    // On one thread the first is at the exit before the second is made.
    const auto twice = [](int n, croft::out<int>& out) {
        out.send(n);
        out.send(n + 1000);
    };
    const auto lessen = [](int n, croft::out<int>& back, croft::out<int>& out) {
        if (n % 1000 > 0) back.send(n - 1);
        out.send(n);
        if (n % 1000 == 0) out.send(-1);
    };
    for (const std::size_t threads : thread_counts)
        for (const int count : {1, 6}) {
            auto made = results_of<int>(count, croft::feedback(twice, [](const int&) { return false; }), threads, 1);
            CHECK(made.size() == 2 * static_cast<std::size_t>(count));
            auto in_order = croft::farm(croft::feedback(twice, [](const int&) { return false; }), {2, {}, true});
            std::vector<int> expected;
            for (int n = 0; n < count; ++n) expected.insert(expected.end(), {n, n + 1000});
            CHECK(results_of<int>(count, in_order, threads, 1) == expected);
            // A loop in a loop, where the inner one sends several out at once: n, n - 1, ... 0 and a mark.
            auto nested =
                croft::feedback(croft::feedback([](int n) { return n; }, lessen), [](const int&) { return false; });
            made = results_of<int>(count, nested, threads, 1);
            CHECK(made.size() == static_cast<std::size_t>(count * (count + 1) / 2 + count));
            CHECK(std::count(made.begin(), made.end(), -1) == count);
        }
}

TEST_CASE("an exception in an ordered farm in a loop ends it") {
    for (const std::size_t threads : thread_counts) {
        auto loop =
            croft::feedback(croft::farm([](int n) { return n == 17 ? throw std::runtime_error("worker") : n - 1; },
                                        {.workers = 2, .ordered = true}),
                            [](const int& n) { return n > 0; });
        CHECK_THROWS_WITH_AS(results_of<int>(100, loop, threads), "worker", std::runtime_error);
    }
}
