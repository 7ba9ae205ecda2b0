// Data-flow graphs: streams that part, meet, are joined, split, or lead nowhere.

#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/feedback.hpp>
#include <croft/pattern/graph.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/reduce.hpp>
#include <croft/pattern/run.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "policies_under_test.hpp"
#include "streams.hpp"

using namespace streams;

TEST_CASE_TEMPLATE("both branches get every item, and a join pairs what comes of it", Policies, packed_policies,
                   turns_policies, drowsy_packed_policies) {
    for (const std::size_t threads : thread_counts)
        for (const std::size_t slots : {1, 20}) {
            croft::graph<int, std::string, Policies> g;
            auto tripled = g.add(g.input(), croft::farm(dawdle, {.workers = 3, .ordered = true}));
            auto named = g.add(g.add(tripled, [](int n) { return n + 1; }), [](int n) { return std::to_string(n); });
            g.add(tripled, [](int n) { return -n; });  // goes nowhere
            g.leave(g.add(g.join(tripled, named), [](const std::pair<int, std::string>& both) {
                return std::to_string(both.first) + ' ' + both.second;
            }));
            std::vector<std::string> expected;
            for (int n = 0; n < 200; ++n) expected.push_back(std::to_string(3 * n) + ' ' + std::to_string(3 * n + 1));
            for (int runs = 0; runs < 2; ++runs)
                CHECK(results_of<std::string, Policies>(200, g, threads, slots) == expected);
        }
}

TEST_CASE("splits and merges; branches of very different length and rate") {
    for (const std::size_t threads : thread_counts)
        for (const std::size_t slots : {1, 20}) {
            croft::graph<int, int> g;
            auto [even, odd] = g.split(g.input(), [](const int& n) { return n % 2 == 0; });
            auto halved = g.add(even, [](int n) { return n / 2; });
            auto many = g.add(odd, [](int n, croft::out<int>& out) {
                for (int i = 0; i < 3; ++i) out.send(1000 + n);
            });
            g.leave(g.merge(halved, many));
            g.leave(g.add(many, croft::feedback([](int n) { return n - 500; }, [](const int& n) { return n > 500; })));
            auto made = results_of<int>(100, g, threads, slots);
            std::vector<int> expected;
            for (int n = 0; n < 100; n += 2) expected.push_back(n / 2);
            for (int n = 1; n < 100; n += 2)
                for (int i = 0; i < 3; ++i) expected.insert(expected.end(), {1000 + n, n});
            std::sort(made.begin(), made.end());
            std::sort(expected.begin(), expected.end());
            CHECK(made == expected);
        }
}

TEST_CASE("a join ends with the shorter stream, and neither is held up by the other") {
    for (const std::size_t threads : thread_counts) {
        croft::graph<int, int> g;
        auto few = g.add(g.input(), [](int n) { return n % 10 ? std::nullopt : std::optional(n); });
        auto all = g.add(g.input(), [](int n) { return n; });
        g.leave(g.add(g.join(few, all), [](const std::pair<int, int>& both) { return both.first - 10 * both.second; }));
        CHECK(results_of<int>(500, g, threads, 1) == std::vector<int>(50, 0));
    }
}

TEST_CASE("a graph is a pattern: in a pipeline, a graph, an accelerator") {
    for (const std::size_t threads : thread_counts) {
        const auto squares = [] {
            croft::graph<int, int> g;
            g.leave(g.add(g.join(g.input(), g.input()),
                          [](const std::pair<int, int>& both) { return both.first * both.second; }));
            return g;
        };
        croft::graph<int, int> outer;
        outer.leave(outer.add(outer.add(outer.input(), squares()), squares()));
        auto pattern = croft::pipeline([](int n) { return n + 1; }, std::move(outer));
        const auto made = results_of<int>(20, pattern, threads);
        REQUIRE(made.size() == 20);
        for (int n = 0; n < 20; ++n) CHECK(made[n] == (n + 1) * (n + 1) * (n + 1) * (n + 1));

        croft::accelerator<int, int> there(squares(), {.threads = threads});
        there.offload(7);
        CHECK(there.get_result() == 49);
    }
}

TEST_CASE("movable items have one taker; streams belong to their graph; something has to leave it") {
    croft::graph<int, int> g, other;
    auto boxed = g.add(g.input(), [](int n) { return std::make_unique<int>(n); });
    g.leave(g.add(boxed, [](std::unique_ptr<int> n) { return *n; }));
    CHECK(results_of<int>(3, g, 2) == std::vector<int>{0, 1, 2});
    g.add(boxed, [](std::unique_ptr<int> n) { return *n; });
    CHECK_THROWS_AS(results_of<int>(3, g, 2), std::invalid_argument);
    CHECK_THROWS_AS(other.add(g.input(), dawdle), std::invalid_argument);
    CHECK_THROWS_AS(results_of<int>(3, other, 2), std::invalid_argument);
}

TEST_CASE("an exception ends it; a stop drains or drops") {
    for (const std::size_t threads : thread_counts) {
        croft::graph<int, int> g;
        auto a = g.add(g.input(), [](int n) { return n == 70 ? throw std::runtime_error("branch") : n; });
        auto b = g.add(g.input(), dawdle);
        g.leave(g.add(g.join(a, b), [](const std::pair<int, int>& both) { return both.second; }));
        CHECK_THROWS_WITH_AS(
            croft::run([n = 0]() mutable { return std::optional(n++); }, g, [](int) {}, {.threads = threads}), "branch",
            std::runtime_error);
        croft::stopper stopper;
        for (const auto mode : {croft::stop_mode::drain, croft::stop_mode::drop}) {
            int made = 0, taken = 0;
            croft::run([&] { return std::optional(made++ % 60); }, g,
                       [&](int) {
                           if (++taken == 30) stopper.stop(mode);
                       },
                       {.threads = threads, .stops = &stopper});
            CHECK(taken == (mode == croft::stop_mode::drop ? 30 : made));
        }
    }
}

namespace {

// Along four ways, of which one leads nowhere, one makes two of each, and one lets half fall.
template <class Policies = croft::policies>
croft::graph<int, int, Policies> ways() {
    croft::graph<int, int, Policies> g;
    auto tripled = g.add(g.input(), dawdle);
    g.add(g.input(), [](int n) { return std::to_string(n); });
    auto [even, odd] = g.split(tripled, [](const int& n) { return n % 2 == 0; });
    auto twice = g.add(odd, [](int n, croft::out<int>& out) {
        out.send(n);
        out.send(-n);
    });
    auto some = g.add(even, [](int n) { return n % 4 == 0 ? std::optional(n) : std::nullopt; });
    auto sums =
        g.add(g.join(g.input(), tripled), [](const std::pair<int, int>& both) { return both.first + both.second; });
    g.leave(g.merge(some, twice));
    g.leave(sums);
    return g;
}
std::vector<int> of_ways(int n) {
    std::vector<int> made{4 * n};
    if (n % 2)
        made.insert(made.end(), {3 * n, -3 * n});
    else if (n % 4 == 0)
        made.push_back(3 * n);
    std::sort(made.begin(), made.end());
    return made;
}
void check_in_order(const std::vector<int>& made, int count) {
    std::size_t at = 0;
    for (int n = 0; n < count; ++n) {
        const std::vector<int> expected = of_ways(n);
        REQUIRE(at + expected.size() <= made.size());
        const auto from = made.begin() + static_cast<std::ptrdiff_t>(at);
        std::vector<int> found(from, from + static_cast<std::ptrdiff_t>(expected.size()));
        std::sort(found.begin(), found.end());
        CHECK(found == expected);
        at += expected.size();
    }
    CHECK(at == made.size());
}

}  // namespace

TEST_CASE_TEMPLATE("in a farm, ordered or not, each worker has a graph of its own", Policies, packed_policies,
                   drowsy_packed_policies) {
    for (const std::size_t threads : thread_counts)
        for (const std::size_t slots : {1, 20}) {
            auto ordered = croft::farm(ways<Policies>(), {.workers = 2, .ordered = true});
            for (int runs = 0; runs < 2; ++runs)
                check_in_order(results_of<int, Policies>(90, ordered, threads, slots), 90);
            CHECK(results_of<int, Policies>(0, ordered, threads, slots).empty());
            auto made = results_of<int, Policies>(90, croft::farm(ways<Policies>(), {.workers = 2}), threads, slots);
            std::vector<int> expected;
            for (int n = 0; n < 90; ++n)
                for (const int each : of_ways(n)) expected.push_back(each);
            std::sort(made.begin(), made.end());
            std::sort(expected.begin(), expected.end());
            CHECK(made == expected);
        }
}

TEST_CASE("in a loop, and the loop in an ordered farm") {
    // Collatz, by a way for each case, with one beside them that nobody takes.
    struct walk {
        long at;
        int steps;
    };
    for (const std::size_t threads : thread_counts) {
        croft::graph<walk, walk> step;
        auto [even, odd] = step.split(step.input(), [](const walk& w) { return w.at % 2 == 0; });
        step.add(step.input(), [](walk w) { return w.at; });
        step.leave(step.add(even, [](walk w) { return walk{w.at / 2, w.steps + 1}; }));
        step.leave(step.add(odd, croft::farm([](walk w) { return walk{3 * w.at + 1, w.steps + 1}; }, {2})));
        auto loop = croft::feedback(std::move(step), [](const walk& w) { return w.at != 1; });
        const auto start = [](int n) { return walk{n + 2, 0}; };
        const auto steps = [](walk w) { return w.steps; };
        auto made = results_of<int>(100, croft::pipeline(start, loop, steps), threads);
        std::vector<int> expected;
        for (long n = 2; n < 102; ++n) {
            int count = 0;
            for (long at = n; at != 1; ++count) at = at % 2 ? 3 * at + 1 : at / 2;
            expected.push_back(count);
        }
        CHECK(results_of<int>(100, croft::farm(croft::pipeline(start, loop, steps), {2, {}, true}), threads) ==
              expected);
        std::sort(made.begin(), made.end());
        std::sort(expected.begin(), expected.end());
        CHECK(made == expected);
    }
}

TEST_CASE("joins in a loop: what is kept for a partner keeps nobody waiting") {
    for (const std::size_t threads : thread_counts) {
        // Pairs each third item with the first, second, ... of all.
        croft::graph<int, int> g;
        auto third = g.add(g.input(), [](int n) { return n % 3 == 0 ? std::optional(n) : std::nullopt; });
        g.leave(g.add(g.join(third, g.input()), [](const std::pair<int, int>& both) { return both.first; }));
        std::vector<int> expected;
        for (int n = 0; n < 60; n += 3) expected.push_back(n);
        CHECK(results_of<int>(60, croft::farm(g, {.workers = 1, .ordered = true}), threads) == expected);
        CHECK(results_of<int>(60, croft::feedback(g, [](const int&) { return false; }), threads) == expected);
    }
}

TEST_CASE("three deep: a farm in a graph in a farm in a loop; an exception in it, and a stop") {
    for (const std::size_t threads : thread_counts) {
        const auto make = [](int forbidden) {
            croft::graph<int, int> g;
            auto down = g.add(
                g.input(),
                croft::farm([forbidden](int n) { return n == forbidden ? throw std::runtime_error("deep") : n - 1; },
                            {.workers = 2, .ordered = true}));
            g.leave(g.add(g.join(down, g.input()), [](const std::pair<int, int>& both) { return both.first; }));
            return croft::feedback(croft::farm(std::move(g), {.workers = 2}), [](const int& n) { return n > 0; });
        };
        const auto made = results_of<int>(30, make(-1), threads);
        CHECK(made.size() == 30);
        CHECK_THROWS_WITH_AS(results_of<int>(30, make(17), threads), "deep", std::runtime_error);
        croft::stopper stopper;
        for (const auto mode : {croft::stop_mode::drain, croft::stop_mode::drop}) {
            int from = 0, taken = 0;
            croft::run([&] { return std::optional(from++ % 10); }, make(-1),
                       [&](int) {
                           if (++taken == 30) stopper.stop(mode);
                       },
                       {.threads = threads, .stops = &stopper});
            CHECK(taken == (mode == croft::stop_mode::drop ? 30 : from));
        }
    }
}

TEST_CASE("ways that part and meet at once, where there is room for one item only") {
    for (const std::size_t threads : {1, 2, 3}) {
        croft::graph<int, int> g;
        g.leave(g.input());
        g.leave(g.input());
        g.leave(g.merge(g.input(), g.input()));
        auto made = results_of<int>(300, croft::pipeline(std::move(g), [](int n) { return n; }), threads, 1);
        std::sort(made.begin(), made.end());
        std::vector<int> expected;
        for (int n = 0; n < 300; ++n) expected.insert(expected.end(), 4, n);
        CHECK(made == expected);
    }
}

TEST_CASE("a copy of a graph is another one; of a stage that cannot be copied there is none") {
    croft::graph<int, int> g;
    auto all = g.add(g.input(), dawdle);
    croft::graph<int, int> copy(g);
    g.leave(all);
    CHECK(results_of<int>(2, g, 1) == std::vector<int>{0, 3});
    CHECK_THROWS_AS(results_of<int>(2, copy, 1), std::invalid_argument);
    copy = g;
    g.leave(all);
    CHECK(results_of<int>(2, copy, 1) == std::vector<int>{0, 3});
    CHECK(results_of<int>(2, g, 1) == std::vector<int>{0, 0, 3, 3});

    croft::graph<int, int> alone;
    alone.leave(alone.add(alone.input(), [box = std::make_unique<int>(5)](int n) { return n + *box; }));
    CHECK(results_of<int>(1, alone, 1) == std::vector<int>{5});
    const auto duplicate = [&] { return croft::graph<int, int>(alone); };
    CHECK_THROWS_WITH_AS(duplicate(), "croft::graph: with a stage that cannot be copied a graph cannot be either",
                         std::invalid_argument);
}
