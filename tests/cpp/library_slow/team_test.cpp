// Patterns in which workers share one item: reduce, prefix, stencil; alone, in each other, and when something is
// thrown.

#include <croft/pattern/farm.hpp>
#include <croft/pattern/feedback.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/prefix.hpp>
#include <croft/pattern/reduce.hpp>
#include <croft/pattern/run.hpp>
#include <croft/pattern/stencil.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "policies_under_test.hpp"
#include "streams.hpp"

using namespace streams;

namespace {

// Ranges of 0, 1, ... elements, each one number.
std::vector<int> range(int n) {
    std::vector<int> all(n);
    std::iota(all.begin(), all.end(), 1);
    return all;
}
std::vector<std::string> letters(int n) {
    std::vector<std::string> all;
    for (int i = 0; i < n; ++i) all.push_back(std::string(1, static_cast<char>('a' + i % 26)));
    return all;
}
std::string word(int n) {
    std::string all;
    for (const std::string& letter : letters(n)) all += letter;
    return all;
}

croft::grid<int> ramp(int n) {
    croft::grid<int> made(n, n + 2);
    for (std::size_t i = 0; i < made.cells.size(); ++i) made.cells[i] = static_cast<int>(i * i % 101);
    return made;
}
int mix(const int* above, const int* here, const int* below) {
    return (3 * above[0] + 5 * here[-1] + 7 * here[0] + 11 * here[1] + 13 * below[0] + above[-1] + below[1]) % 1009;
}
croft::grid<int> stepped(croft::grid<int> from, int steps) {
    for (int s = 0; s < steps; ++s) {
        croft::grid<int> to = from;
        for (std::size_t r = 1; r + 1 < from.rows; ++r)
            for (std::size_t c = 1; c + 1 < from.columns; ++c)
                to.at(r, c) = mix(&from.at(r - 1, c), &from.at(r, c), &from.at(r + 1, c));
        from = to;
    }
    return from;
}

}  // namespace

TEST_CASE_TEMPLATE("reduce, in the elements' order, for ranges of any length", Policies, packed_policies,
                   turns_policies, paper_policies, drowsy_packed_policies) {
    for (const std::size_t threads : thread_counts)
        for (const std::size_t workers : {1, 2, 3, 4, 7, 8, 13}) {
            auto sums = croft::pipeline(range, croft::reduce(0L, std::plus<>(), {.workers = workers}));
            std::vector<long> expected;
            for (long n = 0; n < 40; ++n) expected.push_back(n * (n + 1) / 2);
            CHECK(results_of<long, Policies>(40, sums, threads) == expected);

            auto words = croft::pipeline(letters, croft::reduce(std::string(), std::plus<>(), {.workers = workers}));
            std::vector<std::string> spelt;
            for (int n = 0; n < 40; ++n) spelt.push_back(word(n));
            CHECK(results_of<std::string, Policies>(40, words, threads) == spelt);
        }
}

TEST_CASE("a reduction may be of what is made of the elements") {
    const auto length = [](const std::string& s) { return s.size(); };
    auto pattern = croft::pipeline(letters, croft::reduce(std::size_t{0}, length, std::plus<>(), {.workers = 3}));
    CHECK(results_of<std::size_t>(4, pattern, 2) == std::vector<std::size_t>{0, 1, 2, 3});
}

TEST_CASE_TEMPLATE("prefix, in the elements' order", Policies, packed_policies, paper_policies,
                   drowsy_packed_policies) {
    for (const std::size_t threads : thread_counts)
        for (const std::size_t workers : {1, 2, 3, 4, 7, 8, 13}) {
            auto pattern = croft::pipeline(letters, croft::prefix(std::plus<>(), {.workers = workers}));
            std::vector<std::vector<std::string>> expected;
            for (int n = 0; n < 30; ++n) {
                auto& words = expected.emplace_back();
                for (int i = 1; i <= n; ++i) words.push_back(word(i));
            }
            CHECK(results_of<std::vector<std::string>, Policies>(30, pattern, threads) == expected);
        }
}

TEST_CASE_TEMPLATE("stencil: workers with many rows, with one, with none", Policies, packed_policies, paper_policies,
                   drowsy_packed_policies) {
    for (const std::size_t threads : thread_counts)
        for (const std::size_t workers : {1, 2, 3, 5, 9})
            for (const int steps : {0, 1, 2, 9}) {
                auto pattern = croft::pipeline(ramp, croft::stencil(steps, mix, {.workers = workers}));
                const auto made = results_of<croft::grid<int>, Policies>(14, pattern, threads);
                REQUIRE(made.size() == 14);
                bool right = true;
                for (int n = 0; n < 14; ++n) right &= made[n].cells == stepped(ramp(n), steps).cells;
                CHECK(right);
            }
}

TEST_CASE("up to 56 workers") {
    for (const std::size_t workers : {31, 56}) {
        CHECK(results_of<long>(1,
                               croft::pipeline([](int) { return range(1000); },
                                               croft::reduce(0L, std::plus<>(), {.workers = workers})),
                               workers) == std::vector<long>{500500});
        auto steps = croft::pipeline([](int) { return ramp(80); }, croft::stencil(5, mix, {.workers = workers}));
        CHECK(results_of<croft::grid<int>>(1, steps, workers).at(0).cells == stepped(ramp(80), 5).cells);
    }
}

TEST_CASE("in farms, in order; in loops") {
    for (const std::size_t threads : thread_counts) {
        auto inside = croft::pipeline(range, croft::prefix(std::plus<>(), {.workers = 3}),
                                      croft::reduce(0, std::plus<>(), {.workers = 2}));
        auto farm = croft::farm(inside, {.workers = 2, .ordered = true});
        std::vector<int> expected;
        for (int n = 0; n < 60; ++n) expected.push_back(n * (n + 1) * (n + 2) / 6);
        CHECK(results_of<int>(60, farm, threads) == expected);

        auto loop = croft::feedback(croft::pipeline(range, croft::reduce(0, std::plus<>(), {.workers = 3})),
                                    [](const int& n) { return n > 1 && n < 100; });
        const auto made = results_of<int>(5, loop, threads);
        CHECK(made.size() == 5);
        CHECK(std::accumulate(made.begin(), made.end(), 0) == 0 + 1 + 231 + 231 + 1540);
    }
}

TEST_CASE("an exception ends it, whoever throws") {
    for (const std::size_t threads : thread_counts) {
        auto run = [&](auto pattern) {
            croft::run([n = 0]() mutable { return std::optional(n++); },
                       croft::pipeline([](int n) { return n % 40; }, pattern), [](const auto&) {},
                       {.threads = threads});
        };
        const auto thrower = [](int a, int b) {
            return b == 39 || a == 39 ? throw std::runtime_error("combine") : a + b;
        };
        CHECK_THROWS_WITH_AS(run(croft::pipeline(range, croft::reduce(0, thrower, {.workers = 4}))), "combine",
                             std::runtime_error);
        CHECK_THROWS_WITH_AS(run(croft::pipeline(range, croft::prefix(thrower, {.workers = 4}))), "combine",
                             std::runtime_error);
        const auto update = [](const int* above, const int* here, const int*) {
            return above[0] == 81 ? throw std::runtime_error("update") : here[0];
        };
        CHECK_THROWS_WITH_AS(run(croft::pipeline(ramp, croft::stencil(4, update, {.workers = 4}))), "update",
                             std::runtime_error);
    }
}

TEST_CASE("a run of one thread works on its items there alone") {
    const auto here = std::this_thread::get_id();
    const auto only_here = [here](int a, int b) { return std::this_thread::get_id() == here ? a + b : -1000; };
    auto sums = croft::pipeline([](int) { return range(1000); }, croft::prefix(only_here),
                                croft::reduce(0, [here, only_here](int a, int b) { return only_here(a, b) % 1000; }));
    CHECK(results_of<int>(3, sums, 1) == std::vector<int>(3, 1000 * 1001 * 1002 / 6 % 1000));
}

TEST_CASE("sums of floating-point numbers are the same in every run") {
    std::vector<float> all;
    for (int i = 0; i < 20'000; ++i) all.push_back(1.0F / static_cast<float>(i + 1));
    auto sums = croft::pipeline([&](int) { return all; }, croft::reduce(0.0F, std::plus<>(), {.workers = 3}));
    const std::vector<float> made = results_of<float>(30, sums, 3);
    CHECK(made == std::vector<float>(30, made.at(0)));
}

// A stage asks for help, or does not, by how long the elements of the item before took.
TEST_CASE("items of short and long elements in turn, and of both") {
    const auto slow = [](const std::string& letter) {
        if (letter != "z") return letter;
        volatile int spent = 0;
        for (int i = 0; i < 20'000; ++i) spent = spent + 1;
        return letter;
    };
    const auto lengths = [](int i) { return i % 5 == 0 ? 300 : 24 + i % 4; };  // "z" is the 26th letter
    int sent = 0, got = 0;
    croft::run(
        [&](std::vector<std::string>& to) {
            if (sent == 100) return false;
            to = letters(lengths(sent++));
            return true;
        },
        croft::pipeline(
            croft::prefix([](const std::string&, const std::string& right) { return right; }, {.workers = 3}),
            croft::reduce(std::string(), slow, std::plus<>(), {.workers = 3})),
        [&](std::string whole) { CHECK(whole == word(lengths(got++))); }, {.threads = 3});
    CHECK(got == 100);
}

// It has room for one call at a time.
struct one_room {
    std::vector<int> room = {0};
    int operator()(int a, int b) {
        room.assign(1, a);
        room.at(0) += b;
        return room.at(0);
    }
};

TEST_CASE("callables that change by a call are not shared") {
    const auto same = [room = std::vector<int>(1)](int n) mutable { return room.at(0) = n, room.at(0); };
    auto sums = croft::pipeline([](int) { return range(3000); }, croft::prefix(one_room(), {.workers = 3}),
                                [](std::vector<int> all) { return std::vector{all[0], all[1], all[2998], all[2999]}; },
                                croft::reduce(0, same, one_room(), {.workers = 3}));
    CHECK(results_of<int>(20, sums, 3) == std::vector<int>(20, 1 + 3 + 2999 * 3000 / 2 + 3000 * 3001 / 2));
}

TEST_CASE("a stop that drops ends the work on an item, however long that takes") {
    croft::stopper stopper;
    const auto forever = std::size_t(-1);
    const auto stop = [&](const int*, const int* here, const int*) {
        return stopper.stop(croft::stop_mode::drop), *here;
    };
    int made = 0;
    croft::run(count_to(1), croft::pipeline([](int) { return ramp(5); }, croft::stencil(forever, stop)),
               [&](const croft::grid<int>&) { ++made; }, {.threads = 2, .stops = &stopper});
    CHECK(made == 0);
}

struct order {
    explicit order(int n) : number(n) {}
    int number;
};

TEST_CASE("a reduction's values and a stencil's cells need no default constructor") {
    auto sums = croft::pipeline(
        [](int) { return range(1000); },
        croft::reduce(
            order(0), [](int n) { return order(n); }, [](order a, order b) { return order(a.number + b.number); }),
        [](order sum) { return sum.number; });
    CHECK(results_of<int>(3, sums, 2) == std::vector<int>(3, 1000 * 1001 / 2));
    auto corners = croft::pipeline(
        [](int) { return croft::grid<order>(3, 3, order(7)); },
        croft::stencil(2, [](const order*, const order* here, const order*) { return order(here->number + 1); }),
        [](const croft::grid<order>& g) { return g.at(1, 1).number * 100 + g.at(0, 0).number; });
    CHECK(results_of<int>(2, corners, 2) == std::vector<int>(2, 907));
}
