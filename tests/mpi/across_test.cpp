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
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
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

// The results that a run makes of them, at the root.
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
        const auto made = results_of<long>(
            5'000, across(world(), croft::farm(work), {.ordered = true, .root_works = true}), {.threads = threads});
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

// Rows of a picture, and the first one's number in the whole.
struct rows {
    std::size_t first = 0;
    std::vector<long> each;
};

}  // namespace

template <>
struct croft::mpi::codec<rows> {
    static void encode(const rows& message, std::vector<std::byte>& to) {
        const auto append = [&to](std::span<const std::byte> bytes) {
            to.insert(to.end(), bytes.begin(), bytes.end());
        };
        append(std::as_bytes(std::span(&message.first, 1)));
        append(std::as_bytes(std::span(message.each)));
    }
    static void decode(std::span<const std::byte> from, rows& message) {
        croft::mpi::detail::item_from(from.first(sizeof message.first), message.first);
        const auto rest = from.subspan(sizeof message.first);
        message.each.resize(rest.size() / sizeof(long));
        if (!rest.empty()) std::memcpy(message.each.data(), rest.data(), rest.size());
    }
};

namespace {

TEST_CASE("a map across processes divides each item among all their workers, and gathers it in order") {
    constexpr std::size_t height = 101;
    const auto picture = [](int n) { return rows{0, std::vector<long>(height, n)}; };
    const auto cut = [](rows& of, croft::share part) {
        const croft::slice own = part.of(of.each.size());
        const auto begin = of.each.begin() + static_cast<std::ptrdiff_t>(own.begin);
        return rows{of.first + own.begin, {begin, begin + static_cast<std::ptrdiff_t>(own.size())}};
    };
    // Rows are joined in order, though that is not commutative.
    const auto number = [](const rows& it, croft::share) {
        rows made{it.first, {}};
        for (const long value : it.each)
            made.each.push_back(1000 * value + static_cast<long>(it.first + made.each.size()));
        return made;
    };
    const auto join = [](rows a, rows b) {
        CHECK(a.first + a.each.size() == b.first);
        a.each.insert(a.each.end(), b.each.begin(), b.each.end());
        return a;
    };
    struct found {
        std::size_t worker, workers, first, size;
    };
    const auto look = [](const rows& it, croft::share mine) {
        CHECK(mine.count == 1);
        return found{mine.first, mine.workers, it.first, it.each.size()};
    };
    const auto put_together = [&](rows item, std::vector<found> parts) {
        std::size_t next = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            CHECK(parts[i].worker == i);
            CHECK(parts[i].workers == parts.size());
            CHECK(parts[i].first == next);
            next += parts[i].size;
        }
        CHECK(next == height);
        return std::array<std::size_t, 2>{parts.size(), static_cast<std::size_t>(item.each.at(0))};
    };
    const auto sum = [](const rows& it, croft::share mine) {
        const croft::slice own = mine.of(it.each.size());
        return std::accumulate(it.each.begin() + static_cast<std::ptrdiff_t>(own.begin),
                               it.each.begin() + static_cast<std::ptrdiff_t>(own.end), 0l);
    };
    for (const std::size_t root_threads : {1u, 3u})
        for (const std::size_t workers : {0u, 1u, 2u, 5u})
            for (const bool root_works : {true, false}) {
                CAPTURE(root_threads);
                CAPTURE(workers);
                CAPTURE(root_works);
                const croft::map_options options{.workers = workers};
                const std::size_t expected = is_root() ? 20 : 0, each = workers ? workers : root_threads,
                                  processes =
                                      static_cast<std::size_t>(std::max(1, world().size() - (root_works ? 0 : 1)));
                const auto made_by = [&]<class Out>(std::type_identity<Out>, auto map) {
                    const auto made =
                        results_of<Out>(20, croft::pipeline(picture, across(world(), map, {.root_works = root_works})),
                                        {.threads = is_root() ? root_threads : 2});
                    CHECK(made.size() == expected);
                    return made;
                };
                int n = 0;
                for (const rows& it : made_by(std::type_identity<rows>(), croft::map(number, join, options, cut))) {
                    REQUIRE(it.each.size() == height);
                    for (std::size_t i = 0; i < height; ++i) CHECK(it.each[i] == 1000 * n + static_cast<long>(i));
                    ++n;
                }
                std::size_t item = 0;
                for (const auto& of : made_by(std::type_identity<std::array<std::size_t, 2>>(),
                                              croft::map(look, put_together, options, cut)))
                    CHECK(of == std::array{each * processes, item++});
                item = 0;
                for (const long of : made_by(std::type_identity<long>(), croft::map(sum, std::plus<>(), options)))
                    CHECK(of == static_cast<long>(height * item++));
            }
}

TEST_CASE("a share of an item is always the same process's") {
    const auto work = [](const int&, croft::share mine) {
        return std::vector<std::pair<std::size_t, int>>{{mine.first, world().rank()}};
    };
    const auto join = [](std::vector<std::pair<std::size_t, int>> a, std::vector<std::pair<std::size_t, int>> b) {
        a.insert(a.end(), b.begin(), b.end());
        return a;
    };
    const auto expected = [&] {
        std::vector<std::pair<std::size_t, int>> all;
        for (int i = 0; i < world().size(); ++i)
            all.emplace_back(static_cast<std::size_t>(i), i + 1 == world().size() ? 0 : i + 1);
        return all;
    }();
    const auto made = results_of<std::vector<std::pair<std::size_t, int>>>(
        500, across(world(), croft::map(work, join, {.workers = 1})), {.threads = 1});
    CHECK(made.size() == (is_root() ? 500u : 0u));
    for (const auto& each : made) CHECK(each == expected);
}

TEST_CASE("what a map's workers yield may be bools, or own memory") {
    const auto odd = [](const int& n, croft::share) { return n % 2 == 1; };
    const auto all_of = [](int n, std::vector<bool> parts) {
        return parts == std::vector<bool>(parts.size(), n % 2 == 1) ? std::to_string(n) : "wrong";
    };
    const auto made = results_of<std::string>(100, across(world(), croft::map(odd, all_of)));
    CHECK(made.size() == (is_root() ? 100u : 0u));
    for (std::size_t i = 0; i < made.size(); ++i) CHECK(made[i] == std::to_string(i));
}

TEST_CASE("a reduction across processes") {
    const auto range = [](int n) {
        std::vector<long> all(static_cast<std::size_t>(n));
        std::iota(all.begin(), all.end(), 1l);
        return all;
    };
    const auto made = results_of<long>(
        300, croft::pipeline(range, across(world(), croft::reduce(0l, [](long v) { return 2 * v; }, std::plus<>()))));
    CHECK(made.size() == (is_root() ? 300u : 0u));
    for (long n = 0; n < static_cast<long>(made.size()); ++n) CHECK(made[static_cast<std::size_t>(n)] == n * (n + 1));
}

TEST_CASE("a map that fails at one process fails the run; the next run is a new one") {
    auto sums = across(world(),
                       croft::map(
                           [](const int& n, croft::share mine) {
                               if (n == 50 && mine.first == 0)
                                   throw std::runtime_error("50 is too much at rank " + std::to_string(world().rank()));
                               return mine.first == 0 ? n : 0;
                           },
                           [](int a, int b) { return a + b; }));
    for (const int count : {100, 40}) {
        std::vector<int> made;
        std::string said;
        try {
            croft::mpi::run(numbers(count), sums, [&](int n) { made.push_back(n); });
        } catch (const std::runtime_error& thrown) {
            said = thrown.what();
        }
        if (!is_root()) continue;
        CHECK((said.find("50 is too much") != std::string::npos) == (count == 100));
        CHECK(made.size() == (count == 100 ? 50u : 40u));
        for (std::size_t i = 0; i < made.size(); ++i) CHECK(made[i] == static_cast<int>(i));
    }
}

TEST_CASE("a stage may be at one process, whose state it then has") {
    const int last = world().size() - 1;
    const auto counted = [sum = 0l](int n) mutable { return std::pair(sum += n, world().rank()); };
    const auto rest = [](std::pair<long, int> so_far) {
        return std::array<long, 3>{so_far.first, so_far.second, world().rank()};
    };
    const auto made = results_of<std::array<long, 3>>(
        1'000, croft::pipeline(croft::mpi::at(world(), last, counted), croft::mpi::at(world(), 0, rest)));
    CHECK(made.size() == (is_root() ? 1'000u : 0u));
    for (long i = 0; i < static_cast<long>(made.size()); ++i)
        CHECK(made[static_cast<std::size_t>(i)] == std::array<long, 3>{i * (i + 1) / 2, last, 0});
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

TEST_CASE("unless told, a root works on items if that takes a core that the other processes do not") {
    const std::size_t cores = croft::port::between_processes::core_count_of_node();
    for (const std::size_t threads : {std::size_t{1}, cores}) {
        std::vector<int> by(static_cast<std::size_t>(world().size()));
        const auto work = [](int) {
            std::this_thread::sleep_for(std::chrono::microseconds(500));
            return world().rank();
        };
        croft::mpi::run(numbers(200), across(world(), croft::farm(work)),
                        [&](int rank) { ++by[static_cast<std::size_t>(rank)]; }, {.threads = threads});
        const bool takes_its_own = threads * static_cast<std::size_t>(world().size_of_node() - 1) < cores;
        if (is_root()) CHECK((by[0] > 0) == takes_its_own);
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
    croft::mpi::run(numbers(400), across(world(), croft::farm(work), {.root_works = true}),
                    [&](done one) { ++by[static_cast<std::size_t>(one.rank)]; }, {.threads = 1});
    if (is_root()) CHECK(by[1] < by[0]);
}

}  // namespace
