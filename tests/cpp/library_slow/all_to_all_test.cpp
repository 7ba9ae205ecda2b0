// N left parts to M right ones: alone and within other patterns, on any number of threads, with keys, failing, stopped.

#include <croft/pattern/all_to_all.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <croft/pattern/farm.hpp>
#include <croft/pattern/feedback.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/run.hpp>

#include "policies_under_test.hpp"
#include "streams.hpp"

using namespace streams;

namespace {

constexpr int items = 300;

std::vector<int> sorted(std::vector<int> all) {
    std::sort(all.begin(), all.end());
    return all;
}
// 0, factor, 2 * factor ...
std::vector<int> multiples(int factor, int count = items) {
    std::vector<int> all;
    for (int i = 0; i < count; ++i) all.push_back(factor * i);
    return all;
}
const auto by_value = [](int n, std::size_t) { return static_cast<std::size_t>(n); };

// A right part that tells which it is, and the how-many-eth of its items each one is.
struct noted {
    int item, part, turn;
};
struct notes {
    explicit notes(std::atomic<int>& all) : parts(&all) {}
    notes(const notes& other) : parts(other.parts), part(parts->fetch_add(1)) {}
    noted operator()(int n) { return {n, part, turn++}; }
    std::atomic<int>* parts;
    int part = 0, turn = 0;
};

}  // namespace

TEST_CASE_TEMPLATE("all to all: every item goes through a left and a right part", Policies, packed_policies,
                   turns_policies) {
    for (const std::size_t threads : thread_counts)
        for (const auto& [left, right] :
             std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}, {1, 3}, {3, 1}, {2, 2}, {4, 3}, {0, 0}})
            for (const auto how : {croft::schedule::on_demand, croft::schedule::round_robin})
                for (const std::size_t slots : {1, 0}) {
                    CAPTURE(threads);
                    CAPTURE(left);
                    CAPTURE(right);
                    const croft::all_to_all_options options{left, right, how, slots};
                    const auto any = croft::all_to_all(dawdle, [](int n) { return n + 1; }, options);
                    std::vector<int> expected = multiples(3);
                    for (int& each : expected) ++each;
                    CHECK(sorted(results_of<int, Policies>(items, any, threads)) == expected);
                    const auto keyed = croft::all_to_all(dawdle, [](int n) { return n + 1; }, options, by_value);
                    CHECK(sorted(results_of<int, Policies>(items, keyed, threads)) == expected);
                }
}

TEST_CASE("all to all: one key, one right part, in the order of each left part") {
    for (const std::size_t threads : thread_counts) {
        CAPTURE(threads);
        std::atomic<int> parts{0};
        const notes right(parts);
        std::map<int, int> part_of;
        std::map<std::pair<int, int>, int> last_of;  // of each left part and key, in the order of the right part
        std::vector<noted> seen;
        // Left part i of 3 makes i, i + 3 ...
        croft::run(
            [](std::size_t number) { return number < items ? std::optional(static_cast<int>(number)) : std::nullopt; },
            croft::all_to_all(dawdle, right, {.left = 3, .right = 4},
                              [](int n, std::size_t rights) { return static_cast<std::size_t>(n / 3 / 7) % rights; }),
            [&](noted made) { seen.push_back(made); }, {.threads = threads});
        REQUIRE(seen.size() == items);
        std::sort(seen.begin(), seen.end(), [](const noted& a, const noted& b) { return a.turn < b.turn; });
        for (const noted& each : seen) {
            const int number = each.item / 3, key = number / 7 % 4;
            CHECK(part_of.try_emplace(key, each.part).first->second == each.part);
            int& last = last_of.try_emplace({number % 3, key}, -1).first->second;
            CHECK(number > last);
            last = number;
        }
    }
}

TEST_CASE("all to all: a source that takes numbers is each left part's own, for its numbers") {
    for (const std::size_t threads : thread_counts) {
        CAPTURE(threads);
        std::vector<std::atomic<int>> asked(items);
        std::vector<int> made;
        auto pattern = croft::all_to_all(dawdle, [](int n) { return n; }, {.left = 3, .right = 2});
        croft::run(
            [&](std::size_t number) -> std::optional<int> {
                if (number >= items) return std::nullopt;
                ++asked[number];
                return static_cast<int>(number);
            },
            pattern, [&](int n) { made.push_back(n); }, {.threads = threads});
        CHECK(sorted(made) == multiples(3));
        CHECK(std::all_of(asked.begin(), asked.end(), [](const auto& times) { return times == 1; }));
    }
}

TEST_CASE("all to all: nothing is between left and right parts, and each thread has some of both") {
    const auto pattern = croft::all_to_all(dawdle, dawdle, {.left = 2, .right = 2});
    CHECK(croft::plan_of(pattern, {.threads = 2, .place = croft::placements::neighbours{}}).to_string() ==
          "thread 0: source, all_to_all.emitter, all_to_all.left 0.stage, all_to_all.right 0.stage, "
          "all_to_all.collector, sink\n"
          "thread 1: all_to_all.left 1.stage, all_to_all.right 1.stage\n");
}

TEST_CASE("all to all: parts that are patterns, filters, or make many") {
    const auto odd = [](int n) { return n % 2 ? std::optional(n) : std::nullopt; };
    const auto twice = [](int n, croft::out<int>& out) {
        out.send(n);
        out.send(n + 1);
    };
    for (const std::size_t threads : thread_counts) {
        CAPTURE(threads);
        const auto pattern = croft::all_to_all(croft::pipeline(odd, twice), croft::farm(dawdle, {.workers = 2}),
                                               {.left = 2, .right = 2}, by_value);
        CHECK(sorted(results_of<int>(items, pattern, threads)) == [] {
            std::vector<int> all;
            for (int n = 1; n < items; n += 2) all.insert(all.end(), {3 * n, 3 * n + 3});
            return all;
        }());
        const auto nested = croft::all_to_all(pattern, pattern, {.left = 2, .right = 1});
        CHECK(results_of<int>(items, nested, threads).size() == items);
    }
}

TEST_CASE("all to all: within an ordered farm order is kept, in a loop nothing is lost") {
    const auto parts = croft::all_to_all(dawdle, [](int n) { return n + 1; }, {.left = 2, .right = 2}, by_value);
    for (const std::size_t threads : thread_counts) {
        CAPTURE(threads);
        std::vector<int> expected = multiples(3);
        for (int& each : expected) ++each;
        CHECK(results_of<int>(items, croft::farm(parts, {.workers = 2, .ordered = true}), threads) == expected);

        const auto halves =
            croft::all_to_all([](int n) { return n / 2; }, [](int n) { return n; }, {.left = 2, .right = 2}, by_value);
        const auto until_small = croft::feedback(halves, [](int n) { return n > 1; });
        const auto made = results_of<int>(items, until_small, threads);
        CHECK(made.size() == items);
        CHECK(std::count(made.begin(), made.end(), 1) == items - 2);
    }
}

TEST_CASE("all to all: items that can only be moved") {
    using box = std::unique_ptr<int>;
    const auto wrap = [](int n) { return std::make_unique<int>(n); };
    const auto open = [](box n) { return *n; };
    for (const std::size_t threads : thread_counts)
        CHECK(sorted(results_of<int>(items, croft::all_to_all(wrap, open, {.left = 2, .right = 3}), threads)) ==
              multiples(1));
}

TEST_CASE("all to all: what a part throws leaves the run") {
    for (const std::size_t threads : thread_counts)
        for (const bool in_left : {true, false}) {
            CAPTURE(threads);
            const auto fail = [](int n) {
                if (n == 100) throw std::runtime_error("at 100");
                return n;
            };
            const auto pass = [](int n) { return n; };
            const auto run = [&](const auto& pattern) { results_of<int>(1'000'000'000, pattern, threads); };
            if (in_left)
                CHECK_THROWS_WITH(run(croft::all_to_all(fail, pass, {.left = 2, .right = 3})), "at 100");
            else
                CHECK_THROWS_WITH(run(croft::all_to_all(pass, fail, {.left = 2, .right = 3}, by_value)), "at 100");
            CHECK_THROWS_WITH(run(croft::all_to_all(pass, pass, {.left = 2, .right = 3},
                                                    [](int n, std::size_t) -> std::size_t {
                                                        if (n == 100) throw std::runtime_error("at 100");
                                                        return 1;
                                                    })),
                              "at 100");
        }
}

TEST_CASE("all to all: a stop ends every source, and what is under way is delivered") {
    for (const std::size_t threads : thread_counts) {
        CAPTURE(threads);
        croft::stopper stops;
        std::atomic<int> made{0};
        int got = 0;
        croft::run(
            [&](std::size_t number) {
                ++made;
                return std::optional(static_cast<int>(number));
            },
            croft::all_to_all(dawdle, [](int n) { return n; }, {.left = 3, .right = 2}),
            [&](int) {
                if (++got == 50) stops.stop();
            },
            {.threads = threads, .stops = &stops});
        CHECK(got == made);
    }
}
