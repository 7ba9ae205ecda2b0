// Accelerators: items given and results taken one by one, by one thread or two.

#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/feedback.hpp>
#include <croft/pattern/graph.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/reduce.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "policies_under_test.hpp"
#include "streams.hpp"

using namespace streams;

TEST_CASE_TEMPLATE("what is offloaded comes back, and then the end", Policies, packed_policies, turns_policies,
                   paper_policies, drowsy_packed_policies) {
    for (const std::size_t threads : thread_counts)
        for (const std::size_t slots : {1, 7, 64}) {
            croft::accelerator<int, int, Policies> there(
                croft::farm(dawdle, {.workers = 3, .ordered = true}),
                {.threads = threads, .input_slots = slots, .output_slots = slots});
            std::vector<int> made;
            for (int n = 0; n < 300;) {
                if (there.try_offload(n)) ++n;
                while (auto result = there.try_get_result()) made.push_back(*result);
            }
            CHECK_FALSE(there.ended());
            there.close();
            there.close();
            while (auto result = there.get_result()) made.push_back(*result);
            CHECK(there.ended());
            CHECK_FALSE(there.get_result());
            CHECK_FALSE(there.try_get_result());
            REQUIRE(made.size() == 300);
            for (int n = 0; n < 300; ++n) CHECK(made[n] == 3 * n);
        }
}

TEST_CASE("one thread offloads, another gets the results; items may be movable only") {
    croft::accelerator<std::unique_ptr<int>, std::unique_ptr<int>> there(
        croft::pipeline([](std::unique_ptr<int> n) { return n; }, [](std::unique_ptr<int> n) { return n; }),
        {.input_slots = 2, .output_slots = 2});
    std::thread other([&] {
        for (int n = 0; n < 500; ++n) there.offload(std::make_unique<int>(n));
        there.close();
    });
    int next = 0;
    while (auto result = there.get_result()) CHECK(**result == next++);
    CHECK(next == 500);
    other.join();
}

TEST_CASE("any pattern; the input slots say how many may wait") {
    croft::accelerator<std::vector<int>, int> sums(croft::reduce(0, std::plus<>(), {.workers = 3}));
    sums.offload({1, 2, 3, 4});
    CHECK(sums.get_result() == 10);
    sums.offload({});
    CHECK(sums.get_result() == 0);

    std::atomic<bool> released{false};
    croft::accelerator<int, int> stuck(
        [&](int n) {
            while (!released) std::this_thread::yield();
            return n;
        },
        {.input_slots = 3});
    int taken = 0;
    while (stuck.try_offload(taken)) ++taken;
    CHECK(taken >= 3);
    CHECK(taken <= 4);
    released = true;
    stuck.close();
    int results = 0;
    while (stuck.get_result()) ++results;
    CHECK(results == taken);
}

TEST_CASE("an exception comes out of get_result, once; items that are offloaded later are dropped") {
    for (const std::size_t threads : thread_counts) {
        croft::accelerator<int, int> there(
            croft::farm([](int n) { return n == 5 ? throw std::runtime_error("worker") : n; }, {.workers = 2}),
            {.threads = threads, .input_slots = 2, .output_slots = 2});
        std::thread other([&] {
            for (int n = 0; n < 200; ++n) there.offload(n);
        });
        const auto all = [&] {
            while (there.get_result()) {
            }
        };
        CHECK_THROWS_WITH_AS(all(), "worker", std::runtime_error);
        CHECK_FALSE(there.get_result());
        other.join();
    }
}

// The branch fails only once all results have been taken, so that the end of the others' stream is all that is left.
template <class Branch>
void check_late_failure(Branch branch) {
    std::atomic<bool> all_taken{false};
    croft::graph<int, int> g;
    const auto fail_late = [&](int n) {
        while (!all_taken) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return n == 2 ? throw std::runtime_error("branch") : n;
    };
    branch(g, fail_late);
    croft::accelerator<int, int> there(std::move(g), {.threads = 3});
    for (int n = 0; n < 3; ++n) there.offload(n);
    there.close();
    for (int n = 0; n < 3; ++n) CHECK(there.get_result() == n);
    all_taken = true;
    CHECK_THROWS_WITH_AS(there.get_result(), "branch", std::runtime_error);
}

TEST_CASE("the end of the results comes behind what a branch that leads elsewhere throws") {
    SUBCASE("a stream that nobody takes") {
        check_late_failure([](auto& g, auto fail_late) {
            g.leave(g.input());
            g.add(g.input(), fail_late);
        });
    }
    SUBCASE("a join whose other stream has ended") {
        check_late_failure([](auto& g, auto fail_late) {
            g.leave(g.input());
            auto none = g.add(g.input(), [](int) { return std::optional<int>(); });
            g.leave(
                g.add(g.join(none, g.add(g.input(), fail_late)), [](std::pair<int, int> both) { return both.first; }));
        });
    }
}

TEST_CASE("who waits for a result is told of the exception although nothing is offloaded any more") {
    croft::accelerator<int, int> there(croft::pipeline([](int n) { return n; }, [](int) -> int { throw 7; }),
                                       {.threads = 2});
    there.offload(1);
    CHECK_THROWS_AS(there.get_result(), int);
}

TEST_CASE("stopped, it drains or drops; destroyed, it drops") {
    for (const std::size_t threads : thread_counts) {
        {
            croft::accelerator<int, int> there(dawdle, {.threads = threads, .input_slots = 100, .output_slots = 100});
            for (int n = 0; n < 50; ++n) there.offload(n);
            there.stop();
            int results = 0;
            while (there.get_result()) ++results;
            CHECK(results <= 50);
            for (int n = 0; n < 500; ++n) there.offload(n);
        }
        {
            croft::accelerator<int, int> there(dawdle, {.threads = threads});
            there.offload(1);
            there.stop(croft::stop_mode::drop);
            CHECK_FALSE(there.get_result());
        }
        {
            croft::accelerator<int, int> there(croft::feedback(dawdle, [](const int&) { return true; }),
                                               {.threads = threads, .output_slots = 1});
            for (int n = 0; n < 20; ++n) there.offload(n);
        }
        croft::accelerator<int, int> unused(dawdle, {.threads = threads});
    }
}
