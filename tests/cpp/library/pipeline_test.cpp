// Pipelines of stages in every form, on any number of threads; how a run ends.

#include <croft/pattern/farm.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/run.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "policies_under_test.hpp"
#include "streams.hpp"

using namespace streams;

namespace {

constexpr int items = 500;

struct large {
    std::array<int, 300> values;
};

}  // namespace

TEST_CASE_TEMPLATE("stages of every form, over every kind of channel", Policies, packed_policies, turns_policies,
                   paper_policies, split_policies, drowsy_policies, drowsy_packed_policies) {
    for (const std::size_t threads : thread_counts)
        for (const std::size_t slots : {1, 2, 40}) {
            CAPTURE(threads);
            auto pattern = croft::pipeline([](int n) { return n + 1; },  // one from each
                                           [](int n) { return n % 3 ? std::optional(n) : std::nullopt; },  // or none
                                           [](const int& n, large& made) { made.values.fill(n); },         // in place
                                           [](const large& in, croft::out<std::string>& out) {             // many
                                               for (int i = 0; i < in.values[299] % 4; ++i)
                                                   out.send(std::to_string(in.values[i]));
                                           });
            std::vector<std::string> expected;
            for (int n = 1; n <= items; ++n)
                for (int i = 0; n % 3 && i < n % 4; ++i) expected.push_back(std::to_string(n));
            CHECK(results_of<std::string, Policies>(items, pattern, threads, slots) == expected);
        }
}

TEST_CASE("a pattern may be one stage, and a stream empty") {
    for (const std::size_t threads : thread_counts) {
        CHECK(results_of<int>(3, [](int n) { return -n; }, threads) == std::vector<int>{0, -1, -2});
        CHECK(results_of<int>(0, croft::pipeline(dawdle, dawdle), threads).empty());
    }
}

TEST_CASE("functions, function pointers and references to objects are stages") {
    struct summing {
        int sum = 0;
        int operator()(int n) { return sum += n; }
    } sums;
    auto pattern = croft::pipeline(dawdle, &dawdle, std::ref(sums));
    CHECK(results_of<int>(4, pattern, 2) == std::vector<int>{0, 9, 27, 54});
    CHECK(sums.sum == 54);
    std::function<int(int)> erased = dawdle;
    CHECK(results_of<int>(2, croft::pipeline(erased), 2) == std::vector<int>{0, 3});
}

TEST_CASE("a stage has its state where its pipeline is, and stages and items may be movable only") {
    auto pattern =
        croft::pipeline([kept = std::make_unique<int>(0)](int n) mutable { return std::make_unique<int>(*kept += n); },
                        [](std::unique_ptr<int> n) { return n; });
    for (const std::size_t threads : thread_counts) {
        int last = -1;
        croft::run(count_to(5), pattern, [&](std::unique_ptr<int> n) { last = *n; }, {.threads = threads});
        CHECK(last % 10 == 0);  // it goes on from run to run
    }
}

TEST_CASE("a pipeline in a pipeline is as long as both") {
    for (const std::size_t threads : thread_counts) {
        auto inner = croft::pipeline(dawdle, [](int n) { return n + 1; });
        const auto made = results_of<int>(50, croft::pipeline(inner, croft::pipeline(inner, inner)), threads);
        REQUIRE(made.size() == 50);
        for (int n = 0; n < 50; ++n) CHECK(made[n] == ((3 * n + 1) * 3 + 1) * 3 + 1);
    }
}

TEST_CASE("sources and sinks in place, and on the calling thread") {
    const auto caller = std::this_thread::get_id();
    bool here = true;
    int next = 0, sum = 0;
    croft::run(
        [&](large& slot) {
            here &= std::this_thread::get_id() == caller;
            slot.values.fill(next);
            return next++ < items;
        },
        [](const large& in, large& out) { out = in; }, [&](const large& in) { sum += in.values[7]; }, {.threads = 4});
    CHECK(here);
    CHECK(sum == items * (items - 1) / 2);
}

TEST_CASE("with one thread everything is called in the calling one") {
    const auto caller = std::this_thread::get_id();
    const auto pattern = croft::pipeline(
        [&](int n) { return std::this_thread::get_id() == caller ? n : -1; },
        croft::farm([&](int n) { return std::this_thread::get_id() == caller ? n : -1; }, {.workers = 3}));
    const auto made = results_of<int>(20, pattern, 1);
    CHECK(std::accumulate(made.begin(), made.end(), 0) == 190);
}

TEST_CASE("bounded channels hold back who is ahead") {
    std::atomic<int> made{0}, done{0};
    std::atomic<bool> released{false};
    constexpr int slots = 3;
    std::thread watcher([&] {
        while (made < slots) std::this_thread::yield();
        for (int i = 0; i < 1000; ++i) std::this_thread::yield();
        CHECK(made <= 3 * (slots + 1) + 2);
        released = true;
    });
    croft::run([&]() -> std::optional<int> { return made < 100 ? std::optional(made++) : std::nullopt; },
               croft::pipeline([](int n) { return n; }, [](int n) { return n; }),
               [&](int) {
                   while (!released) std::this_thread::yield();
                   ++done;
               },
               {.threads = 4, .slots = slots});
    watcher.join();
    CHECK(done == 100);
}

TEST_CASE("an exception of any role reaches the caller, once everything has ended") {
    for (const std::size_t threads : thread_counts) {
        const auto thrower = [](const char* what) {
            return [what](int n) { return n == 50 ? throw std::runtime_error(what) : dawdle(n); };
        };
        const auto nothing = [](int n) { return n; };
        const auto endless = [] { return [n = 0]() mutable { return std::optional(n++); }; };
        const croft::run_options options{.threads = threads};
        CHECK_THROWS_WITH_AS(croft::run(
                                 [n = 0]() mutable -> std::optional<int> {
                                     if (n == 50) throw std::runtime_error("source");
                                     return n++;
                                 },
                                 croft::pipeline(nothing, dawdle), [](int) {}, options),
                             "source", std::runtime_error);
        CHECK_THROWS_WITH_AS(croft::run(
                                 endless(), croft::pipeline(thrower("first"), nothing), [](int) {}, options),
                             "first", std::runtime_error);
        CHECK_THROWS_WITH_AS(croft::run(
                                 endless(), croft::pipeline(nothing, thrower("second")), [](int) {}, options),
                             "second", std::runtime_error);
        CHECK_THROWS_WITH_AS(croft::run(
                                 endless(), croft::pipeline(nothing, nothing),
                                 [n = 0](int) mutable {
                                     if (n++ == 50) throw std::runtime_error("sink");
                                 },
                                 options),
                             "sink", std::runtime_error);
        CHECK_THROWS_WITH_AS(croft::run(
                                 endless(), croft::pipeline([](int n, croft::out<int>& out) {
                                     out.send(n);
                                     if (n == 50) throw std::runtime_error("between");
                                     out.send(n);
                                 }),
                                 [](int) {}, options),
                             "between", std::runtime_error);
    }
}

TEST_CASE("what an item's own type throws is an exception like any other") {
    struct fragile {
        int value = 0;
        fragile() = default;
        fragile(int n) : value(n) {}
        fragile(fragile&& other) { *this = std::move(other); }
        fragile& operator=(fragile&& other) {
            if (other.value == 30) throw std::runtime_error("broken");
            value = other.value;
            return *this;
        }
    };
    for (const std::size_t threads : thread_counts)
        CHECK_THROWS_WITH_AS(croft::run([n = 0]() mutable { return std::optional(n++); },
                                        croft::pipeline([](int n) { return fragile(n); }, [](fragile f) { return f; }),
                                        [](fragile) {}, {.threads = threads}),
                             "broken", std::runtime_error);
}

TEST_CASE("stopped, it drains: what was made is taken") {
    for (const std::size_t threads : thread_counts) {
        croft::stopper stopper;
        int made = 0, taken = 0;
        croft::run([&] { return std::optional(made++); }, croft::pipeline(dawdle, dawdle),
                   [&](int) {
                       if (++taken == 30) stopper.stop();
                   },
                   {.threads = threads, .stops = &stopper});
        CHECK(taken >= 30);
        CHECK(taken == made);
    }
}

TEST_CASE("stopped, it drops: the sink is not called again; and a stop serves one run") {
    for (const std::size_t threads : thread_counts) {
        croft::stopper stopper;
        int taken = 0;
        const croft::run_options options{.threads = threads, .stops = &stopper};
        croft::run([n = 0]() mutable { return std::optional(n++); }, croft::pipeline(dawdle, dawdle),
                   [&](int) {
                       if (++taken == 30) stopper.stop(croft::stop_mode::drop);
                   },
                   options);
        CHECK(taken == 30);
        croft::run(count_to(20), dawdle, [&](int) { ++taken; }, options);
        CHECK(taken == 50);
        stopper.stop();
        croft::run(count_to(20), dawdle, [&](int) { ++taken; }, options);
        CHECK(taken == 50);
    }
}

TEST_CASE("a plan says who does what where, and a placement may be one's own") {
    const auto pattern = croft::pipeline(dawdle, croft::farm(dawdle, {.workers = 2}));
    CHECK(croft::plan_of(pattern, {.threads = 2, .place = croft::placements::neighbours{false}}).to_string() ==
          "thread 0: source, stage, farm.emitter, farm.worker 0.stage\n"
          "thread 1: farm.worker 1.stage, farm.collector, sink\n");
    CHECK(croft::plan_of(croft::farm(dawdle, {.workers = 2}),
                         {.threads = 2, .place = croft::placements::neighbours{false}})
              .to_string() ==
          "thread 0: source, farm.emitter, farm.worker 0.stage, farm.collector, sink\n"
          "thread 1: farm.worker 1.stage\n");
    CHECK(croft::plan_of(pattern, {.threads = 5, .place = croft::placements::neighbours{false}}).to_string() ==
          "thread 0: source\nthread 1: stage, farm.emitter\nthread 2: farm.worker 0.stage\n"
          "thread 3: farm.worker 1.stage\nthread 4: farm.collector, sink\n");

    std::set<std::thread::id> threads;
    std::mutex lock;
    const auto where = [&](int n) {
        const std::scoped_lock hold(lock);
        threads.insert(std::this_thread::get_id());
        return n;
    };
    const auto all_in_the_second = [](croft::plan& plan, std::size_t) {
        plan.threads = 2;
        for (croft::plan::role& role : plan.roles) role.thread = role.kind != croft::plan::role_kind::source;
    };
    croft::run(count_to(10), croft::pipeline(where, where), where, {.place = all_in_the_second});
    CHECK(threads.size() == 1);
    CHECK(threads.count(std::this_thread::get_id()) == 0);

    const auto run_with = [&](croft::detail::placement place) {
        croft::run(count_to(1), dawdle, [](int) {}, {.place = std::move(place)});
    };
    CHECK_THROWS_AS(run_with([](croft::plan& plan, std::size_t) { plan.threads = 0; }), std::invalid_argument);
    CHECK_THROWS_AS(run_with([](croft::plan& plan, std::size_t) { plan.roles[1].thread = 7; }), std::invalid_argument);
    CHECK_THROWS_AS(run_with([](croft::plan& plan, std::size_t) { plan.cores = {0, 0, 0}; }), std::invalid_argument);
    CHECK_THROWS_AS(run_with([](croft::plan& plan, std::size_t) {
                        plan.threads = 2;
                        for (croft::plan::role& role : plan.roles) role.thread = 1;
                    }),
                    std::invalid_argument);
    CHECK_THROWS_AS(run_with([](croft::plan& plan, std::size_t) { plan.cores = {1 << 20}; }), std::system_error);
}

TEST_CASE("the caller's affinity is put back") {
    const auto before = croft::port::allowed_cores();
    results_of<int>(10, croft::pipeline(dawdle, dawdle), 2);
    CHECK(croft::port::allowed_cores() == before);
}
