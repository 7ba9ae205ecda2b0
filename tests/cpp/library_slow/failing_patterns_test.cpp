// Every pattern, with items whose every copy, move and construction fails once, and every allocation (failing.hpp).

#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/all_to_all.hpp>
#include <croft/pattern/divide_and_conquer.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/feedback.hpp>
#include <croft/pattern/graph.hpp>
#include <croft/pattern/map.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/prefix.hpp>
#include <croft/pattern/reduce.hpp>
#include <croft/pattern/run.hpp>
#include <croft/pattern/stencil.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "failing.hpp"

using failing::thing;

namespace {

constexpr int count = 5;
using things = std::vector<thing>;
using grid = croft::grid<thing>;

// ---- what the stages do ----

thing add_one(thing a) { return thing(a.value() + 1); }
std::optional<thing> even(thing a) { return a.value() % 2 == 0 ? std::optional(std::move(a)) : std::nullopt; }
void add_one_in_place(const thing& a, thing& to) { to = thing(a.value() + 1); }
void twice(thing a, croft::out<thing>& to) {
    to.send(a);
    to.send(std::move(a));
}
things some(thing a) {
    things made;
    for (int i = 0; i < 3 + a.value(); ++i) made.push_back(thing(i));
    return made;
}
thing all_of(things many) {
    int sum = 0;
    for (const thing& each : many) sum += each.value();
    return thing(sum);
}
thing sum_of_grid(grid all) { return all_of(std::move(all.cells)); }
thing plus(thing a, thing b) { return a + b; }
grid a_grid(thing a) { return grid(5, 4, std::move(a)); }
thing mean(const thing* above, const thing* here, const thing* below) { return above[0] + here[1] + below[0]; }

// ---- how a run goes ----

// All that comes, as numbers in order; ordered ones as they come.
template <class Sort>
struct results {
    std::vector<int> all;
    std::mutex lock;
    void add(int value) {
        const std::lock_guard guard(lock);
        all.push_back(value);
    }
    std::vector<int> take() {
        if (Sort::value) std::sort(all.begin(), all.end());
        return std::move(all);
    }
};

template <class Pattern>
void check(const std::string& which, Pattern pattern) {
    for (const std::size_t threads : {1, 3}) {
        failing::at_every_place(which + ", threads " + std::to_string(threads), [&] {
            results<std::true_type> made;
            int next = 0;
            croft::run(
                [&]() -> std::optional<thing> { return next < count ? std::optional<thing>(next++) : std::nullopt; },
                pattern, [&](thing a) { made.add(a.value()); }, {.threads = threads});
            return made.take();
        });
    }
}
// The same with a source and a sink of other forms.
template <class Pattern, class Source, class Sink>
void check_with(const std::string& which, Pattern pattern, Source source, Sink sink) {
    for (const std::size_t threads : {1, 3})
        failing::at_every_place(which + ", threads " + std::to_string(threads), [&] {
            results<std::true_type> made;
            croft::run(source, pattern, [&](auto a, auto part) { sink(made, std::move(a), part); },
                       {.threads = threads});
            return made.take();
        });
}
std::optional<thing> by_number(std::size_t n) {
    return n < count ? std::optional<thing>(static_cast<int>(n)) : std::nullopt;
}
struct once_each {
    std::optional<thing> operator()() { return next < count ? std::optional<thing>(next++) : std::nullopt; }
    int next = 0;
};

}  // namespace

TEST_CASE("failures at every place: stages and pipelines") {
    check("pipeline", croft::pipeline(add_one, even, add_one_in_place, twice));
    check("one stage that sends many", croft::pipeline(twice, twice));
}

TEST_CASE("failures at every place: farms") {
    check("farm", croft::farm(add_one, {.workers = 2}));
    check("farm in turn", croft::farm(add_one, {.workers = 2, .schedule = croft::schedule::round_robin}));
    check("ordered farm", croft::farm(croft::pipeline(twice, even), {.workers = 2, .ordered = true}));
    check("rows", croft::farm(add_one, {.workers = 2, .emitters = 2, .collectors = 2}));
    check("ordered rows", croft::farm(add_one, {.workers = 2, .ordered = true, .emitters = 2, .collectors = 2}));
    check("chosen workers", croft::farm(add_one, {.workers = 2}, [](const thing& a, std::size_t n) {
              return static_cast<std::size_t>(thing(a).value()) % n;
          }));
    check("urgent ones", croft::farm(add_one, {.workers = 2},
                                     croft::priority{[](const thing& a) { return thing(a).value() % 3; }, 2}));
    check("a farm in an ordered one",
          croft::farm(croft::farm(add_one, {.workers = 2}), {.workers = 2, .ordered = true}));
}

TEST_CASE("failures at every place: farms whose source and sink take numbers") {
    const auto sink = [](auto& made, thing a, croft::farm_part part) {
        made.add(a.value() + 100 * static_cast<int>(part.task));
    };
    check_with("numbers", croft::farm(add_one, {.workers = 2, .emitters = 2, .collectors = 2}), by_number, sink);
    failing::at_every_place("numbers, in order", [&] {
        results<std::false_type> made;
        croft::run(by_number, croft::farm(add_one, {.workers = 2, .ordered = true, .emitters = 2}),
                   [&](thing a) { made.add(a.value()); }, {.threads = 3});
        return made.take();
    });
}

TEST_CASE("failures at every place: loops") {
    const auto again = [](const thing& a) { return a.value() < 3; };
    const auto router = [](thing a, croft::out<thing>& back, croft::out<thing>& out) {
        if (a.value() < 3) back.send(a);
        out.send(std::move(a));
    };
    check("feedback", croft::feedback(add_one, again));
    check("feedback with a farm", croft::feedback(croft::farm(add_one, {.workers = 2}), router));
    check("feedback of what sends many",
          croft::feedback(croft::pipeline(add_one, twice), [](const thing& a) { return a.value() < 2; }));
    check("feedback in an ordered farm",
          croft::farm(croft::feedback(add_one, router), {.workers = 2, .ordered = true}));
    check("feedback in feedback", croft::feedback(croft::feedback(add_one, router), again));
}

TEST_CASE("failures at every place: maps") {
    const auto in_place = [](things& all, croft::share mine) {
        const croft::slice own = mine.of(all.size());
        for (std::size_t i = own.begin; i < own.end; ++i) all[i] = thing(all[i].value() + 1);
    };
    const auto sum = [](const things& all, croft::share mine) {
        const croft::slice own = mine.of(all.size());
        thing total;
        for (std::size_t i = own.begin; i < own.end; ++i) total = total + all[i];
        return total;
    };
    const auto gather = [](things, std::vector<thing> sums) { return all_of(std::move(sums)); };
    const auto split = [](things& all, croft::share part) {
        const croft::slice own = part.of(all.size());
        return things(all.begin() + static_cast<std::ptrdiff_t>(own.begin),
                      all.begin() + static_cast<std::ptrdiff_t>(own.end));
    };
    const auto of_part = [](const things& all) { return all_of(all); };
    check("map in place", croft::pipeline(some, croft::map(in_place, {.workers = 3}), all_of));
    check("map that combines", croft::pipeline(some, croft::map(sum, plus, {.workers = 3})));
    check("map that gathers", croft::pipeline(some, croft::map(sum, gather, {.workers = 3})));
    check("map that splits", croft::pipeline(some, croft::map(of_part, plus, {.workers = 3}, split)));
    check("map from the first",
          croft::pipeline(some, croft::map(sum, plus, {.workers = 3, .distribution = croft::distribution::linear})));
    check("map in an ordered farm",
          croft::farm(croft::pipeline(some, croft::map(sum, plus, {.workers = 2})), {.workers = 2, .ordered = true}));
}

TEST_CASE("failures at every place: maps whose sink takes parts") {
    const auto worker = [](thing a, croft::share mine) { return thing(a.value() + static_cast<int>(mine.first)); };
    const auto part = [](auto& made, thing a, croft::map_part which) {
        made.add(a.value() + 100 * static_cast<int>(which.item) + 1000 * static_cast<int>(which.worker));
    };
    for (const std::size_t threads : {1, 3, 5})
        failing::at_every_place("map, parts, threads " + std::to_string(threads), [&] {
            results<std::true_type> made;
            croft::run(once_each(), croft::map(worker, {.workers = 3}),
                       [&](thing a, croft::map_part which) { part(made, std::move(a), which); }, {.threads = threads});
            return made.take();
        });
    failing::at_every_place("map, parts that are split", [&] {
        results<std::true_type> made;
        croft::run(
            [source = once_each()]() mutable -> std::optional<things> {
                if (auto next = source()) return some(std::move(*next));
                return std::nullopt;
            },
            croft::map(all_of, {.workers = 3},
                       [](things& all, croft::share of) {
                           const croft::slice own = of.of(all.size());
                           return things(all.begin() + static_cast<std::ptrdiff_t>(own.begin),
                                         all.begin() + static_cast<std::ptrdiff_t>(own.end));
                       }),
            [&](thing a, croft::map_part which) { part(made, std::move(a), which); }, {.threads = 5});
        return made.take();
    });
}

TEST_CASE("failures at every place: teams") {
    for (const std::size_t workers : {1, 3}) {
        const croft::team_options options{.workers = workers};
        const std::string with = ", workers " + std::to_string(workers);
        check("reduce" + with, croft::pipeline(some, croft::reduce(thing(), plus, options)));
        check("prefix" + with, croft::pipeline(some, croft::prefix(plus, options), all_of));
        check("stencil" + with, croft::pipeline(a_grid, croft::stencil(2, mean, options), sum_of_grid));
    }
    check("prefix in an ordered farm", croft::farm(croft::pipeline(some, croft::prefix(plus, {.workers = 2}), all_of),
                                                   {.workers = 2, .ordered = true}));
}

TEST_CASE("failures at every place: divide and conquer") {
    const auto halves = [](things all) {
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
        return std::vector<things>{things(all.begin(), middle), things(middle, all.end())};
    };
    check("divide and conquer",
          croft::pipeline(some, croft::divide_and_conquer([](const things& all) { return all.size() < 2; }, all_of,
                                                          halves, all_of, {.workers = 2, .levels = 2})));
}

TEST_CASE("failures at every place: graphs") {
    croft::graph<thing, thing> all;
    auto [left, right] = all.split(all.input(), [](const thing& a) { return thing(a).value() % 2 == 0; });
    auto made = all.add(left, add_one);
    all.add(right, add_one);  // which nobody takes
    auto pairs = all.join(made, all.add(made, croft::farm(add_one, {.workers = 2, .ordered = true})));
    all.leave(all.add(pairs, [](std::pair<thing, thing> both) { return both.first + both.second; }));
    all.leave(all.merge(right, made));
    check("graph", all);
    check("graph in an ordered farm", croft::farm(all, {.workers = 2, .ordered = true}));
}

TEST_CASE("failures at every place: all to all") {
    const croft::all_to_all_options options{.left = 2, .right = 2};
    const auto by_key = [](const thing& a, std::size_t rights) {
        return static_cast<std::size_t>(thing(a).value()) % rights;
    };
    check("all to all", croft::all_to_all(add_one, add_one, options));
    check("all to all by key", croft::all_to_all(twice, add_one, options, by_key));
    check("all to all in an ordered farm",
          croft::farm(croft::all_to_all(twice, add_one, options), {.workers = 2, .ordered = true}));
    failing::at_every_place("all to all by numbers", [&] {
        results<std::true_type> made;
        croft::run(by_number, croft::all_to_all(add_one, add_one, options), [&](thing a) { made.add(a.value()); },
                   {.threads = 3});
        return made.take();
    });
}

TEST_CASE("failures at every place: accelerators") {
    for (const std::size_t slots : {1, 8})
        failing::at_every_place("accelerator, slots " + std::to_string(slots), [&] {
            results<std::true_type> made;
            croft::accelerator<thing, thing> there(
                croft::farm(add_one, {.workers = 2}),
                {.threads = 2, .place = croft::placements::neighbours{}, .input_slots = slots, .output_slots = 8});
            for (int i = 0; i < count; ++i) there.offload(thing(i));
            there.close();
            while (std::optional<thing> each = there.get_result()) made.add(each->value());
            return made.take();
        });
}

TEST_CASE("failures at every place: items without a default constructor") {
    using item = failing::numbered_thing;
    using items = std::pair<item, item>;
    static_assert(!std::is_default_constructible_v<item>);
    const auto add = [](item a) { return item(a.value() + 1); };
    const auto odd = [](item a) { return a.value() % 2 ? std::optional(std::move(a)) : std::nullopt; };
    const auto both = [](item a, croft::out<item>& to) {
        to.send(a);
        to.send(std::move(a));
    };
    const auto route = [](item a, croft::out<item>& back, croft::out<item>& out) {
        if (a.value() < 3) back.send(a);
        out.send(std::move(a));
    };
    const auto check_of = [](const std::string& which, auto pattern, std::size_t made) {
        for (const std::size_t threads : {1, 3}) {
            const auto attempt = [&] {
                results<std::true_type> all;
                int next = 0;
                croft::run(
                    [&]() -> std::optional<item> { return next < count ? std::optional<item>(next++) : std::nullopt; },
                    pattern, [&](item a) { all.add(a.value()); }, {.threads = threads});
                return all.take();
            };
            CHECK(attempt().size() == made);
            failing::at_every_place(which + ", no default, threads " + std::to_string(threads), attempt);
        }
    };
    check_of("pipeline", croft::pipeline(add, both, odd), 6);
    check_of("farm", croft::farm(add, {.workers = 2}), 5);
    check_of("ordered farm", croft::farm(croft::pipeline(both, odd), {.workers = 2, .ordered = true}), 4);
    check_of("urgent ones",
             croft::farm(add, {.workers = 2}, croft::priority{[](const item& a) { return a.value(); }, 2}), 5);
    check_of("feedback", croft::feedback(croft::farm(add, {.workers = 2}), route), 8);
    check_of("feedback in an ordered farm", croft::farm(croft::feedback(add, route), {.workers = 2, .ordered = true}),
             8);
    check_of("all to all", croft::all_to_all(add, both, {.left = 2, .right = 2}), 10);
    croft::graph<item, item> all;
    auto [left, right] = all.split(all.input(), [](const item& a) { return a.value() % 2 == 0; });
    all.leave(
        all.add(all.join(left, all.add(left, add)), [](items a) { return item(a.first.value() + a.second.value()); }));
    all.leave(right);
    check_of("graph", all, 5);
    check_of("graph in an ordered farm", croft::farm(all, {.workers = 2, .ordered = true}), 5);
    failing::at_every_place("accelerator, no default", [&] {
        results<std::true_type> made;
        croft::accelerator<item, item> there(croft::farm(add, {.workers = 2}),
                                             {.threads = 2, .place = croft::placements::neighbours{}});
        for (int i = 0; i < count; ++i) there.offload(item(i));
        there.close();
        while (std::optional<item> each = there.get_result()) made.add(each->value());
        return made.take();
    });
}
