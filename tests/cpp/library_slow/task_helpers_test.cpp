// Loops over two sides, sort and transform_reduce, by all run-times, on one worker and more than there are cores.

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <croft/task/range_2d.hpp>
#include <croft/task/sort.hpp>
#include <croft/task/transform_reduce.hpp>

#include "task_runtimes.hpp"

namespace {

const std::vector<std::size_t> worker_counts{1, 2, 5};

std::vector<std::uint32_t> numbers(std::size_t count, std::uint32_t below = 0xffff'ffff) {
    std::mt19937 made(static_cast<std::uint32_t>(count));
    std::vector<std::uint32_t> all(count);
    for (auto& each : all) each = made() % below;
    return all;
}

}  // namespace

TEST_CASE("range_2d: tiles are all of the range, cut along the longer side, of at most grain steps") {
    for (const auto& [rows, columns] : std::vector<std::pair<std::size_t, std::size_t>>{
             {1, 1}, {1, 1000}, {7, 3}, {5, 7}, {100, 100}, {33, 500}, {1001, 2}})
        for (const std::size_t grain : {1, 10, 1000, 1'000'000}) {
            CAPTURE(rows);
            CAPTURE(columns);
            CAPTURE(grain);
            const croft::range_2d all({5, 5 + rows}, {9, 9 + columns});
            const croft::detail::tiles tiles(all, grain);
            std::vector<int> met(rows * columns);
            for (std::size_t i = 0; i < tiles.count(); ++i) {
                const croft::range_2d tile = tiles[i];
                CHECK(tile.steps() > 0);
                CHECK(tile.steps() <= grain);
                if (tiles.count() > 1) {
                    const auto longer = std::max(tile.rows.size(), tile.columns.size());
                    const auto shorter = std::min(tile.rows.size(), tile.columns.size());
                    CHECK((longer <= 2 * shorter + 2 || shorter == rows || shorter == columns));
                }
                for (std::size_t r = tile.rows.first; r < tile.rows.last; ++r)
                    for (std::size_t c = tile.columns.first; c < tile.columns.last; ++c)
                        ++met.at((r - 5) * columns + c - 9);
            }
            CHECK(std::all_of(met.begin(), met.end(), [](int times) { return times == 1; }));
        }
}

TEST_CASE_TEMPLATE("parallel_for over rows and columns: each step once, as steps or as tiles", Runtime,
                   NATIVE_RUNTIMES) {
    for (const std::size_t workers : worker_counts) {
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        std::vector<std::atomic<int>> met(120 * 70);
        scheduler.run([&] {
            croft::parallel_for<Runtime>(croft::range_2d{120, 70},
                                         [&](std::size_t r, std::size_t c) { ++met[r * 70 + c]; });
            croft::parallel_for<Runtime>(croft::range_2d({0, 120}, {35, 70}),
                                         [&](croft::range_2d tile) {
                                             for (std::size_t r = tile.rows.first; r < tile.rows.last; ++r)
                                                 for (std::size_t c = tile.columns.first; c < tile.columns.last; ++c)
                                                     ++met[r * 70 + c];
                                         },
                                         {.grain = 50});
            croft::parallel_for<Runtime>(croft::range_2d{0, 70}, [&](std::size_t, std::size_t) { ++met[0]; });
        });
        for (std::size_t i = 0; i < met.size(); ++i) CHECK(met[i] == (i % 70 < 35 ? 1 : 2));
    }
}

TEST_CASE_TEMPLATE("parallel_reduce over rows and columns", Runtime, NATIVE_RUNTIMES) {
    for (const std::size_t workers : worker_counts) {
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        scheduler.run([&] {
            const auto value = [](std::size_t r, std::size_t c) { return static_cast<long>(1000 * r + c); };
            CHECK(croft::parallel_reduce<Runtime>(croft::range_2d{100, 200}, 0L, value, std::plus<>()) == 991'990'000);
            const auto steps = [](croft::range_2d tile, long so_far) {
                return so_far + static_cast<long>(tile.steps());
            };
            CHECK(croft::parallel_reduce<Runtime>(croft::range_2d{100, 200}, 0L, steps, std::plus<>(), {.grain = 7}) ==
                  20'000);
            CHECK(croft::parallel_reduce<Runtime>(croft::range_2d{0, 200}, 17L, value, std::plus<>()) == 17);
        });
    }
}

TEST_CASE("parallel_for over rows and columns: what a step throws comes out, and outside of any scheduler") {
    CHECK_THROWS_WITH(croft::parallel_for(croft::range_2d{100, 100},
                                          [](std::size_t r, std::size_t c) {
                                              if (r == 50 && c == 70) throw std::runtime_error("at (50, 70)");
                                          }),
                      "at (50, 70)");
}

TEST_CASE_TEMPLATE("sort: any length, any order", Runtime, NATIVE_RUNTIMES) {
    for (const std::size_t workers : worker_counts) {
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        for (const std::size_t count : {0, 1, 2, 100, 4095, 4096, 4097, 20'000, 100'003})
            for (const std::uint32_t below : {2u, 1000u, 0xffff'ffffu}) {
                CAPTURE(workers);
                CAPTURE(count);
                std::vector<std::uint32_t> all = numbers(count, below), expected = all;
                std::sort(expected.begin(), expected.end());
                scheduler.run([&] { croft::sort<Runtime>(all.begin(), all.end()); });
                CHECK(all == expected);
                scheduler.run([&] { croft::sort<Runtime>(all.begin(), all.end()); });  // what is sorted already
                CHECK(all == expected);
                std::reverse(expected.begin(), expected.end());
                scheduler.run([&] { croft::sort<Runtime>(all.begin(), all.end(), std::greater<>()); });
                CHECK(all == expected);
            }
    }
}

TEST_CASE("sort: elements that can only be moved, a comparison by value, outside of any scheduler") {
    std::vector<std::unique_ptr<int>> boxes;
    for (const std::uint32_t each : numbers(30'000, 1'000'000)) boxes.push_back(std::make_unique<int>(each));
    croft::sort(boxes.begin(), boxes.end(), [](const auto& a, const auto& b) { return *a < *b; });
    CHECK(std::is_sorted(boxes.begin(), boxes.end(), [](const auto& a, const auto& b) { return *a < *b; }));

    std::vector<std::string> names;
    for (const std::uint32_t each : numbers(30'000))
        names.push_back("a name that is too long to be short: " + std::to_string(each));
    std::vector<std::string> expected = names;
    std::sort(expected.begin(), expected.end());
    croft::sort(names.begin(), names.end(), [](std::string a, std::string b) { return a < b; });
    CHECK(names == expected);
}

TEST_CASE("sort: what the comparison throws comes out, and every element is destroyed once") {
    struct counted {
        explicit counted(int v, int* all) : value(std::make_unique<int>(v)), alive(all) { ++*alive; }
        counted(counted&& other) noexcept : value(std::move(other.value)), alive(other.alive) { ++*alive; }
        counted& operator=(counted&& other) noexcept = default;
        ~counted() { --*alive; }
        std::unique_ptr<int> value;
        int* alive;
    };
    croft::task_scheduler scheduler(1);
    for (const int throws_at : {1, 1000, 100'000, 200'000}) {
        int alive = 0, compared = 0;
        {
            std::vector<counted> all;
            for (const std::uint32_t each : numbers(20'000)) all.emplace_back(static_cast<int>(each >> 1), &alive);
            const auto comp = [&](const counted& a, const counted& b) {
                if (++compared == throws_at) throw std::runtime_error("no order");
                return *a.value < *b.value;
            };
            scheduler.run([&] { CHECK_THROWS_WITH(croft::sort(all.begin(), all.end(), comp), "no order"); });
            CHECK(alive == 20'000);
        }
        CHECK(alive == 0);
    }
}

TEST_CASE_TEMPLATE("transform_reduce: in order, with what it begins with in front, once", Runtime, NATIVE_RUNTIMES) {
    for (const std::size_t workers : worker_counts) {
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        scheduler.run([&] {
            std::vector<int> all(5000);
            std::iota(all.begin(), all.end(), 0);
            const auto digit = [](int n) { return std::string(1, static_cast<char>('a' + n % 26)); };
            std::string expected = "begin ";
            for (const int n : all) expected += digit(n);
            for (const std::size_t grain : {0, 1, 7})
                CHECK(croft::transform_reduce<Runtime>(all.begin(), all.end(), std::string("begin "), std::plus<>(),
                                                       digit, {.grain = grain}) == expected);
            CHECK(croft::transform_reduce<Runtime>(all.begin(), all.begin(), std::string("begin"), std::plus<>(),
                                                   digit) == "begin");
            CHECK(croft::transform_reduce<Runtime>(all.begin(), all.end(), 100L, std::plus<>(),
                                                   [](int n) { return long{n} * n; }) == 41'654'167'600);
        });
    }
}
