// Data-flow graphs: streams that part, meet, are joined, split, or lead nowhere.

#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/farm_of.hpp>
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
            auto tripled = g.add(g.input(), croft::farm_of(dawdle, {.workers = 3, .ordered = true}));
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
