// The map whose sink takes parts, over every kind of channel that there is natively. It has from one worker to many
// more than cores, by a tree and in a line. It runs with a thread a role and with few threads, with exceptions, and
// stopped early.

#include <croft/channel/kinds.hpp>
#include <croft/paper/channel/lock_channel.hpp>
#include <croft/paper/channel/null_slot_queue.hpp>
#include <croft/paper/channel/unbounded_queue.hpp>
#include <croft/pattern/map.hpp>
#include <croft/pattern/run.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "policies_under_test.hpp"
#include "streams.hpp"

namespace {

using croft::distribution;
using croft::map_options;
using croft::map_part;
using croft::share;
using streams::count_to;

// How a map is run: with so many threads, or with one a role.
struct way {
    map_options map;
    std::size_t threads = 0;  // 0: one a role

    template <class Policies = croft::policies, class Source, class Pattern, class Sink>
    void run(Source&& source, Pattern pattern, Sink&& sink, croft::stopper* stops = nullptr) const {
        CAPTURE(map.workers);
        CAPTURE(static_cast<int>(map.distribution));
        CAPTURE(map.slots);
        CAPTURE(threads);
        croft::detail::placement place = croft::placements::thread_a_role{};
        if (threads) place = croft::placements::neighbours{};
        croft::run<Policies>(source, std::move(pattern), sink, {.threads = threads, .place = place, .stops = stops});
    }
};

// Every combination of options for so many workers.
std::vector<way> all_ways(std::initializer_list<std::size_t> workers = {1, 2, 3, 9},
                          std::initializer_list<std::size_t> threads = {0, 1, 2, 5}) {
    std::vector<way> all;
    for (const std::size_t number : workers)
        for (const auto how : {distribution::tree, distribution::linear})
            for (const std::size_t of : threads)
                for (const std::size_t slots : {1, 2, 20})
                    all.push_back({{.workers = number, .distribution = how, .slots = slots}, of});
    return all;
}
// Queues at which one can only wait want a thread a role.
template <class Policies>
constexpr bool shares_threads = croft::detail::can_be_asked<croft::channel<int*, Policies>>;

// Work whose length differs from item to item and from worker to worker, so that workers overtake each other.
void dawdle(std::size_t how_long) {
    std::atomic<int> spent{0};
    for (std::size_t i = 0; i < how_long % 7 * 40; ++i) spent.fetch_add(1, std::memory_order_relaxed);
}

// Checks that every part of every item comes once, and that `last` comes once an item and with its last part. Items
// have to become complete in their order.
class part_counter {
public:
    explicit part_counter(std::size_t workers) : workers_(workers) {}

    void take(const map_part& part) {
        if (part.item >= seen_.size()) seen_.resize(part.item + 1);
        std::set<std::size_t>& seen = seen_[part.item];
        right_ = right_ && part.worker < workers_ && seen.insert(part.worker).second &&
                 part.last == (seen.size() == workers_) && (!part.last || part.item == complete_);
        if (part.last) ++complete_;
    }
    // Whether all parts of exactly `items` items have come.
    bool all_of(std::size_t items) const {
        return right_ && complete_ == items && seen_.size() == items &&
               std::all_of(seen_.begin(), seen_.end(), [&](auto& seen) { return seen.size() == workers_; });
    }

private:
    std::size_t workers_;
    std::vector<std::set<std::size_t>> seen_;
    std::size_t complete_ = 0;
    bool right_ = true;
};

// A stream of pointers into an array of numbers, in which each worker doubles its share.
struct numbers {
    static constexpr std::size_t size = 100;
    std::vector<std::array<int, size>> items;

    explicit numbers(std::size_t count) : items(count) {
        for (std::size_t i = 0; i < count; ++i) std::iota(items[i].begin(), items[i].end(), static_cast<int>(i));
    }
    bool doubled() const {
        for (std::size_t i = 0; i < items.size(); ++i)
            for (std::size_t k = 0; k < size; ++k)
                if (items[i][k] != static_cast<int>(2 * (i + k))) return false;
        return true;
    }
};

template <class Policies>
void check_pointers(const way& by, std::size_t count) {
    const std::size_t workers = by.map.workers;
    CAPTURE(workers);
    CAPTURE(static_cast<int>(by.map.distribution));
    CAPTURE(by.threads);
    CAPTURE(by.map.slots);
    numbers stream(count);
    part_counter parts(workers);
    long sum = 0;
    std::size_t next = 0;
    by.run<Policies>(
        [&]() -> std::optional<std::array<int, numbers::size>*> {
            return next < count ? std::optional(&stream.items[next++]) : std::nullopt;
        },
        croft::map(
            [&](std::array<int, numbers::size>* item, share mine) {
                dawdle(mine.first + static_cast<std::size_t>(item - stream.items.data()));
                const croft::slice own = mine.of(numbers::size);
                for (std::size_t i = own.begin; i < own.end; ++i) (*item)[i] *= 2;
                return item->data() + std::min(own.begin, numbers::size - 1);
            },
            by.map),
        [&](int* entries, map_part part) {
            parts.take(part);
            const croft::slice own = share{part.worker, 1, workers}.of(numbers::size);
            sum += std::accumulate(entries, entries + own.size(), 0L);
        });
    CHECK(parts.all_of(count));
    CHECK(stream.doubled());
    CHECK(sum == static_cast<long>(count * (count - 1) * numbers::size + count * numbers::size * (numbers::size - 1)));
}

}  // namespace

// Each kind of slots, of homes and of waiting once; elsewhere it is shown that they do not depend on each other.
TEST_CASE_TEMPLATE("every worker has its share of every item, whatever the channels", Policies, croft::policies,
                   turns_policies, batched_policies, drowsy_packed_policies, croft::kinds::ra, croft::kinds::ra_home,
                   croft::kinds::ra_hf_drop, croft::baseline::with_null_slots<croft::policies>,
                   croft::baseline::with_ring_list<croft::policies>, croft::baseline::locked) {
    for (const way& by : all_ways({1, 2, 5}))
        if (by.threads == 0 || shares_threads<Policies>) check_pointers<Policies>(by, 60);
}

TEST_CASE("any number of workers from 1 to 56") {
    for (std::size_t workers = 1; workers <= 56; ++workers)
        for (const auto how : {distribution::tree, distribution::linear})
            for (const std::size_t threads : {0, 2, 4})
                check_pointers<croft::policies>({{.workers = workers, .distribution = how}, threads}, 20);
}

TEST_CASE("channels at which one can only wait say so where a thread has more than one role") {
    int number = 0;
    const auto source = [&] { return std::optional(&number); };
    const auto same = croft::map([](int* item) { return item; }, {.workers = 2});
    const auto sink = [](int*, map_part) {};
    CHECK_THROWS_WITH_AS(croft::run<croft::baseline::locked>(source, same, sink, {.threads = 2}),
                         "croft::map: at these channels one can only wait, so that each role needs a thread of its "
                         "own: place them with croft::placements::thread_a_role",
                         std::invalid_argument);
    using null_slots = croft::baseline::with_null_slots<croft::policies>;
    CHECK_THROWS_AS(croft::run<null_slots>(source, same, sink, {.threads = 2}), std::invalid_argument);
}

TEST_CASE("a stream may be empty, and a map may run again") {
    for (const way& by : all_ways()) {
        for (const int count : {0, 1, 5, 0, 50}) {
            part_counter parts(by.map.workers);
            by.run(count_to(count), croft::map([](int) { return 1; }, by.map),
                   [&](int, map_part part) { parts.take(part); });
            CHECK(parts.all_of(static_cast<std::size_t>(count)));
        }
    }
}

TEST_CASE("the tree: depth-first, two branches at most, log2 N steps, everybody once") {
    for (std::size_t workers = 1; workers <= 130; ++workers) {
        const croft::detail::multicast tree(distribution::tree, workers, false);
        REQUIRE(tree.of_emitter().size() == 1);
        CHECK(tree.of_emitter()[0].first == 0);
        std::vector<std::size_t> depth(workers, 0);
        std::vector<int> senders(workers, 0);
        for (std::size_t i = 0; i < workers; ++i) {
            const auto to = tree.of_worker(i);
            CHECK(to.size() <= 2);
            std::size_t covered = 1;
            for (const share& branch : to) {
                ++senders[branch.first];
                depth[branch.first] = depth[i] + 1;
                covered += branch.count;
            }
            if (!to.empty()) CHECK(to[0].first == i + 1);
            CHECK(covered == tree.branch(i).count);
        }
        CHECK(senders[0] == 0);
        CHECK(std::all_of(senders.begin() + 1, senders.end(), [](int number) { return number == 1; }));
        CHECK(*std::max_element(depth.begin(), depth.end()) == std::bit_width(workers) - 1u);
    }
    // Paper 001, figure 13b: 7 workers, of which the first is at level 3.
    const croft::detail::multicast seven(distribution::tree, 7, false);
    std::vector<std::vector<std::size_t>> to(7);
    for (std::size_t i = 0; i < 7; ++i)
        for (const share& branch : seven.of_worker(i)) to[i].push_back(branch.first);
    CHECK(to == std::vector<std::vector<std::size_t>>{{1, 4}, {2, 3}, {}, {}, {5, 6}, {}, {}});
}

TEST_CASE("in a line the emitter sends to all, and workers to nobody") {
    const croft::detail::multicast line(distribution::linear, 5, false);
    CHECK(line.of_emitter().size() == 5);
    for (std::size_t i = 0; i < 5; ++i) CHECK(line.of_worker(i).empty());
    CHECK(croft::detail::multicast(distribution::linear, 5, true).of_emitter().size() == 4);
}

TEST_CASE("shares are a partition, and differ by one at most") {
    for (const std::size_t workers : {1, 2, 3, 7, 56})
        for (const std::size_t size : {0, 1, 5, 56, 100}) {
            std::size_t at = 0;
            for (std::size_t i = 0; i < workers; ++i) {
                const croft::slice own = share{i, 1, workers}.of(size);
                CHECK(own.begin == at);
                CHECK(own.size() >= size / workers);
                CHECK(own.size() <= (size + workers - 1) / workers);
                at = own.end;
            }
            CHECK(at == size);
        }
}

TEST_CASE("scatter: an item is split as it travels, and what it owns is moved") {
    for (const way& by : all_ways({1, 2, 3, 7, 8, 13})) {
        CAPTURE(by.map.workers);
        std::vector<std::unique_ptr<std::vector<int>>> complete(30);
        int next = 0;
        using item = std::unique_ptr<std::vector<int>>;
        by.run(
            [&]() -> std::optional<item> {
                if (next == 30) return std::nullopt;
                auto made = std::make_unique<std::vector<int>>(50 + next++);
                std::iota(made->begin(), made->end(), 0);
                return made;
            },
            croft::map(
                [](item part) {
                    for (int& number : *part) number = number * number;
                    return part;
                },
                by.map,
                // Takes its part out, of what is left.
                [](item& from, share part) {
                    const std::size_t left =
                        part.first == 0 ? from->size() : from->size() * part.count / (part.first + part.count);
                    const auto begin = from->end() - static_cast<std::ptrdiff_t>(left);
                    auto taken = std::make_unique<std::vector<int>>(begin, from->end());
                    from->erase(begin, from->end());
                    return taken;
                }),
            [&](item part, map_part which) {
                auto& whole = complete[which.item];
                if (!whole) whole = std::make_unique<std::vector<int>>();
                whole->insert(whole->end(), part->begin(), part->end());
            });
        for (int i = 0; i < 30; ++i) {
            auto numbers = *complete[static_cast<std::size_t>(i)];
            std::sort(numbers.begin(), numbers.end());
            REQUIRE(numbers.size() == static_cast<std::size_t>(50 + i));
            for (int k = 0; k < 50 + i; ++k) CHECK(numbers[static_cast<std::size_t>(k)] == k * k);
        }
    }
}

TEST_CASE("items may own things, and a source may write in place, and take numbers") {
    for (const std::size_t threads : {1, 2, 5}) {
        std::vector<std::string> seen;
        croft::run(
            [&](std::string& item, std::size_t number) {
                item.assign(40, static_cast<char>('a' + number));
                return number < 10;
            },
            croft::map([](const std::string& item, share mine) { return item + std::to_string(mine.first); },
                       {.workers = 3}),
            [&](const std::string& result, map_part) { seen.push_back(result); }, {.threads = threads});
        REQUIRE(seen.size() == 30);
        std::sort(seen.begin(), seen.end());
        CHECK(seen[0] == std::string(40, 'a') + "0");
        CHECK(seen[29] == std::string(40, 'j') + "2");
    }
}

TEST_CASE("every worker has its own copy of the worker's state; source and sink are used where they are") {
    struct counting_worker {
        std::atomic<int>* copies_used;
        int mine = 0;
        int operator()(int) { return mine++ == 0 ? (++*copies_used, 0) : 0; }
    };
    for (const std::size_t threads : {0, 1, 2}) {
        std::atomic<int> copies_used{0};
        int collected = 0;
        const way by{{.workers = 4}, threads};
        by.run(count_to(10), croft::map(counting_worker{&copies_used}, by.map), [&](int, map_part) { ++collected; });
        CHECK(copies_used == 4);
        CHECK(collected == 40);
    }
}

TEST_CASE("who does what: a thread a role, or neighbours on few threads") {
    for (const std::size_t threads : {0, 1, 3}) {
        std::set<std::thread::id> sources, sinks;
        std::array<std::atomic<std::thread::id>, 3> workers{};
        const way by{{.workers = 3}, threads};
        by.run(
            [&, next = 0]() mutable {
                sources.insert(std::this_thread::get_id());
                return next < 20 ? std::optional(next++) : std::nullopt;
            },
            croft::map(
                [&](int, share mine) {
                    workers[mine.first] = std::this_thread::get_id();
                    return 0;
                },
                by.map),
            [&](int, map_part) { sinks.insert(std::this_thread::get_id()); });
        const std::thread::id here = std::this_thread::get_id();
        CHECK(sources == std::set{here});
        CHECK(sinks.size() == 1);
        CHECK((sinks == std::set{here}) == (threads == 1));
        CHECK((workers[0] == here) == (threads != 0));
        CHECK(std::set{workers[0].load(), workers[1].load(), workers[2].load()}.size() == (threads == 1 ? 1 : 3));
    }
}

TEST_CASE("no thread is pinned unless that is asked for") {
    const std::vector<int> allowed = croft::port::allowed_cores();
    for (const std::size_t threads : {0, 2})
        for (const std::size_t workers : {1, 2}) {
            const way by{{.workers = workers}, threads};
            by.run(count_to(3), croft::map([](int) { return croft::port::allowed_cores(); }, by.map),
                   [&](const std::vector<int>& found, map_part) { CHECK(found == allowed); });
        }
}

TEST_CASE_TEMPLATE("an exception of any role reaches the caller, once everything has ended", Policies, croft::policies,
                   paper_policies, croft::baseline::locked) {
    for (const way& by : all_ways()) {
        if (by.threads != 0 && !shares_threads<Policies>) continue;
        CAPTURE(by.map.workers);
        auto endless = [next = 0]() mutable { return std::optional(next++); };
        const auto same = croft::map([](int item) { return item; }, by.map);
        part_counter before(by.map.workers);
        CHECK_THROWS_WITH_AS(by.run<Policies>(
                                 [next = 0]() mutable -> std::optional<int> {
                                     if (next == 30) throw std::runtime_error("source");
                                     return next++;
                                 },
                                 same, [&](int, map_part part) { before.take(part); }),
                             "source", std::runtime_error);
        CHECK(before.all_of(30));  // what it had made is delivered
        CHECK_THROWS_WITH_AS(by.run<Policies>(endless,
                                              croft::map(
                                                  [last = by.map.workers - 1](int item, share mine) {
                                                      if (item == 30 && mine.first == last)
                                                          throw std::runtime_error("worker");
                                                      return item;
                                                  },
                                                  by.map),
                                              [](int, map_part) {}),
                             "worker", std::runtime_error);
        int collected = 0;
        CHECK_THROWS_WITH_AS(by.run<Policies>(endless, same,
                                              [&](int, map_part) {
                                                  if (++collected == 30) throw std::runtime_error("sink");
                                              }),
                             "sink", std::runtime_error);
        CHECK(collected == 30);
    }
}

TEST_CASE("a splitter may throw too, and so may the copy of a worker or of an item") {
    struct uncopyable_worker {
        uncopyable_worker() = default;
        uncopyable_worker(const uncopyable_worker&) { throw std::runtime_error("no copy"); }
        uncopyable_worker(uncopyable_worker&&) = default;
        int operator()(int) const { return 0; }
    };
    struct fragile_item {
        int number = 0;
        fragile_item() = default;
        explicit fragile_item(int n) : number(n) {}
        fragile_item(fragile_item&&) = default;
        fragile_item& operator=(fragile_item&&) = default;
        fragile_item(const fragile_item& other) : number(other.number) {
            if (number == 20) throw std::runtime_error("no item");
        }
        fragile_item& operator=(const fragile_item&) = default;
    };
    for (const way& by : all_ways({2, 3, 9})) {
        const auto nobody = [](int, map_part) {};
        CHECK_THROWS_WITH_AS(by.run([n = 0]() mutable { return std::optional(n++); },
                                    croft::map([](int item) { return item; }, by.map,
                                               [](int& item, share part) -> int {
                                                   if (item == 30 && part.count == 1)
                                                       throw std::runtime_error("splitter");
                                                   return item;
                                               }),
                                    nobody),
                             "splitter", std::runtime_error);
        CHECK_THROWS_WITH_AS(
            by.run([n = 0]() mutable { return std::optional(n++); }, croft::map(uncopyable_worker(), by.map), nobody),
            "no copy", std::runtime_error);
        CHECK_THROWS_WITH_AS(by.run([n = 0]() mutable { return std::optional(fragile_item(n++)); },
                                    croft::map([](const fragile_item& item) { return item.number; }, by.map), nobody),
                             "no item", std::runtime_error);
    }
}

TEST_CASE("null is an exception where it cannot be sent") {
    using null_slots = croft::baseline::with_null_slots<croft::policies>;
    for (const way& by : all_ways({1, 2, 3, 9}, {0})) {
        int target = 0;
        CHECK_THROWS_AS(by.run<null_slots>([&]() -> std::optional<int*> { return &target; },
                                           croft::map([last = by.map.workers - 1](int* item, share mine)
                                                          -> int* { return mine.first == last ? nullptr : item; },
                                                      by.map),
                                           [](int*, map_part) {}),
                        std::invalid_argument);
    }
}

TEST_CASE("a stopped map drains: what was emitted is collected, all parts of it") {
    for (const way& by : all_ways()) {
        croft::stopper stop;
        std::size_t emitted = 0;
        part_counter parts(by.map.workers);
        by.run([&] { return std::optional(emitted++); }, croft::map([](std::size_t item) { return item; }, by.map),
               [&](std::size_t, map_part part) {
                   parts.take(part);
                   if (part.item == 30) stop.stop();
               },
               &stop);
        CHECK(emitted >= 30);
        CHECK(parts.all_of(emitted));
    }
}

TEST_CASE("a stopped map drops: the sink is not called again") {
    for (const way& by : all_ways()) {
        croft::stopper stop;
        int collected = 0;
        const auto same = croft::map([](int item) { return item; }, by.map);
        by.run([n = 0]() mutable { return std::optional(n++); }, same,
               [&](int, map_part) {
                   if (++collected == 30) stop.stop(croft::stop_mode::drop);
               },
               &stop);
        CHECK(collected == 30);
        part_counter parts(by.map.workers);
        by.run(count_to(20), same, [&](int, map_part part) { parts.take(part); }, &stop);
        CHECK(parts.all_of(20));
    }
}

TEST_CASE("a stop from outside is not lost, even before the run") {
    for (const std::size_t threads : {0, 2}) {
        const way by{{.workers = 2}, threads};
        croft::stopper stop;
        stop.stop();
        int emitted = 0;
        const auto same = croft::map([](int item) { return item; }, by.map);
        const auto nobody = [](int, map_part) {};
        by.run([&] { return std::optional(emitted++); }, same, nobody, &stop);
        CHECK(emitted == 0);

        std::atomic<bool> running{false};
        std::thread other([&] {
            while (!running) std::this_thread::yield();
            stop.stop();
        });
        by.run(
            [&] {
                running = true;
                return std::optional(1);
            },
            same, nobody, &stop);
        other.join();
    }
}

TEST_CASE("bounded channels hold the source back") {
    // The sink does not go on before the source is stuck; then what was emitted lies in the slots, and with the roles.
    constexpr std::size_t slots = 3;
    std::atomic<int> emitted{0};
    std::atomic<bool> released{false};
    constexpr int most = 2 * slots + 3;  // in both channels, and one with each role
    std::thread watcher([&] {
        while (emitted < static_cast<int>(slots)) std::this_thread::yield();
        for (int i = 0; i < 1000; ++i) std::this_thread::yield();
        CHECK(emitted <= most);
        released = true;
    });
    const way by{{.workers = 1, .slots = slots}};
    by.run<paper_policies>(
        [&]() -> std::optional<int> {
            const int item = emitted++;
            return item < 40 ? std::optional(item) : std::nullopt;
        },
        croft::map([](int item) { return item; }, by.map),
        [&](int, map_part) {
            while (!released) std::this_thread::yield();
        });
    watcher.join();
    CHECK(emitted == 41);
}

TEST_CASE("the gather counts items beyond 2^32") {
    constexpr std::uint64_t first = (std::uint64_t{1} << 32) - 20;
    croft::detail::map_gather gather(2, croft::detail::any_core, first);
    for (std::uint64_t item = first; item < first + 40; ++item) CHECK(gather.arrived(0).item == item);
    for (std::uint64_t item = first; item < first + 40; ++item) {
        const map_part part = gather.arrived(1);
        CHECK(part.item == item);
        CHECK(part.last);
    }
    CHECK(gather.complete() == first + 40);
}

TEST_CASE("the gather keeps up with workers that are far ahead of others") {
    croft::detail::map_gather gather(3, croft::detail::any_core);
    for (std::size_t item = 0; item < 100; ++item) {
        CHECK(gather.arrived(0).item == item);
        if (item < 70) CHECK_FALSE(gather.arrived(1).last);
    }
    for (std::size_t item = 0; item < 70; ++item) {
        const map_part part = gather.arrived(2);
        CHECK(part.item == item);
        CHECK(part.last);
    }
    CHECK_FALSE(gather.arrived(2).last);
    CHECK(gather.arrived(1).last);
    CHECK(gather.complete() == 71);
}

TEST_CASE("roles go to the cores they are given, and the caller's affinity is put back") {
    const std::vector<int> allowed = croft::port::allowed_cores();
    REQUIRE_FALSE(allowed.empty());
    const int last = allowed.back();
    const auto run_on = [](const std::vector<int>& cores, std::size_t workers, auto sink) {
        croft::run(count_to(3), croft::map([](int) { return croft::port::allowed_cores(); }, {.workers = workers}),
                   sink, {.place = croft::placements::thread_a_role{.cores = cores}});
    };
    std::vector<int> seen;
    run_on({last, last, last}, 1,
           [&](const std::vector<int>& found, map_part) { seen.insert(seen.end(), found.begin(), found.end()); });
    CHECK(seen == std::vector<int>{last, last, last});
    CHECK(croft::port::allowed_cores() == allowed);
    const auto nobody = [](const std::vector<int>&, map_part) {};
    CHECK_THROWS_WITH_AS(run_on({0, 0, 0}, 2, nobody), "croft::plan: 3 cores for 4 threads", std::invalid_argument);
    CHECK_THROWS_AS(run_on({last, 1 << 20, last}, 1, nobody), std::system_error);
}

TEST_CASE_TEMPLATE("workers that return nothing: the sink is told of every item once it is complete", Policies,
                   croft::policies, paper_policies) {
    for (const way& by : all_ways({1, 2, 5, 9})) {
        CAPTURE(by.map.workers);
        numbers stream(40);
        std::vector<std::size_t> complete;
        std::size_t next = 0;
        by.run<Policies>(
            [&]() -> std::optional<std::size_t> {
                return next < stream.items.size() ? std::optional(next++) : std::nullopt;
            },
            croft::map(
                [&](std::size_t item, share mine) {
                    dawdle(mine.first + item);
                    const croft::slice own = mine.of(numbers::size);
                    for (std::size_t i = own.begin; i < own.end; ++i) stream.items[item][i] *= 2;
                },
                by.map),
            [&](croft::part_done, map_part part) {
                CHECK(part.last);
                // All of it: nobody works on it any more.
                for (std::size_t i = 0; i < numbers::size; ++i)
                    CHECK(stream.items[part.item][i] == static_cast<int>(2 * (part.item + i)));
                complete.push_back(part.item);
            });
        std::vector<std::size_t> all(stream.items.size());
        std::iota(all.begin(), all.end(), 0);
        CHECK(complete == all);
    }
}
