// A failure drops only what comes behind it in the order of the items. All that comes before it is delivered, as a
// sequential program would have written it.

#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/feedback.hpp>
#include <croft/pattern/map.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/run.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "policies_under_test.hpp"
#include "streams.hpp"

using namespace streams;

namespace {

constexpr int fails_at = 700;

// Triples, slowly here and there, and fails at that number.
int triple_or_fail(int n) { return n == fails_at ? throw std::runtime_error("700") : dawdle(n); }

std::vector<int> all_before() {
    std::vector<int> all(fails_at);
    for (int n = 0; n < fails_at; ++n) all[static_cast<std::size_t>(n)] = 3 * n;
    return all;
}

// The results that are delivered of an endless stream before the pattern fails.
template <class Policies, class Pattern>
std::vector<int> delivered(Pattern pattern, std::size_t threads) {
    std::vector<int> results;
    CHECK_THROWS_WITH_AS(croft::run<Policies>([n = 0]() mutable { return std::optional(n++); }, pattern,
                                              [&](int made) { results.push_back(made); }, {.threads = threads}),
                         "700", std::runtime_error);
    return results;
}

}  // namespace

TEST_CASE_TEMPLATE("an ordered farm delivers what precedes the failure", Policies, packed_policies, turns_policies,
                   drowsy_packed_policies) {
    for (const std::size_t threads : thread_counts)
        for (const std::size_t rows : {1, 2}) {
            const croft::farm_options options{.workers = 3, .ordered = true, .emitters = rows, .collectors = rows};
            CHECK(delivered<Policies>(croft::farm(triple_or_fail, options), threads) == all_before());
        }
}

TEST_CASE("so do stages before and behind it, whichever fails") {
    const auto same = [](int n) { return n; };
    const auto fail = [](int n) { return n == 3 * fails_at ? throw std::runtime_error("700") : n; };
    const auto each = [](int n, croft::out<int>& out) { out.send(triple_or_fail(n)); };
    for (const std::size_t threads : thread_counts) {
        CHECK(delivered<croft::policies>(croft::pipeline(same, triple_or_fail, same), threads) == all_before());
        CHECK(delivered<croft::policies>(croft::pipeline(same, each, same), threads) == all_before());
        const auto farm = croft::farm(croft::pipeline(same, dawdle), {.workers = 2, .ordered = true});
        CHECK(delivered<croft::policies>(croft::pipeline(farm, fail, same), threads) == all_before());
    }
}

TEST_CASE("a farm within an ordered farm, a map, and stages that make many of one") {
    const auto twice = [](int n, croft::out<int>& out) {
        out.send(dawdle(n));
        if (n == fails_at) throw std::runtime_error("700");
        out.send(3 * n);
    };
    // By the first worker or by the last one, while items before and behind that one are under way. Tripled by another.
    const auto mapped = [](std::size_t workers, std::size_t fails) {
        return croft::map(
            [fails](const int& n, croft::share mine) {
                dawdle(n + static_cast<int>(mine.first));
                return mine.first == fails ? triple_or_fail(n) : 0;
            },
            std::plus<>(), {.workers = workers});
    };
    for (const std::size_t threads : thread_counts) {
        const auto inner = croft::farm(triple_or_fail, {.workers = 2});
        CHECK(delivered<croft::policies>(croft::farm(inner, {.workers = 2, .ordered = true}), threads) == all_before());
        for (const std::size_t workers : {1, 2, 5})
            for (const std::size_t fails : {std::size_t{0}, workers - 1}) {
                const auto map = mapped(workers, fails);
                CHECK(delivered<croft::policies>(map, threads) == all_before());
                CHECK(delivered<croft::policies>(croft::farm(map, {.workers = 2, .ordered = true}), threads) ==
                      all_before());
            }
        std::vector<int> both = all_before();
        for (std::size_t i = 0; i < both.size(); i += 2)
            both.insert(both.begin() + static_cast<std::ptrdiff_t>(i), both[i]);
        both.push_back(3 * fails_at);  // made before it failed
        CHECK(delivered<croft::policies>(croft::farm(twice, {.workers = 3, .ordered = true}), threads) == both);
    }
}

TEST_CASE("what a source had made before it failed is delivered; nothing after the sink failed") {
    for (const std::size_t threads : thread_counts)
        for (const bool ordered : {false, true}) {
            std::vector<int> results;
            CHECK_THROWS_WITH_AS(croft::run(
                                     [n = 0]() mutable -> std::optional<int> {
                                         if (n == fails_at) throw std::runtime_error("source");
                                         return n++;
                                     },
                                     croft::farm(dawdle, {.workers = 3, .ordered = ordered}),
                                     [&](int made) { results.push_back(made); }, {.threads = threads}),
                                 "source", std::runtime_error);
            std::sort(results.begin(), results.end());
            CHECK(results == all_before());
            int taken = 0;
            CHECK_THROWS_AS(croft::run([n = 0]() mutable { return std::optional(n++); },
                                       croft::farm(dawdle, {.workers = 3, .ordered = ordered}),
                                       [&](int) {
                                           if (++taken == 10) throw 1;
                                       },
                                       {.threads = threads}),
                            int);
            CHECK(taken == 10);
        }
}

TEST_CASE("a failure where there is no order ends the run, however much is under way in a loop") {
    for (const std::size_t threads : thread_counts) {
        std::atomic<int> rounds{0};
        const auto again = [&](int n) { return ++rounds == 5000 ? throw std::runtime_error("700") : n; };
        const auto loop = croft::feedback(croft::farm(again, {.workers = 2}), [](const int&) { return true; });
        CHECK(delivered<croft::policies>(loop, threads).empty());
    }
}

TEST_CASE("an accelerator gives the results that precede the failure, and then fails") {
    croft::accelerator<int, int> there(croft::farm(triple_or_fail, {.workers = 2, .ordered = true}),
                                       {.threads = 3, .input_slots = 1000, .output_slots = 1000});
    for (int n = 0; n < 900; ++n) there.offload(n);
    for (int n = 0; n < fails_at; ++n) CHECK(there.get_result() == 3 * n);
    CHECK_THROWS_WITH_AS(there.get_result(), "700", std::runtime_error);
}
