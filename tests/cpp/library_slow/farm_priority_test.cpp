// Farms whose items overtake each other: what waits is given out by urgency, what does not is not lost.

#include <croft/pattern/farm.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <croft/pattern/feedback.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/run.hpp>

#include "policies_under_test.hpp"
#include "streams.hpp"

using namespace streams;

namespace {

constexpr int items = 60;
int urgency(int n) { return n * 7 % 5; }

// One worker on a thread of its own, which begins its first item only when all have been made. The items in the order
// in which it had them.
template <class Policies>
std::vector<int> order_of_work(std::size_t slots) {
    std::atomic<bool> all_made{false};
    std::vector<int> order;
    int next = 0;
    croft::run<Policies>(
        [&]() -> std::optional<int> {
            if (next < items) return next++;
            all_made = true;
            return std::nullopt;
        },
        croft::farm(
            [&](int n) {
                while (!all_made) std::this_thread::yield();
                order.push_back(n);
                return n;
            },
            {.workers = 1, .slots = slots}, croft::priority{urgency}),
        [](int) {}, {.place = croft::placements::thread_a_role{}});
    return order;
}

}  // namespace

TEST_CASE_TEMPLATE("priority: the most urgent of those that wait is next, of equals the first", Policies,
                   packed_policies, turns_policies) {
    for (const std::size_t slots : {0, 1, 5}) {
        CAPTURE(slots);
        const std::vector<int> order = order_of_work<Policies>(slots);
        REQUIRE(order.size() == items);
        const std::size_t given = slots ? slots : 2;  // before they could be overtaken
        for (std::size_t i = 0; i < given; ++i) CHECK(order[i] == static_cast<int>(i));
        for (std::size_t i = given + 1; i < order.size(); ++i) {
            CHECK(urgency(order[i - 1]) >= urgency(order[i]));
            if (urgency(order[i - 1]) == urgency(order[i])) CHECK(order[i - 1] < order[i]);
        }
    }
}

TEST_CASE("priority: whoever makes items waits when the room is full") {
    std::atomic<int> made{0}, done{0};
    int most = 0, next = 0;
    croft::run(
        [&]() -> std::optional<int> {
            if (next == 1000) return std::nullopt;
            most = std::max(most, ++made - done);
            return next++;
        },
        croft::farm(
            [&](int n) {
                dawdle(n);
                ++done;
                return n;
            },
            {.workers = 2}, croft::priority{urgency, 5}),
        [](int) {}, {.place = croft::placements::thread_a_role{}});
    CHECK(made == 1000);
    CHECK(most <= 5 + 2 * 2 + 1);  // who wait, who have been given to a worker, and the one that is being made
}

TEST_CASE_TEMPLATE("priority: nothing is lost, on any number of threads", Policies, packed_policies, turns_policies) {
    for (const std::size_t threads : thread_counts)
        for (const std::size_t room : {1, 3, 64}) {
            CAPTURE(threads);
            CAPTURE(room);
            const auto farm = croft::farm(dawdle, {.workers = 3}, croft::priority{urgency, room});
            const auto sorted = [](std::vector<int> all) {
                std::sort(all.begin(), all.end());
                return all;
            };
            std::vector<int> expected;
            for (int i = 0; i < 500; ++i) expected.push_back(3 * i);
            CHECK(sorted(results_of<int, Policies>(500, farm, threads)) == expected);

            // Among other patterns, in a loop, whose holes it has to pass on, and with a source and a sink that take
            // numbers.
            const auto odd = [](int n) { return n % 2 ? std::optional(n) : std::nullopt; };
            const auto loop =
                croft::feedback(croft::pipeline(croft::farm(odd, {.workers = 2}, croft::priority{urgency, room})),
                                [](int) { return false; });
            CHECK(results_of<int, Policies>(500, croft::pipeline(loop, farm), threads).size() == 250);
            std::vector<std::atomic<int>> seen(500);
            croft::run<Policies>(
                [](std::size_t n) { return n < 500 ? std::optional(static_cast<int>(n)) : std::nullopt; }, farm,
                [&](int result, croft::farm_part part) {
                    seen[part.task] += result == 3 * static_cast<int>(part.task);
                },
                {.threads = threads});
            // (The numbers are those in which items came, from one emitter.)
            CHECK(std::all_of(seen.begin(), seen.end(), [](const auto& each) { return each == 1; }));
        }
}

TEST_CASE("priority: what its function throws leaves the run") {
    for (const std::size_t threads : thread_counts)
        CHECK_THROWS_WITH(results_of<int>(1'000'000'000, croft::farm(dawdle, {.workers = 2}, croft::priority{[](int n) {
                                                                         if (n == 50) throw std::runtime_error("at 50");
                                                                         return n;
                                                                     }}),
                                          threads),
                          "at 50");
}

TEST_CASE("priority and order exclude each other") {
    CHECK_THROWS_AS(croft::farm(dawdle, {.ordered = true}, croft::priority{urgency}), std::invalid_argument);
    const auto urgent = croft::farm(dawdle, {.workers = 2}, croft::priority{urgency});
    CHECK_THROWS_AS(results_of<int>(10, croft::farm(urgent, {.workers = 2, .ordered = true}), 2),
                    std::invalid_argument);
    CHECK_THROWS_AS(
        results_of<int>(10, croft::farm(dawdle, {.workers = 2, .emitters = 2}, croft::priority{urgency}), 2),
        std::invalid_argument);
}
