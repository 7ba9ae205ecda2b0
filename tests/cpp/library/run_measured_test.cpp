// Measured runs tell what their roles did.

#include <croft/pattern/farm.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/run_measured.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int items = 300;

auto source() {
    return [next = 0]() mutable -> std::optional<int> { return next < items ? std::optional(next++) : std::nullopt; };
}
const auto same = [](int n) { return n; };
const auto odd = [](int n) { return n % 2 ? std::optional(n) : std::nullopt; };

const croft::run_metrics::role& of(const croft::run_metrics& seen, const std::string& name) {
    for (const croft::run_metrics::role& each : seen.roles)
        if (each.name == name) return each;
    throw std::out_of_range(name);
}
std::uint64_t all_workers(const croft::run_metrics& seen) {
    std::uint64_t made = 0;
    for (const croft::run_metrics::role& each : seen.roles)
        if (each.name.starts_with("farm.worker")) made += each.items;
    return made;
}

}  // namespace

TEST_CASE("a measured run: the items of each role, on any number of threads, in order or not") {
    for (const std::size_t threads : {1, 2, 3, 5})
        for (const bool ordered : {false, true}) {
            CAPTURE(threads);
            CAPTURE(ordered);
            long sum = 0;
            const croft::run_metrics seen = croft::run_measured(
                source(), croft::pipeline(odd, croft::farm(same, {.workers = 3, .ordered = ordered})),
                [&](int n) { sum += n; }, {.threads = threads});
            CHECK(sum == items * items / 4);
            REQUIRE(seen.roles.size() == 6);
            CHECK(seen.roles.front().name == "source");
            CHECK(seen.roles.back().name == "sink");
            CHECK(of(seen, "source").items == items);
            CHECK(of(seen, "stage").items == items);
            CHECK(all_workers(seen) == items / 2);
            CHECK(of(seen, "sink").items == items / 2);
            for (const croft::run_metrics::role& each : seen.roles) {
                CHECK(each.thread < threads);
                CHECK(each.busy >= std::chrono::nanoseconds(0));
                CHECK(each.busy <= seen.took);
                if (threads == 1) CHECK(each.fill == 0);  // nothing came from another thread
            }
        }
}

TEST_CASE("a measured run: a role is not charged for those that it calls") {
    const auto nap = [](int n) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return n;
    };
    int next = 0;
    const croft::run_metrics seen =
        croft::run_measured([&]() -> std::optional<int> { return next < 10 ? std::optional(next++) : std::nullopt; },
                            croft::pipeline(same, nap, same), [](int) {}, {.threads = 1});
    REQUIRE(seen.roles.size() == 5);
    CHECK(seen.roles[2].busy >= std::chrono::milliseconds(10));
    std::chrono::nanoseconds all{0};
    for (const croft::run_metrics::role& each : seen.roles) all += each.busy;
    CHECK(all <= seen.took);
}

TEST_CASE("a measured run: an input's fill counts the item that is taken") {
    const croft::run_metrics seen = croft::run_measured(source(), croft::pipeline(same, same), [](int) {},
                                                        {.threads = 2, .place = [](croft::plan& made, std::size_t) {
                                                             made.threads = 2;
                                                             made.roles[2].thread = made.roles[3].thread = 1;
                                                         }});
    REQUIRE(seen.roles.size() == 4);
    CHECK(seen.roles[1].fill == 0);
    CHECK(seen.roles[2].fill >= 1);
    CHECK(seen.roles[2].fill <= items);
    CHECK(seen.roles[3].fill == 0);
}

TEST_CASE("a measured run: sources and sinks that take numbers, and items that cannot be copied") {
    std::vector<int> numbers(items);
    const croft::run_metrics seen = croft::run_measured(
        [](std::size_t n) -> std::optional<std::unique_ptr<int>> {
            if (n >= items) return std::nullopt;
            return std::make_unique<int>(static_cast<int>(n));
        },
        croft::farm([](std::unique_ptr<int> n) { return n; }, {.workers = 4, .emitters = 2, .collectors = 2}),
        [&](std::unique_ptr<int> n, croft::farm_part part) { numbers[part.task] = *n; }, {.threads = 3});
    std::vector<int> expected(items);
    std::iota(expected.begin(), expected.end(), 0);
    CHECK(numbers == expected);
    CHECK(of(seen, "farm.emitter 0").items + of(seen, "farm.emitter 1").items == items);
    CHECK(all_workers(seen) == items);
    CHECK(of(seen, "farm.collector 0").items + of(seen, "farm.collector 1").items == items);
}

TEST_CASE("a measured run: what is thrown leaves it, too") {
    CHECK_THROWS_WITH(croft::run_measured(
                          source(), [](int n) { return n == 7 ? throw std::runtime_error("seven") : n; }, [](int) {}),
                      "seven");
}

TEST_CASE("a measured run: its text has a line for each role") {
    const croft::run_metrics seen = croft::run_measured(source(), same, [](int) {}, {.threads = 1});
    const std::string text = seen.to_string();
    CHECK(std::count(text.begin(), text.end(), '\n') == 4);
    CHECK(text.starts_with("role   thread      items    busy ms  waited ms   fill\nsource"));
}
