// Loops count in a type that has all their steps, whatever types their ends are of.

#include <doctest/doctest.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <stop_token>
#include <type_traits>
#include <vector>

#include <croft/task/cut_loop.hpp>

#include "task_runtimes.hpp"

namespace {

using croft::detail::loop_ends;
using croft::detail::loop_type_t;

static_assert(std::is_same_v<loop_type_t<int, int>, int>);
static_assert(std::is_same_v<loop_type_t<short, short>, short>);
static_assert(std::is_same_v<loop_type_t<int, long>, long>);
static_assert(std::is_same_v<loop_type_t<int, std::size_t>, std::size_t>);
static_assert(std::is_same_v<loop_type_t<std::size_t, int>, std::size_t>);
static_assert(std::is_same_v<loop_type_t<int, unsigned>, std::int64_t>);
static_assert(std::is_same_v<loop_type_t<long long, unsigned>, long long>);
static_assert(std::is_same_v<loop_type_t<std::vector<int>::iterator, std::vector<int>::const_iterator>,
                             std::vector<int>::const_iterator>);

constexpr std::size_t many = 5'000'000'000;
constexpr croft::loop_options in_few{.grain = std::size_t{1} << 28};

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("five thousand million steps from 0 of type int", Runtime, long_loops) {
    for (const std::size_t workers : {1u, 3u}) {
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        std::atomic<std::size_t> steps{0}, last_step{0};
        scheduler.run([&] {
            croft::parallel_for_intervals<Runtime>(
                0, many,
                [&](auto first, auto last) {
                    static_assert(std::is_same_v<decltype(first), std::size_t>);
                    steps += last - first;
                    if (last == many) last_step = last - 1;
                },
                in_few);
        });
        CHECK(steps == many);
        CHECK(last_step == many - 1);
        const auto length = scheduler.run([&] {
            return croft::parallel_reduce_intervals<Runtime>(
                0, many, std::size_t{0},
                [](auto first, auto last, std::size_t so_far) { return so_far + last - first; }, std::plus<>(), in_few);
        });
        CHECK(length == many);
    }
}

TEST_CASE("a scan beyond what the type of its beginning can count") {
    constexpr unsigned begin = 4'294'967'290;
    std::vector<std::size_t> at;
    croft::task_scheduler scheduler(1);
    const auto sum = scheduler.run([&] {
        return croft::parallel_scan(
            begin, std::size_t{begin} + 10, 0, [](std::size_t) { return 1; }, std::plus<>(),
            [&](std::size_t i, int) { at.push_back(i); });
    });
    CHECK(sum == 10);
    REQUIRE(at.size() == 10);
    CHECK(at.front() == begin);
    CHECK(at.back() == std::size_t{begin} + 9);
}

TEST_CASE("ends of different signs, and as far apart as can be") {
    long sum = 0;
    croft::task_scheduler scheduler(1);
    scheduler.run([&] { croft::parallel_for(-3, 4u, [&](auto i) { sum += i; }); });
    CHECK(sum == 0 - 3 - 2 - 1 + 1 + 2 + 3);

    std::size_t steps = 0;
    const auto count = [&](auto first, auto last) {
        steps += static_cast<std::size_t>(static_cast<std::int64_t>(last) - static_cast<std::int64_t>(first));
    };
    scheduler.run([&] { croft::parallel_for_intervals(INT_MIN, INT_MAX, count, in_few); });
    CHECK(steps == UINT_MAX);
    steps = 0;
    scheduler.run([&] { croft::parallel_for_intervals(std::numeric_limits<short>::min(), short{5}, count); });
    CHECK(steps == 32773);

    // No steps, whatever their type.
    const auto never = [](auto) { FAIL("a step of an empty loop"); };
    croft::parallel_for(std::size_t{0}, -1, never);
    croft::parallel_for(5, std::size_t{5}, never);
    croft::parallel_for(3, -3, never);
    CHECK_THROWS_AS(croft::parallel_for(-1, std::size_t{5}, never), std::invalid_argument);
    CHECK(croft::parallel_reduce(5, std::size_t{2}, 7, [](std::size_t) { return 1; }, std::plus<>()) == 7);
}

TEST_CASE("a grain larger than any loop leaves one chunk, also where chunks are counted") {
    for (const std::size_t grain : {std::size_t{10}, std::size_t{1} << 33, std::numeric_limits<std::size_t>::max()}) {
        const croft::detail::chunks<int> all(0, 10, croft::detail::grain_of({.grain = grain}, 10, 4));
        CHECK(all.count() == 1);
        CHECK(all.begin(0) == 0);
        CHECK(all.end(0) == 10);
    }
}

TEST_CASE("from an iterator to a constant one") {
    std::vector<int> numbers{1, 2, 3};
    CHECK(croft::parallel_reduce(numbers.begin(), numbers.cend(), 0, [](auto i) { return *i; }, std::plus<>()) == 6);
}

TEST_CASE_TEMPLATE_DEFINE("a loop ends when a stop is requested", Runtime, stopped) {
    for (const std::size_t workers : {1u, 3u}) {
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        std::stop_source source;
        std::atomic<int> steps{0};
        const auto step = [&](int) {
            ++steps;
            source.request_stop();
        };
        const auto loop = [&] {
            return scheduler.run(
                [&] { return croft::parallel_for<Runtime>(0, 100'000, step, source.get_token(), {.grain = 1}); });
        };
        CHECK_FALSE(loop());
        CHECK(steps >= 1);
        CHECK(steps <= static_cast<int>(workers));
        steps = 0;
        CHECK_FALSE(loop());  // requested already
        CHECK(steps == 0);
        CHECK(scheduler.run([&] {
            return croft::parallel_for_intervals<Runtime>(
                0, 40, [&](int first, int last) { steps += last - first; }, std::stop_source().get_token());
        }));
        CHECK(steps == 40);
    }
}

TEST_CASE_TEMPLATE_INVOKE(stopped, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(long_loops, NATIVE_RUNTIMES);
