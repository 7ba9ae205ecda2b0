// The map: over every kind of channel that there is natively, from one worker to many more than cores, by a tree and in
// a line, with the caller as one of the workers and without, with exceptions, stopped early.

#include <croft/channel/kinds.hpp>
#include <croft/paper/channel/lock_channel.hpp>
#include <croft/paper/channel/null_slot_queue.hpp>
#include <croft/paper/channel/unbounded_queue.hpp>
#include <croft/pattern/map.hpp>

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

namespace {

using croft::distribution;
using croft::map_options;
using croft::map_part;
using croft::map_roles;
using croft::share;

// Every combination of options for so many workers.
std::vector<map_options> all_options(std::initializer_list<std::size_t> workers) {
    std::vector<map_options> all;
    for (const std::size_t number : workers)
        for (const auto how : {distribution::tree, distribution::linear})
            for (const auto who : {map_roles::threads, map_roles::caller})
                for (const std::size_t slots : {1, 2, 20})
                    all.push_back({.workers = number, .distribution = how, .slots = slots, .roles = who});
    return all;
}
std::vector<map_options> all_options() { return all_options({1, 2, 3, 9}); }

// 0, 1, ... `count` - 1.
auto count_to(int count) {
    return [next = 0, count]() mutable -> std::optional<int> {
        return next < count ? std::optional(next++) : std::nullopt;
    };
}

// Work whose length differs from item to item and from worker to worker, so that workers overtake each other.
void dawdle(std::size_t how_long) {
    std::atomic<int> spent{0};
    for (std::size_t i = 0; i < how_long % 7 * 40; ++i) spent.fetch_add(1, std::memory_order_relaxed);
}

// Checks that every part of every item comes once, that `last` comes once an item and with its last part, and that
// items become complete in their order.
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
void check_pointers(const map_options& options, std::size_t count) {
    CAPTURE(options.workers);
    CAPTURE(static_cast<int>(options.distribution));
    CAPTURE(static_cast<int>(options.roles));
    CAPTURE(options.slots);
    numbers stream(count);
    part_counter parts(options.workers);
    long sum = 0;
    croft::basic_map<Policies> map(options);
    std::size_t next = 0;
    map.run(
        [&]() -> std::optional<std::array<int, numbers::size>*> {
            return next < count ? std::optional(&stream.items[next++]) : std::nullopt;
        },
        [&](std::array<int, numbers::size>* item, share mine) {
            dawdle(mine.first + static_cast<std::size_t>(item - stream.items.data()));
            const croft::slice own = mine.of(numbers::size);
            for (std::size_t i = own.begin; i < own.end; ++i) (*item)[i] *= 2;
            return item->data() + std::min(own.begin, numbers::size - 1);
        },
        [&](int* entries, map_part part) {
            parts.take(part);
            const croft::slice own = share{part.worker, 1, options.workers}.of(numbers::size);
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
    for (const map_options& options : all_options({1, 2, 5})) check_pointers<Policies>(options, 60);
}

TEST_CASE("any number of workers from 1 to 56") {
    for (std::size_t workers = 1; workers <= 56; ++workers)
        for (const auto how : {distribution::tree, distribution::linear})
            for (const auto who : {map_roles::threads, map_roles::caller})
                check_pointers<croft::policies>({.workers = workers, .distribution = how, .roles = who}, 20);
}

TEST_CASE("a stream may be empty, and a map may run again") {
    for (const map_options& options : all_options()) {
        croft::map map(options);
        for (const int count : {0, 1, 5, 0, 50}) {
            part_counter parts(options.workers);
            map.run(count_to(count), [](int) { return 1; }, [&](int, map_part part) { parts.take(part); });
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
    for (const map_options& options : all_options({1, 2, 3, 7, 8, 13})) {
        CAPTURE(options.workers);
        croft::map map(options);
        std::vector<std::unique_ptr<std::vector<int>>> complete(30);
        int next = 0;
        using item = std::unique_ptr<std::vector<int>>;
        map.run(
            [&]() -> std::optional<item> {
                if (next == 30) return std::nullopt;
                auto made = std::make_unique<std::vector<int>>(50 + next++);
                std::iota(made->begin(), made->end(), 0);
                return made;
            },
            // Copies its part. (Taking it out would move what follows.)
            [](item& from, share part) {
                const croft::slice own = part.of(from->size());
                return std::make_unique<std::vector<int>>(from->begin() + static_cast<std::ptrdiff_t>(own.begin),
                                                          from->begin() + static_cast<std::ptrdiff_t>(own.end));
            },
            [](item part) {
                for (int& number : *part) number = number * number;
                return part;
            },
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

TEST_CASE("items may own things, and an emitter may write in place") {
    croft::map map({.workers = 3});
    std::vector<std::string> seen;
    int next = 0;
    map.run<std::string, std::string>(
        [&](std::string& item) {
            item.assign(40, static_cast<char>('a' + next));
            return next++ < 10;
        },
        [](const std::string& item, share mine) { return item + std::to_string(mine.first); },
        [&](const std::string& result) { seen.push_back(result); });
    REQUIRE(seen.size() == 30);
    std::sort(seen.begin(), seen.end());
    CHECK(seen[0] == std::string(40, 'a') + "0");
    CHECK(seen[29] == std::string(40, 'j') + "2");
}

TEST_CASE("every worker has its own copy of the worker's state; emitter and collector are used where they are") {
    struct counting_worker {
        std::atomic<int>* copies_used;
        int mine = 0;
        int operator()(int) { return mine++ == 0 ? (++*copies_used, 0) : 0; }
    };
    for (const auto who : {map_roles::threads, map_roles::caller}) {
        std::atomic<int> copies_used{0};
        const counting_worker worker{&copies_used};
        int collected = 0;
        croft::map map({.workers = 4, .roles = who});
        map.run(count_to(10), worker, [&](int) { ++collected; });
        CHECK(copies_used == 4);
        CHECK(collected == 40);
    }
}

TEST_CASE("who does what: roles of their own, or the caller emits, works and collects") {
    for (const auto who : {map_roles::threads, map_roles::caller}) {
        std::set<std::thread::id> emitters, collectors;
        std::array<std::atomic<std::thread::id>, 3> workers{};
        croft::map map({.workers = 3, .roles = who});
        map.run(
            [&, next = 0]() mutable {
                emitters.insert(std::this_thread::get_id());
                return next < 20 ? std::optional(next++) : std::nullopt;
            },
            [&](int, share mine) {
                workers[mine.first] = std::this_thread::get_id();
                return 0;
            },
            [&](int) { collectors.insert(std::this_thread::get_id()); });
        const std::thread::id here = std::this_thread::get_id();
        CHECK(emitters == std::set{here});
        CHECK(collectors.size() == 1);
        CHECK((collectors == std::set{here}) == (who == map_roles::caller));
        CHECK((workers[0] == here) == (who == map_roles::caller));
        CHECK(std::set{workers[0].load(), workers[1].load(), workers[2].load()}.size() == 3);
    }
}

TEST_CASE_TEMPLATE("an exception of any role reaches the caller, once everything has ended", Policies, croft::policies,
                   paper_policies, croft::baseline::locked) {
    for (const map_options& options : all_options()) {
        CAPTURE(options.workers);
        croft::basic_map<Policies> map(options);
        auto endless = [next = 0]() mutable { return std::optional(next++); };
        CHECK_THROWS_WITH_AS(map.run(
                                 [next = 0]() mutable -> std::optional<int> {
                                     if (next == 30) throw std::runtime_error("emitter");
                                     return next++;
                                 },
                                 [](int item) { return item; }, [](int) {}),
                             "emitter", std::runtime_error);
        CHECK_THROWS_WITH_AS(map.run(
                                 endless,
                                 [last = options.workers - 1](int item, share mine) {
                                     if (item == 30 && mine.first == last) throw std::runtime_error("worker");
                                     return item;
                                 },
                                 [](int) {}),
                             "worker", std::runtime_error);
        int collected = 0;
        CHECK_THROWS_WITH_AS(map.run(
                                 endless, [](int item) { return item; },
                                 [&](int) {
                                     if (++collected == 30) throw std::runtime_error("collector");
                                 }),
                             "collector", std::runtime_error);
        CHECK(collected == 30);
        // The map is as good as new.
        part_counter parts(options.workers);
        map.run(count_to(20), [](int item) { return item; }, [&](int, map_part part) { parts.take(part); });
        CHECK(parts.all_of(20));
    }
}

TEST_CASE("a splitter may throw too, and so may the copy of a worker or of an item") {
    struct uncopyable_worker {
        uncopyable_worker() = default;
        uncopyable_worker(const uncopyable_worker&) { throw std::runtime_error("no copy"); }
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
    for (const map_options& options : all_options({2, 3, 9})) {
        croft::map map(options);
        CHECK_THROWS_WITH_AS(map.run([n = 0]() mutable { return std::optional(n++); },
                                     [](int& item, share part) -> int {
                                         if (item == 30 && part.count == 1) throw std::runtime_error("splitter");
                                         return item;
                                     },
                                     [](int item) { return item; }, [](int) {}),
                             "splitter", std::runtime_error);
        const uncopyable_worker worker;
        CHECK_THROWS_WITH_AS(map.run([n = 0]() mutable { return std::optional(n++); }, worker, [](int) {}), "no copy",
                             std::runtime_error);
        CHECK_THROWS_WITH_AS(map.run([n = 0]() mutable { return std::optional(fragile_item(n++)); },
                                     [](const fragile_item& item) { return item.number; }, [](int) {}),
                             "no item", std::runtime_error);
    }
}

TEST_CASE("null is an exception where it cannot be sent") {
    using null_slots = croft::baseline::with_null_slots<croft::policies>;
    for (const map_options& options : all_options()) {
        croft::basic_map<null_slots> map(options);
        int target = 0;
        CHECK_THROWS_AS(map.run([&]() -> std::optional<int*> { return &target; },
                                [last = options.workers - 1](int* item, share mine) -> int* {
                                    return mine.first == last ? nullptr : item;
                                },
                                [n = 0](int*) mutable {
                                    if (++n == 1000) throw std::invalid_argument("the caller's own part may be null");
                                }),
                        std::invalid_argument);
    }
}

TEST_CASE("a stopped map drains: what was emitted is collected, all parts of it") {
    for (const map_options& options : all_options()) {
        croft::map map(options);
        std::size_t emitted = 0;
        part_counter parts(options.workers);
        map.run([&] { return std::optional(emitted++); }, [](std::size_t item) { return item; },
                [&](std::size_t, map_part part) {
                    parts.take(part);
                    if (part.item == 30) map.stop();
                });
        CHECK(emitted >= 30);
        CHECK(parts.all_of(emitted));
    }
}

TEST_CASE("a stopped map drops: the collector is not called again") {
    for (const map_options& options : all_options()) {
        croft::map map(options);
        int collected = 0;
        map.run([n = 0]() mutable { return std::optional(n++); }, [](int item) { return item; },
                [&](int) {
                    if (++collected == 30) map.stop(croft::stop_mode::drop);
                });
        CHECK(collected == 30);
        part_counter parts(options.workers);
        map.run(count_to(20), [](int item) { return item; }, [&](int, map_part part) { parts.take(part); });
        CHECK(parts.all_of(20));
    }
}

TEST_CASE("a stop from outside is not lost, even before the run") {
    for (const auto who : {map_roles::threads, map_roles::caller}) {
        croft::map map({.workers = 2, .roles = who});
        map.stop();
        int emitted = 0;
        map.run([&] { return std::optional(emitted++); }, [](int item) { return item; }, [](int) {});
        CHECK(emitted == 0);

        std::atomic<bool> running{false};
        std::thread other([&] {
            while (!running) std::this_thread::yield();
            map.stop();
        });
        map.run(
            [&] {
                running = true;
                return std::optional(1);
            },
            [](int item) { return item; }, [](int) {});
        other.join();
    }
}

TEST_CASE("bounded channels hold the emitter back") {
    // The collector does not go on before the emitter is stuck; then what was emitted lies in the slots, and with the
    // roles.
    constexpr std::size_t slots = 3;
    std::atomic<int> emitted{0};
    std::atomic<bool> released{false};
    croft::basic_map<paper_policies> map({.workers = 1, .slots = slots, .roles = map_roles::threads});
    constexpr int most = 2 * slots + 3;  // in both channels, and one with each role
    std::thread watcher([&] {
        while (emitted < static_cast<int>(slots)) std::this_thread::yield();
        for (int i = 0; i < 1000; ++i) std::this_thread::yield();
        CHECK(emitted <= most);
        released = true;
    });
    map.run(
        [&]() -> std::optional<int> {
            const int item = emitted++;
            return item < 40 ? std::optional(item) : std::nullopt;
        },
        [](int item) { return item; },
        [&](int) {
            while (!released) std::this_thread::yield();
        });
    watcher.join();
    CHECK(emitted == 41);
}

TEST_CASE("the gather keeps up with workers that are far ahead of others") {
    croft::detail::map_gather gather(3, croft::any_core);
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
    for (const auto& [who, cores] : {std::pair(map_roles::automatic, std::vector<int>{last, last, last}),
                                     std::pair(map_roles::caller, std::vector<int>{last})}) {
        std::vector<int> seen;
        croft::map map({.workers = 1, .cores = cores, .roles = who});
        map.run(
            count_to(3), [](int) { return croft::port::allowed_cores(); },
            [&](const std::vector<int>& found) { seen.insert(seen.end(), found.begin(), found.end()); });
        CHECK(seen == std::vector<int>{last, last, last});
        CHECK(croft::port::allowed_cores() == allowed);
    }
    croft::map too_few({.workers = 2, .cores = {0, 0, 0}});
    CHECK_THROWS_WITH_AS(too_few.run(
                             count_to(1), [](int item) { return item; }, [](int) {}),
                         "croft::map: 3 cores were named for 4 roles (emitter, workers, collector)",
                         std::invalid_argument);
    croft::map nowhere({.workers = 1, .cores = {last, 1 << 20, last}});
    CHECK_THROWS_AS(nowhere.run(count_to(1), [](int item) { return item; }, [](int) {}), std::system_error);
}

TEST_CASE_TEMPLATE("workers that return nothing: the collector gets every item's number once it is complete", Policies,
                   croft::automatic, croft::policies, paper_policies) {
    for (const std::size_t workers : {1, 2, 5, 9})
        for (const std::size_t items : {0, 1, 7, 200}) {
            CAPTURE(workers);
            CAPTURE(items);
            std::vector<std::vector<int>> made(items, std::vector<int>(workers, 0));
            std::vector<std::size_t> complete;
            std::size_t next = 0;
            croft::basic_map<Policies> map({.workers = workers});
            map.run(
                [&]() -> std::optional<std::vector<int>*> {
                    return next < items ? std::optional(&made[next++]) : std::nullopt;
                },
                [](std::vector<int>* item, croft::share mine) { ++(*item)[mine.first]; },
                [&](std::size_t item) {
                    complete.push_back(item);
                    CHECK(made[item] == std::vector<int>(workers, 1));
                });
            REQUIRE(complete.size() == items);
            for (std::size_t i = 0; i < items; ++i) CHECK(complete[i] == i);
        }
}
