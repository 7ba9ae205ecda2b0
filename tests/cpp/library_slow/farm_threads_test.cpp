// The farm, in every combination of its options, with more threads than cores, with exceptions, stopped early.

#include <croft/pattern/farm.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "policies_under_test.hpp"
#include "streams.hpp"

using namespace streams;

namespace {

constexpr int tasks = 600;

// Every combination of options, with the number of workers from one to more than any test machine has cores for.
std::vector<croft::farm_options> all_options() {
    std::vector<croft::farm_options> all;
    for (const std::size_t workers : {1, 2, 3, 9})
        for (const auto schedule : {croft::schedule::on_demand, croft::schedule::round_robin})
            for (const bool ordered : {false, true})
                for (const std::size_t slots : {1, 2, 20})
                    all.push_back({.workers = workers, .schedule = schedule, .ordered = ordered, .slots = slots});
    return all;
}

struct large {
    std::array<int, 200> values;
};

}  // namespace

TEST_CASE_TEMPLATE("by value: every task yields its result, in order if asked", Policies, packed_policies,
                   turns_policies, paper_policies, drowsy_policies, drowsy_packed_policies) {
    for (const croft::farm_options& options : all_options()) {
        CAPTURE(options.workers);
        CAPTURE(options.ordered);
        CAPTURE(options.slots);
        threaded_farm<Policies> farm(options);
        std::vector<int> results;
        farm.run(count_to(tasks), dawdle, [&](int result) { results.push_back(result); });
        if (!options.ordered) std::sort(results.begin(), results.end());
        std::vector<int> expected(tasks);
        for (int i = 0; i < tasks; ++i) expected[i] = 3 * i;
        CHECK(results == expected);
    }
}

TEST_CASE("in place: tasks and results are read and written where they lie") {
    for (const croft::farm_options& options : all_options()) {
        threaded_farm<> farm(options);
        int next = 0;
        std::vector<int> seen;
        farm.run(
            [&](large& slot) {
                if (next == tasks) return false;
                slot.values.fill(next++);
                return true;
            },
            [](const large& task, large& result) {
                for (std::size_t i = 0; i < task.values.size(); ++i) result.values[i] = 2 * task.values[i];
            },
            [&](const large& result) {
                const int value = result.values[0];
                seen.push_back(std::count(result.values.begin(), result.values.end(), value) == 200 ? value : -1);
            });
        if (!options.ordered) std::sort(seen.begin(), seen.end());
        std::vector<int> expected(tasks);
        for (int i = 0; i < tasks; ++i) expected[i] = 2 * i;
        CHECK(seen == expected);
    }
}

TEST_CASE("each role may have either form, and messages may be moved only") {
    threaded_farm<> farm({.workers = 2, .ordered = true});
    int sum = 0;
    farm.run(
        [n = 0](std::unique_ptr<int>& slot) mutable {
            slot = std::make_unique<int>(n);
            return n++ < 10;
        },
        [](std::unique_ptr<int> task) { return std::to_string(*task); },
        [&](const std::string& result) { sum += std::stoi(result); });
    CHECK(sum == 45);
    sum = 0;
    farm.run([n = 0]() mutable { return n < 10 ? std::optional(std::make_unique<int>(n++)) : std::nullopt; },
             [](std::unique_ptr<int> task) { return task; }, [&](std::unique_ptr<int> result) { sum += *result; });
    CHECK(sum == 45);
}

TEST_CASE("a stream may be empty, and a farm may run again") {
    threaded_farm<> farm({.workers = 3});
    for (const int count : {0, 1, 5, 0, 100}) {
        int collected = 0;
        farm.run(count_to(count), dawdle, [&](int) { ++collected; });
        CHECK(collected == count);
    }
}

TEST_CASE("every worker has its own copy of the worker's state; emitter and collector are used where they are") {
    struct counting_worker {
        std::atomic<int>* copies_used;
        int mine = 0;
        int operator()(int task) {
            if (mine++ == 0) ++*copies_used;
            return task;
        }
    };
    struct counting_collector {
        int collected = 0;
        void operator()(int) { ++collected; }
    };
    std::atomic<int> copies_used{0};
    counting_collector collector;
    const counting_worker worker{&copies_used};
    threaded_farm<> farm({.workers = 3, .schedule = croft::schedule::round_robin});
    farm.run(count_to(30), worker, collector);
    CHECK(copies_used == 3);
    CHECK(collector.collected == 30);
}

TEST_CASE("the caller emits, one other thread collects, the workers are threads of their own") {
    std::set<std::thread::id> workers, collectors, emitters;
    std::vector<std::thread::id> of_task(50);
    threaded_farm<> farm({.workers = 4, .schedule = croft::schedule::round_robin});
    farm.run(
        [&, n = 0]() mutable {
            emitters.insert(std::this_thread::get_id());
            return n < 50 ? std::optional(n++) : std::nullopt;
        },
        [&](int task) {
            of_task[task] = std::this_thread::get_id();
            return task;
        },
        [&](int) { collectors.insert(std::this_thread::get_id()); });
    workers.insert(of_task.begin(), of_task.end());
    CHECK(emitters == std::set{std::this_thread::get_id()});
    CHECK(collectors.size() == 1);
    CHECK(workers.size() == 4);
    CHECK(workers.count(std::this_thread::get_id()) == 0);
    CHECK(workers.count(*collectors.begin()) == 0);
}

TEST_CASE("round-robin gives task n to worker n mod N") {
    std::vector<std::thread::id> of_task(30);
    threaded_farm<> farm({.workers = 3, .schedule = croft::schedule::round_robin});
    farm.run(
        count_to(30),
        [&](int task) {
            of_task[task] = std::this_thread::get_id();
            return task;
        },
        [](int) {});
    for (int i = 3; i < 30; ++i) CHECK(of_task[i] == of_task[i % 3]);
}

TEST_CASE("bounded channels hold the emitter back") {
    // One worker never begins its second task before the emitter is stuck. So the emitter can be ahead by the slots of
    // one channel and no more.
    constexpr int slots = 3;
    std::atomic<int> emitted{0};
    std::atomic<bool> released{false};
    threaded_farm<> farm({.workers = 1, .slots = slots});
    std::thread watcher([&] {
        while (emitted < slots) std::this_thread::yield();
        for (int i = 0; i < 1000; ++i) std::this_thread::yield();
        CHECK(emitted <= slots + 1);
        released = true;
    });
    farm.run(
        [&](int& slot) {
            slot = emitted;
            return ++emitted <= 20;
        },
        [&](const int& task, int& result) {
            while (!released) std::this_thread::yield();
            result = task;
        },
        [](const int&) {});
    watcher.join();
    CHECK(emitted == 21);
}

TEST_CASE("an exception of any role reaches the caller, once everything has ended") {
    for (const croft::farm_options& options : all_options()) {
        threaded_farm<> farm(options);
        CHECK_THROWS_WITH_AS(farm.run(
                                 [n = 0]() mutable -> std::optional<int> {
                                     if (n == 50) throw std::runtime_error("emitter");
                                     return n++;
                                 },
                                 dawdle, [](int) {}),
                             "emitter", std::runtime_error);
        CHECK_THROWS_WITH_AS(farm.run(
                                 count_to(tasks),
                                 [](int task) {
                                     if (task == 50) throw std::runtime_error("worker");
                                     return dawdle(task);
                                 },
                                 [](int) {}),
                             "worker", std::runtime_error);
        CHECK_THROWS_WITH_AS(farm.run(count_to(tasks), dawdle,
                                      [n = 0](int) mutable {
                                          if (n++ == 50) throw std::runtime_error("collector");
                                      }),
                             "collector", std::runtime_error);
        // The farm is as good as new.
        int collected = 0;
        farm.run(count_to(20), dawdle, [&](int) { ++collected; });
        CHECK(collected == 20);
    }
}

TEST_CASE("an exception ends an endless stream, and nothing is collected after the collector threw") {
    threaded_farm<> farm({.workers = 2, .ordered = true});
    int collected = 0;
    CHECK_THROWS_AS(farm.run([n = 0]() mutable { return std::optional(n++); }, dawdle,
                             [&](int) {
                                 if (++collected == 10) throw 1;
                             }),
                    int);
    CHECK(collected == 10);
}

TEST_CASE("a worker that cannot be copied into its thread is an exception too") {
    struct uncopyable_worker {
        uncopyable_worker() = default;
        uncopyable_worker(const uncopyable_worker&) { throw std::runtime_error("no copy"); }
        int operator()(int task) const { return task; }
    };
    threaded_farm<> farm({.workers = 2});
    const uncopyable_worker worker;
    CHECK_THROWS_WITH_AS(farm.run([n = 0]() mutable { return std::optional(n++); }, worker, [](int) {}), "no copy",
                         std::runtime_error);
}

TEST_CASE("a stopped farm drains: what was emitted is collected") {
    for (const croft::farm_options& options : all_options()) {
        threaded_farm<> farm(options);
        int emitted = 0, collected = 0;
        farm.run([&] { return std::optional(emitted++); }, dawdle,
                 [&](int) {
                     if (++collected == 30) farm.stop();
                 });
        CHECK(collected >= 30);
        CHECK(collected == emitted);
    }
}

TEST_CASE("a stopped farm drops: the collector is not called again") {
    for (const croft::farm_options& options : all_options()) {
        threaded_farm<> farm(options);
        int collected = 0;
        farm.run([n = 0]() mutable { return std::optional(n++); }, dawdle,
                 [&](int) {
                     if (++collected == 30) farm.stop(croft::stop_mode::drop);
                 });
        CHECK(collected == 30);
        collected = 0;
        farm.run(count_to(20), dawdle, [&](int) { ++collected; });
        CHECK(collected == 20);
    }
}

TEST_CASE("a stop from outside is not lost, even before the run") {
    threaded_farm<> farm({.workers = 2});
    farm.stop();
    int emitted = 0;
    farm.run([&] { return std::optional(emitted++); }, dawdle, [](int) {});
    CHECK(emitted == 0);

    std::atomic<bool> running{false};
    std::thread other([&] {
        while (!running) std::this_thread::yield();
        farm.stop();
    });
    farm.run(
        [&] {
            running = true;
            return std::optional(1);
        },
        dawdle, [](int) {});
    other.join();
}

TEST_CASE("many more threads than cores") {
    threaded_farm<> farm({.workers = 8 * croft::port::core_count() + 3, .ordered = true});
    int next = 0;
    bool in_order = true;
    farm.run(count_to(2000), dawdle, [&](int result) { in_order &= result == 3 * next++; });
    CHECK(in_order);
    CHECK(next == 2000);
}

TEST_CASE("roles go to the cores they are given, and the caller's affinity is put back") {
    const std::vector<int> allowed = croft::port::allowed_cores();
    REQUIRE_FALSE(allowed.empty());
    const int last = allowed.back();
    std::vector<int> seen;
    threaded_farm<> farm({.workers = 1}, {.cores = {last, last, last}});
    farm.run(
        count_to(3), [](int) { return croft::port::allowed_cores(); },
        [&](const std::vector<int>& cores) { seen.insert(seen.end(), cores.begin(), cores.end()); });
    CHECK(seen == std::vector<int>{last, last, last});
    CHECK(croft::port::allowed_cores() == allowed);

    threaded_farm<> too_few({.workers = 2}, {.cores = {0, 0, 0}});
    CHECK_THROWS_AS(too_few.run(count_to(1), dawdle, [](int) {}), std::invalid_argument);
    threaded_farm<> nowhere({.workers = 1}, {.cores = {last, 1 << 20, last}});
    CHECK_THROWS_AS(nowhere.run(count_to(1), dawdle, [](int) {}), std::system_error);
}

TEST_CASE_TEMPLATE("several emitters make each task once, in order if asked", Policies, packed_policies, paper_policies,
                   drowsy_policies) {
    for (const std::size_t emitters : {1, 2, 3, 5})
        for (const std::size_t workers : {1, 3, 7})
            for (const auto schedule : {croft::schedule::on_demand, croft::schedule::round_robin})
                for (const bool ordered : {false, true})
                    for (const int count : {0, 1, 4, 300}) {
                        CAPTURE(emitters);
                        CAPTURE(workers);
                        CAPTURE(count);
                        threaded_farm<Policies> farm(
                            {.workers = workers, .schedule = schedule, .ordered = ordered, .emitters = emitters});
                        std::vector<int> results;
                        farm.run(
                            [count](std::size_t number) -> std::optional<int> {
                                const int task = static_cast<int>(number);
                                return task < count ? std::optional(task) : std::nullopt;
                            },
                            dawdle, [&](int result) { results.push_back(result); });
                        if (!ordered) std::sort(results.begin(), results.end());
                        REQUIRE(results.size() == static_cast<std::size_t>(count));
                        for (int i = 0; i < count; ++i) REQUIRE(results[static_cast<std::size_t>(i)] == 3 * i);
                    }
}

TEST_CASE("one of several emitters that throws ends the farm, ordered or not") {
    for (const bool ordered : {false, true}) {
        threaded_farm<> farm({.workers = 4, .ordered = ordered, .emitters = 2});
        const auto emitter = [](int& task, std::size_t number) {
            if (number == 101) throw std::runtime_error("no task 101");
            task = static_cast<int>(number);
            return true;
        };
        CHECK_THROWS_WITH((farm.run(emitter, dawdle, [](int) {})), "no task 101");
    }
}

TEST_CASE("several emitters can be stopped, and all that was emitted is collected") {
    for (const bool ordered : {false, true}) {
        threaded_farm<> farm({.workers = 4, .ordered = ordered, .emitters = 3});
        std::atomic<int> emitted{0};
        int collected = 0, last = -1;
        bool ascending = true;
        farm.run(
            [&](int& task, std::size_t number) {
                task = static_cast<int>(number);
                ++emitted;
                return true;
            },
            [](int task) { return task; },
            [&](int result) {
                ascending = ascending && result > last;
                last = result;
                if (++collected == 50) farm.stop();
            });
        CHECK(collected == emitted.load());
        CHECK(collected >= 50);
        CHECK((!ordered || ascending));
    }
}

TEST_CASE(
    "of a source that takes no numbers several emitters, and of such a sink several collectors, are a second row") {
    for (const bool ordered : {false, true}) {
        threaded_farm<> farm({.workers = 5, .ordered = ordered, .emitters = 2, .collectors = 3});
        std::vector<int> results;
        farm.run(count_to(tasks), dawdle, [&](int result) { results.push_back(result); });
        if (!ordered) std::sort(results.begin(), results.end());
        REQUIRE(results.size() == tasks);
        for (int i = 0; i < tasks; ++i) CHECK(results[static_cast<std::size_t>(i)] == 3 * i);
    }
}
