// Patterns across processes: every process calls the same run, the root's source and sink are used.

#include <croft/mpi/run.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/map.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/reduce.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using croft::mpi::across;
using croft::mpi::world;

bool is_root(int root = 0) { return world().rank() == root; }

// The numbers from 0 on.
auto numbers(int count) {
    return [next = 0, count]() mutable -> std::optional<int> {
        return next < count ? std::optional(next++) : std::nullopt;
    };
}

// What a run makes of them, at the root.
template <class Out, class Pattern>
std::vector<Out> results_of(int count, Pattern pattern, croft::run_options options = {}) {
    std::vector<Out> results;
    croft::mpi::run(numbers(count), pattern, [&](Out result) { results.push_back(result); }, options);
    return results;
}

std::vector<long> squares(int count) {
    std::vector<long> expected;
    for (long i = 0; i < count; ++i) expected.push_back(i * i);
    return expected;
}
long square(int n) { return long{n} * n; }

template <class T>
std::vector<T> sorted(std::vector<T> all) {
    std::sort(all.begin(), all.end());
    return all;
}

TEST_CASE("every item is worked on once, whatever their number and that of the threads") {
    for (const int count : {0, 1, 2, 100, 20'000})
        for (const std::size_t threads : {0u, 1u, 2u}) {
            CAPTURE(count);
            CAPTURE(threads);
            const auto made = results_of<long>(count, across(world(), croft::farm(square)), {.threads = threads});
            if (is_root())
                CHECK(sorted(made) == squares(count));
            else
                CHECK(made.empty());
        }
}

TEST_CASE("in order, if asked for, although items take unequal time") {
    const auto work = [](int n) {
        if (n % 50 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
        return square(n);
    };
    for (const std::size_t threads : {1u, 2u}) {
        const auto made =
            results_of<long>(5'000, across(world(), croft::farm(work), {.ordered = true}), {.threads = threads});
        if (is_root()) CHECK(made == squares(5'000));
    }
}

TEST_CASE("another rank may be the root") {
    const int last = world().size() - 1;
    const auto made = results_of<long>(1'000, across(world(), croft::farm(square), {.ordered = true, .root = last}));
    CHECK(made == (is_root(last) ? squares(1'000) : std::vector<long>{}));
}

TEST_CASE("a root that does not work gives all away, if there is somebody") {
    std::vector<int> by(static_cast<std::size_t>(world().size()));
    croft::mpi::run(numbers(1'000), across(world(), [](int) { return world().rank(); }, {.root_works = false}),
                    [&](int rank) { ++by[static_cast<std::size_t>(rank)]; });
    if (!is_root()) return;
    CHECK(by[0] == (world().size() == 1 ? 1'000 : 0));
    CHECK(std::accumulate(by.begin(), by.end(), 0) == 1'000);
}

TEST_CASE("what works in a process may be any pattern") {
    SUBCASE("a callable") {
        const auto made = results_of<long>(1'000, across(world(), square, {.ordered = true}));
        if (is_root()) CHECK(made == squares(1'000));
    }
    SUBCASE("a pipeline with a farm") {
        const auto made = results_of<std::size_t>(
            1'000, across(world(),
                          croft::pipeline([](int n) { return std::vector<int>(static_cast<std::size_t>(n % 7), n); },
                                          croft::farm([](const std::vector<int>& v) { return v.size(); })),
                          {.ordered = true}));
        if (is_root()) {
            REQUIRE(made.size() == 1'000);
            for (std::size_t i = 0; i < made.size(); ++i) CHECK(made[i] == i % 7);
        }
    }
    SUBCASE("a map and a reduction") {
        const auto made =
            results_of<long>(200, across(world(),
                                         croft::pipeline([](int n) { return std::vector<long>(100, n); },
                                                         croft::map([](std::vector<long>& it, croft::share mine) {
                                                             const croft::slice own = mine.of(it.size());
                                                             for (std::size_t i = own.begin; i < own.end; ++i)
                                                                 it[i] *= 2;
                                                         }),
                                                         croft::reduce(0l, std::plus<>())),
                                         {.ordered = true}));
        if (is_root()) {
            REQUIRE(made.size() == 200);
            for (long i = 0; i < 200; ++i) CHECK(made[static_cast<std::size_t>(i)] == 200 * i);
        }
    }
}

TEST_CASE("a filter makes fewer items, an emitting stage more") {
    const auto filter = [](int n) { return n % 3 == 0 ? std::optional(n) : std::nullopt; };
    const auto some = results_of<int>(999, across(world(), croft::farm(filter), {.ordered = true}));
    if (is_root()) {
        REQUIRE(some.size() == 333);
        for (std::size_t i = 0; i < some.size(); ++i) CHECK(some[i] == static_cast<int>(3 * i));
    }
    const auto copies = [](int n, croft::out<int>& out) {
        for (int i = 0; i < n % 4; ++i) out.send(n);
    };
    for (const bool ordered : {false, true}) {
        auto more = results_of<int>(1'000, across(world(), croft::farm(copies), {.ordered = ordered}));
        if (is_root()) {
            if (!ordered) more = sorted(more);
            std::vector<int> expected;
            for (int n = 0; n < 1'000; ++n) expected.insert(expected.end(), static_cast<std::size_t>(n % 4), n);
            CHECK(more == expected);
        }
    }
}

TEST_CASE("it is a stage among others, and there may be several") {
    const auto more = [](int n) { return n + 1; };
    SUBCASE("between the root's own") {
        const auto made = results_of<long>(
            2'000, croft::pipeline([](int n) { return n - 1; }, more,
                                   across(world(), croft::farm(square), {.ordered = true}), [](long n) { return n; }));
        if (is_root()) CHECK(made == squares(2'000));
    }
    SUBCASE("two of them") {
        const auto made =
            results_of<long>(2'000, croft::pipeline(across(world(), croft::farm([](int n) { return n - 1; })),
                                                    across(world(), croft::farm([](int n) { return square(n + 1); }))));
        if (is_root()) CHECK(sorted(made) == squares(2'000));
    }
}

TEST_CASE("items larger than a frame go in pieces") {
    struct large {
        std::array<int, 50'000> numbers;
    };
    int next = 0;
    std::vector<long> sums;
    croft::mpi::run(
        [&]() -> std::optional<large> {
            if (next == 40) return std::nullopt;
            large one;
            one.numbers.fill(next++);
            return one;
        },
        across(world(),
               [](const large& in, large& out) {
                   for (std::size_t i = 0; i < in.numbers.size(); ++i) out.numbers[i] = 2 * in.numbers[i];
               },
               {.ordered = true}),
        [&](const large& one) { sums.push_back(std::accumulate(one.numbers.begin(), one.numbers.end(), 0l)); });
    if (!is_root()) return;
    REQUIRE(sums.size() == 40);
    for (long i = 0; i < 40; ++i) CHECK(sums[static_cast<std::size_t>(i)] == 100'000 * i);
}

#if __has_include(<cereal/archives/binary.hpp>)

// Serialised by cereal, which finds the function.
struct person {
    std::string name;
    std::vector<int> numbers;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(name, numbers);
    }
};

TEST_CASE("items that own memory travel as their codec has them, of any size") {
    int next = 0;
    std::vector<person> made;
    croft::mpi::run(
        [&]() -> std::optional<std::string> {
            if (next == 300) return std::nullopt;
            return std::string(static_cast<std::size_t>(next++ * 100), 'x');
        },
        across(world(), croft::farm([](const std::string& name) {
                   return person{name + "!", std::vector<int>(name.size() % 5, 7)};
               }),
               {.ordered = true}),
        [&](person one) { made.push_back(std::move(one)); });
    if (!is_root()) return;
    REQUIRE(made.size() == 300);
    for (std::size_t i = 0; i < made.size(); ++i) {
        CHECK(made[i].name == std::string(i * 100, 'x') + "!");
        CHECK(made[i].numbers == std::vector<int>(i * 100 % 5, 7));
    }
}

#endif

TEST_CASE("what a worker throws leaves the root's run, with its rank; in order, what comes before it is delivered") {
    for (const bool ordered : {false, true}) {
        const auto work = [](int n) {
            if (n == 700) throw std::runtime_error("700 is too much at rank " + std::to_string(world().rank()));
            return square(n);
        };
        std::vector<long> made;
        std::string said;
        int rank = world().rank();
        try {
            croft::mpi::run(numbers(100'000), across(world(), croft::farm(work), {.ordered = ordered}),
                            [&](long n) { made.push_back(n); });
        } catch (const croft::mpi::remote_failure& thrown) {
            rank = thrown.rank();
            said = thrown.what();
            said.erase(0, said.find(": ") + 2);
        } catch (const std::runtime_error& thrown) {
            said = thrown.what();
        }
        if (!is_root()) {
            CHECK(said.empty());
            continue;
        }
        CHECK(said == "700 is too much at rank " + std::to_string(rank));
        if (ordered) CHECK(made == squares(700));
    }
}

TEST_CASE("what the source throws ends the stream everywhere") {
    for (const int at : {0, 500}) {
        std::string said;
        try {
            croft::mpi::run(
                [n = 0, at]() mutable -> std::optional<int> {
                    if (n == at) throw std::runtime_error("the source is dry");
                    return n++;
                },
                across(world(), croft::farm(square)), [](long) {});
        } catch (const std::runtime_error& thrown) {
            said = thrown.what();
        }
        CHECK(said == (is_root() ? "the source is dry" : ""));
    }
}

TEST_CASE("a run that is asked to stop ends") {
    for (const auto mode : {croft::stop_mode::drain, croft::stop_mode::drop}) {
        croft::stopper stops;
        int made = 0, taken = 0;
        croft::mpi::run(
            [&]() -> std::optional<int> {
                if (++made == 1'000) stops.stop(mode);
                return made;
            },
            across(world(), croft::farm(square)), [&](long) { ++taken; }, {.stops = &stops});
        if (!is_root()) continue;
        CHECK(made == 1'000);
        if (mode == croft::stop_mode::drain)
            CHECK(taken == made);
        else
            CHECK(taken <= made);
    }
}

TEST_CASE("processes take what they can: one that is slow gets less") {
    if (world().size() == 1) return;
    struct done {
        int rank;
    };
    const auto work = [](int) {
        std::this_thread::sleep_for(std::chrono::microseconds(world().rank() == 1 ? 20'000 : 1'000));
        return done{world().rank()};
    };
    std::vector<int> by(static_cast<std::size_t>(world().size()));
    croft::mpi::run(numbers(400), across(world(), croft::farm(work)),
                    [&](done one) { ++by[static_cast<std::size_t>(one.rank)]; }, {.threads = 1});
    if (is_root()) CHECK(by[1] < by[0]);
}

}  // namespace
