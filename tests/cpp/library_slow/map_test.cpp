// The map: alone, in every other pattern, in itself; in place, combined, gathered, scattered.

#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/feedback.hpp>
#include <croft/pattern/graph.hpp>
#include <croft/pattern/map.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/run.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "policies_under_test.hpp"
#include "streams.hpp"

using namespace streams;

namespace {

using numbers = std::vector<int>;

numbers range(int n) {
    numbers all(n);
    std::iota(all.begin(), all.end(), 1);
    return all;
}
void triple(numbers& all, croft::share mine) {
    const croft::slice own = mine.of(all.size());
    for (std::size_t i = own.begin; i < own.end; ++i) all[i] *= 3;
}
// Appending text shows the order, because it is not commutative.
std::string spelt(const numbers& all, croft::share mine) {
    std::string text;
    const croft::slice own = mine.of(all.size());
    for (std::size_t i = own.begin; i < own.end; ++i) text += std::to_string(all[i]) + ' ';
    return text;
}
std::string append(std::string a, std::string b) { return a + b; }

// A part of the numbers, taken out of where they are: the others stay where they were.
numbers cut(numbers& from, croft::share part) {
    const croft::slice own = part.of(from.size());
    return {from.begin() + static_cast<std::ptrdiff_t>(own.begin), from.begin() + static_cast<std::ptrdiff_t>(own.end)};
}
numbers negated(const numbers& part, croft::share) {
    numbers made;
    for (const int n : part) made.push_back(-n);
    return made;
}
numbers joined(const numbers&, std::vector<numbers> parts) {
    numbers all;
    for (const numbers& each : parts) all.insert(all.end(), each.begin(), each.end());
    return all;
}
long sum(const numbers& all) { return std::accumulate(all.begin(), all.end(), 0L); }

constexpr auto both = {croft::distribution::tree, croft::distribution::linear};

}  // namespace

TEST_CASE_TEMPLATE("in place, combined in order, gathered in order", Policies, packed_policies, paper_policies,
                   drowsy_packed_policies) {
    std::vector<numbers> tripled;
    std::vector<std::string> words;
    for (int n = 0; n < 25; ++n) {
        triple(tripled.emplace_back(range(n)), {});
        words.push_back(spelt(range(n), {}));
    }
    for (const std::size_t threads : thread_counts)
        for (const std::size_t workers : {1, 2, 3, 4, 7, 8, 13})
            for (const auto distribution : both) {
                const croft::map_options options{workers, distribution};
                auto in_place = croft::pipeline(range, croft::map(triple, options));
                CHECK(results_of<numbers, Policies>(25, in_place, threads) == tripled);
                auto combined = croft::pipeline(range, croft::map(spelt, append, options));
                CHECK(results_of<std::string, Policies>(25, combined, threads) == words);
                auto gathered = croft::pipeline(range, croft::map(
                                                           spelt,
                                                           [workers](numbers, std::vector<std::string> parts) {
                                                               return parts.size() == workers
                                                                          ? std::accumulate(parts.begin(), parts.end(),
                                                                                            std::string())
                                                                          : "parts are missing";
                                                           },
                                                           options));
                CHECK(results_of<std::string, Policies>(25, gathered, threads) == words);
            }
}

TEST_CASE_TEMPLATE("scattered: every worker gets its part, and no more", Policies, packed_policies, paper_policies) {
    std::vector<numbers> expected;
    for (int n = 0; n < 25; ++n) expected.push_back(negated(range(n), {}));
    for (const std::size_t threads : thread_counts)
        for (const std::size_t workers : {1, 2, 3, 4, 7, 8, 13})
            for (const auto distribution : both) {
                auto map = croft::pipeline(range, croft::map(negated, joined, {workers, distribution}, cut));
                CHECK(results_of<numbers, Policies>(25, map, threads) == expected);
            }
}

TEST_CASE("a splitter may take its part out, and the first worker's is what is left") {
    // Parts of 16 things for 5 workers, of which none can be copied.
    using box = std::vector<std::unique_ptr<int>>;
    const auto fill = [](int n) {
        box made;
        for (int i = 0; i < 16; ++i) made.push_back(std::make_unique<int>(n + i));
        return made;
    };
    const auto take = [](box& from, croft::share part) {
        // The last ones, as those of the branches behind are gone already.
        const std::size_t left = part.first == 0 ? from.size() : from.size() * part.count / (part.first + part.count);
        box taken;
        for (std::size_t i = from.size() - left; i < from.size(); ++i) taken.push_back(std::move(from[i]));
        from.resize(from.size() - left);
        return taken;
    };
    const auto add = [](const box& part, croft::share) {
        int all = 0;
        for (const auto& each : part) all += *each;
        return all;
    };
    for (const std::size_t threads : thread_counts)
        for (const auto distribution : both) {
            auto map = croft::pipeline(fill, croft::map(add, std::plus<>(), {5, distribution}, take));
            CHECK(results_of<int>(10, map, threads).at(9) == 16 * 9 + 120);
        }
}

TEST_CASE("up to 56 workers; streams without an item; items without an element") {
    for (const std::size_t workers : {1, 2, 31, 56})
        for (const auto distribution : both) {
            auto map = croft::pipeline([](int n) { return range(n * 1000); },
                                       croft::map(triple, {workers, distribution}), sum);
            CHECK(results_of<long>(2, map, workers) == std::vector<long>{0, 1501500});
            CHECK(results_of<long>(0, map, workers).empty());
        }
}

TEST_CASE("in farms and ordered farms, in loops, in graphs, in an accelerator; three deep") {
    for (const std::size_t threads : thread_counts) {
        const auto lengths = croft::pipeline(
            range, croft::map(triple, {.workers = 3}),
            croft::map(
                [](const numbers& all, croft::share mine) { return static_cast<int>(mine.of(all.size()).size()); },
                std::plus<>(), {2, croft::distribution::linear}));
        numbers expected(40);
        std::iota(expected.begin(), expected.end(), 0);
        CHECK(results_of<int>(40, croft::farm(lengths, {.workers = 2, .ordered = true}), threads) == expected);
        auto unordered = results_of<int>(40, croft::farm(lengths, {.workers = 3}), threads);
        std::sort(unordered.begin(), unordered.end());
        CHECK(unordered == expected);

        // A farm of loops of maps.
        const auto grow = croft::feedback(croft::map(
                                              [](numbers& all, croft::share mine) {
                                                  const croft::slice own = mine.of(all.size());
                                                  for (std::size_t i = own.begin; i < own.end; ++i) all[i] += all[i];
                                              },
                                              {.workers = 3}),
                                          [](const numbers& all) { return !all.empty() && all.back() < 1000; });
        const auto made = results_of<numbers>(20, croft::pipeline(range, croft::farm(grow, {2, {}, true})), threads);
        REQUIRE(made.size() == 20);
        for (int n = 1; n < 20; ++n) {
            int factor = 1;
            while (n * factor < 1000) factor *= 2;
            factor = factor == 1 ? 2 : factor;
            CHECK(made[n].back() == n * factor);
            CHECK(made[n].front() == factor);
        }

        croft::graph<int, long> g;
        auto ranges = g.add(g.input(), range);
        auto of = g.join(g.add(g.add(ranges, croft::map(triple, {.workers = 3})), sum), g.add(ranges, sum));
        g.leave(g.add(of, [](const std::pair<long, long>& pair) { return pair.first - 3 * pair.second; }));
        CHECK(results_of<long>(30, g, threads) == std::vector<long>(30, 0));

        croft::accelerator<numbers, std::string> there(croft::map(spelt, append, {.workers = 3}), {.threads = threads});
        there.offload(range(5));
        CHECK(there.get_result() == "1 2 3 4 5 ");
    }
}

TEST_CASE("several items are under way: a worker goes on while another one is still at the item before") {
    // Worker 1 is at item 0 until worker 0 is at item 2, if that ever happens. Worker 2 is there until worker 0 is at
    // item 1.
    for (const auto distribution : both) {
        std::atomic<int> at{-1};
        std::atomic<bool> in_vain{false};
        const auto await = [&](int item) {
            for (int i = 0; i < 20'000 && at < item; ++i) std::this_thread::sleep_for(std::chrono::microseconds(100));
            if (at < item) in_vain = true;
        };
        const auto work = [&](const int& item, croft::share mine) {
            if (mine.first == 0) at = item;
            if (mine.first != 0 && item == 0 && !in_vain) await(mine.first == 1 ? 2 : 1);
            return item;
        };
        std::vector<int> sums;
        croft::run(count_to(10), croft::map(work, std::plus<>(), {3, distribution, 3}),
                   [&](int sum) { sums.push_back(sum); }, {.place = croft::placements::thread_a_role{}});
        CHECK_FALSE(in_vain);
        CHECK(sums == std::vector<int>{0, 3, 6, 9, 12, 15, 18, 21, 24, 27});
    }
}

TEST_CASE("as many items as slots, and no more, and in any number of slots every item once and in order") {
    for (const std::size_t slots : {1, 2, 3, 64})
        for (const std::size_t threads : thread_counts)
            for (const std::size_t workers : {1, 2, 6}) {
                std::atomic<int> first{0}, last{0}, most{0};
                const auto work = [&](const int& item, croft::share mine) {
                    dawdle(item + static_cast<int>(mine.first));
                    if (mine.first == 0) {
                        const int ahead = ++first - last;
                        if (ahead > most) most = ahead;
                    }
                    return 1;
                };
                auto counts = croft::map(
                    work,
                    [](int item, const std::vector<int>& all) { return 100 * item + static_cast<int>(all.size()); },
                    {.workers = workers, .slots = slots});
                std::vector<int> expected, made;
                for (int n = 0; n < 60; ++n) expected.push_back(100 * n + static_cast<int>(workers));
                croft::run(count_to(60), counts,
                           [&](int n) {
                               made.push_back(n);
                               ++last;
                           },
                           {.threads = threads, .slots = 1});
                CHECK(made == expected);
                CHECK(most <= static_cast<int>(slots) + 3);  // in the map, in the slot behind it, and at both its ends
            }
}

TEST_CASE("every worker has a copy of its own, and is told its share") {
    struct counter {
        int mine = 0;
        std::vector<int> operator()(int, croft::share part) {
            ++mine;
            return {static_cast<int>(part.first), static_cast<int>(part.count), static_cast<int>(part.workers), mine};
        }
    };
    const auto all = [](int, std::vector<std::vector<int>> parts) { return parts; };
    const auto made = results_of<std::vector<std::vector<int>>>(5, croft::map(counter(), all, {.workers = 3}), 2);
    REQUIRE(made.size() == 5);
    CHECK(made[4] == std::vector<std::vector<int>>{{0, 1, 3, 5}, {1, 1, 3, 5}, {2, 1, 3, 5}});
}

TEST_CASE("an exception ends it, whoever throws; a stop drains or drops") {
    for (const std::size_t threads : thread_counts)
        for (const auto distribution : both) {
            const croft::map_options four{4, distribution};
            const auto run = [&](auto pattern) {
                croft::run([n = 0]() mutable { return std::optional(n++); },
                           croft::pipeline([](int n) { return range(n % 40); }, std::move(pattern)), [](const auto&) {},
                           {.threads = threads});
            };
            const auto check = [](bool throws, const char* who) {
                if (throws) throw std::runtime_error(who);
            };
            CHECK_THROWS_WITH_AS(
                run(croft::map(
                    [&](numbers& all, croft::share mine) { check(all.size() == 33 && mine.first == 2, "worker"); },
                    four)),
                "worker", std::runtime_error);
            CHECK_THROWS_WITH_AS(run(croft::map(
                                     spelt,
                                     [&](const std::string& a, const std::string& b) {
                                         check(a.size() > 20, "combine");
                                         return a + b;
                                     },
                                     four)),
                                 "combine", std::runtime_error);
            CHECK_THROWS_WITH_AS(run(croft::map(
                                     spelt,
                                     [&](const numbers& all, const std::vector<std::string>&) {
                                         check(all.size() == 33, "gather");
                                         return 0;
                                     },
                                     four)),
                                 "gather", std::runtime_error);
            CHECK_THROWS_WITH_AS(run(croft::map(negated, joined, four,
                                                [&](numbers& all, croft::share part) {
                                                    check(all.size() == 33, "split");
                                                    return cut(all, part);
                                                })),
                                 "split", std::runtime_error);

            croft::stopper stopper;
            for (const auto mode : {croft::stop_mode::drain, croft::stop_mode::drop}) {
                int made = 0, taken = 0;
                croft::run([&] { return std::optional(made++ % 60); },
                           croft::pipeline(range, croft::farm(croft::map(triple, four), {.workers = 2})),
                           [&](const numbers&) {
                               if (++taken == 30) stopper.stop(mode);
                           },
                           {.threads = threads, .stops = &stopper});
                CHECK(taken == (mode == croft::stop_mode::drop ? 30 : made));
            }
        }
}

TEST_CASE("what a map cannot take it does not") {
    using croft::detail::is_output, croft::detail::output_of;
    const auto in_place = croft::map([](numbers&, croft::share) {});
    const auto ungathered = croft::map([](const numbers&, croft::share) { return 1; });
    const auto ungathered_parts = croft::map([](numbers&, croft::share) {}, croft::detail::no_gather(), {}, cut);
    const auto combined = croft::map([](const numbers&) { return 1; }, std::plus<>());
    CHECK(std::is_same_v<output_of<decltype(in_place), numbers>, numbers>);
    CHECK(std::is_same_v<output_of<decltype(combined), numbers>, int>);
    CHECK_FALSE(is_output<output_of<decltype(in_place), std::string>>);
    CHECK_FALSE(is_output<output_of<decltype(ungathered), numbers>>);
    CHECK_FALSE(is_output<output_of<decltype(ungathered_parts), numbers>>);
}
