// Divide and conquer: trees of any shape, alone, in order, and when something is thrown.

#include <croft/pattern/divide_and_conquer.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/run.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "policies_under_test.hpp"
#include "streams.hpp"

using namespace streams;

namespace {

using numbers = std::vector<int>;

numbers shuffled(int n) {
    numbers all;
    for (int i = 0; i < 4 * n; ++i) all.push_back(i * 7919 % 257);
    return all;
}
numbers sorted(numbers all) {
    std::sort(all.begin(), all.end());
    return all;
}
// In three unequal parts.
std::vector<numbers> cut(numbers all) {
    const auto a = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 5), b = a + 1;
    return {{all.begin(), a}, {a, b}, {b, all.end()}};
}
numbers merged(std::vector<numbers> parts) {
    numbers all;
    for (const numbers& part : parts) {
        numbers both(all.size() + part.size());
        std::merge(all.begin(), all.end(), part.begin(), part.end(), both.begin());
        all = both;
    }
    return all;
}
bool small(const numbers& all) { return all.size() < 6; }

int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

}  // namespace

TEST_CASE_TEMPLATE("a sort, with any number of workers and levels", Policies, packed_policies, paper_policies,
                   drowsy_packed_policies) {
    for (const std::size_t threads : thread_counts)
        for (const std::size_t workers : {0, 1, 5})
            for (const std::size_t levels : {0, 1, 3, 100}) {
                auto sort = croft::pipeline(
                    shuffled,
                    croft::divide_and_conquer(small, sorted, cut, merged, {.workers = workers, .levels = levels}));
                auto made = results_of<numbers, Policies>(20, sort, threads);
                std::sort(made.begin(), made.end(), [](auto& a, auto& b) { return a.size() < b.size(); });
                REQUIRE(made.size() == 20);
                bool right = true;
                for (int n = 0; n < 20; ++n) right &= made[n] == sorted(shuffled(n));
                CHECK(right);
            }
}

TEST_CASE("problem and solution of different types, in an ordered farm; parts may be none") {
    for (const std::size_t threads : thread_counts) {
        auto count = croft::divide_and_conquer([](const int& n) { return n < 2; }, [](int n) { return long{n}; },
                                               [](int n) { return std::vector{n - 1, n - 2}; },
                                               [](std::vector<long> parts) { return parts[0] + parts[1]; });
        const auto made = results_of<long>(16, croft::farm(count, {.workers = 2, .ordered = true}), threads);
        REQUIRE(made.size() == 16);
        for (int n = 0; n < 16; ++n) CHECK(made[n] == fibonacci(n));

        auto empty = croft::divide_and_conquer([](const int&) { return false; }, [](int n) { return n; },
                                               [](int) { return std::vector<int>(); },
                                               [](std::vector<int> parts) { return static_cast<int>(parts.size()); });
        CHECK(results_of<int>(5, empty, threads) == std::vector<int>(5, 0));
    }
}

TEST_CASE("an exception in any of the four ends it") {
    for (const std::size_t threads : thread_counts)
        for (const int where : {0, 1, 2, 3}) {
            const auto at = [where](int here) { return here == where ? throw std::runtime_error("here") : here; };
            auto pattern =
                croft::divide_and_conquer([=](const int& n) { return n == 7 ? !at(0) || true : n < 2; },
                                          [=](int n) { return n == 0 && at(1) ? 0 : 1; },
                                          [=](int n) { return std::vector{n - 1, n == 5 ? at(2) - 2 : n - 2}; },
                                          [=](std::vector<int> parts) { return at(3) + parts[0]; });
            CHECK_THROWS_WITH_AS(croft::run([n = 0]() mutable { return std::optional(n++ % 20); }, pattern, [](int) {},
                                            {.threads = threads}),
                                 "here", std::runtime_error);
        }
}
