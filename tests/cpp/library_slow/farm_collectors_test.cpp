// A farm with several collectors, each with its share of the workers.

#include <croft/pattern/farm.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "policies_under_test.hpp"
#include "streams.hpp"

using namespace streams;

namespace {

// Notes the results that each collector got, by the task they came of.
struct taken {
    explicit taken(std::size_t collectors) : tasks(collectors), threads(collectors) {}
    void operator()(int result, croft::farm_part part) {
        right = right && result == 3 * static_cast<int>(part.task);
        tasks.at(part.collector).push_back(static_cast<int>(part.task));
        threads.at(part.collector).insert(std::this_thread::get_id());
    }
    std::vector<int> all() const {
        std::vector<int> sorted;
        for (const auto& each : tasks) sorted.insert(sorted.end(), each.begin(), each.end());
        std::sort(sorted.begin(), sorted.end());
        return sorted;
    }
    std::vector<std::vector<int>> tasks;
    std::vector<std::set<std::thread::id>> threads;
    std::atomic<bool> right{true};
};

std::vector<int> up_to(int count) {
    std::vector<int> all(count);
    std::iota(all.begin(), all.end(), 0);
    return all;
}

}  // namespace

TEST_CASE_TEMPLATE("every result is taken once, by the collector of its worker", Policies, packed_policies,
                   paper_policies, drowsy_policies) {
    for (const std::size_t collectors : {1, 2, 3, 9})
        for (const std::size_t workers : {1, 3, 7})
            for (const std::size_t emitters : {1, 2})
                for (const int count : {0, 1, 4, 200}) {
                    threaded_farm<Policies> farm({.workers = workers,
                                                  .schedule = croft::schedule::round_robin,
                                                  .emitters = emitters,
                                                  .collectors = collectors});
                    taken found(collectors);
                    farm.run(
                        [count](std::size_t number) {
                            const int task = static_cast<int>(number);
                            return task < count ? std::optional(task) : std::nullopt;
                        },
                        dawdle, std::ref(found));
                    CHECK(found.right);
                    CHECK(found.all() == up_to(count));
                    if (emitters > 1) continue;
                    // Task n is worker n mod N's, and this worker is collector (n mod N) mod C's.
                    const std::size_t used = std::min(collectors, workers);
                    for (std::size_t c = 0; c < used; ++c)
                        for (const int task : found.tasks[c]) CHECK(task % workers % used == c);
                    for (const auto& threads : found.threads) CHECK(threads.size() <= 1);
                }
}

TEST_CASE("an exception of a collector, or of a worker, ends the farm") {
    threaded_farm<> farm({.workers = 4, .collectors = 2});
    const auto endless = [] { return [n = 0]() mutable { return std::optional(n++); }; };
    CHECK_THROWS_WITH_AS(farm.run(endless(), dawdle,
                                  [](int, croft::farm_part part) {
                                      if (part.task == 100) throw std::runtime_error("collector");
                                  }),
                         "collector", std::runtime_error);
    CHECK_THROWS_WITH_AS(farm.run(
                             endless(), [](int n) { return n == 70 ? throw std::runtime_error("worker") : n; },
                             [](int, croft::farm_part) {}),
                         "worker", std::runtime_error);
    taken found(2);
    farm.run(count_to(50), dawdle, std::ref(found));
    CHECK(found.all() == up_to(50));
}

TEST_CASE("stopped, it drains or drops") {
    for (const auto mode : {croft::stop_mode::drain, croft::stop_mode::drop}) {
        threaded_farm<> farm({.workers = 5, .collectors = 3});
        int emitted = 0;
        std::atomic<int> collected{0};
        farm.run([&] { return std::optional(emitted++); }, dawdle,
                 [&](int, croft::farm_part) {
                     if (++collected == 30) farm.stop(mode);
                 });
        CHECK(collected >= 30);
        if (mode == croft::stop_mode::drain) CHECK(collected == emitted);
    }
}

TEST_CASE("many more threads than cores, and messages in place") {
    threaded_farm<> farm({.workers = 40, .collectors = 7});
    std::vector<long> sums(7);
    int next = 0;
    farm.run(
        [&](int& slot) {
            slot = next++;
            return slot < 2000;
        },
        [](const int& task, long& result) { result = task; },
        [&](const long& result, croft::farm_part part) { sums[part.collector] += result; });
    CHECK(std::accumulate(sums.begin(), sums.end(), 0L) == 1999 * 1000);
}

TEST_CASE("the results of an ordered farm go to one collector") {
    threaded_farm<> ordered({.workers = 4, .ordered = true, .collectors = 3});
    CHECK_THROWS_WITH_AS(ordered.run(count_to(3), dawdle, [](int, croft::farm_part) {}),
                         "croft::farm: results are in order at one collector, and there are to be 3",
                         std::invalid_argument);
}
