// Data handed from stage to stage: owned once, destroyed once, told of every hand-over.

#include <croft/memory/task_allocator.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/hand_over.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "streams.hpp"

using streams::threaded_farm;

namespace {

using croft::task_allocator;
using croft::task_ptr;
using croft::homes::of_data;

constexpr of_data policies[] = {of_data::hashed, of_data::fixed, of_data::none};

std::atomic<int> alive{0};  // of all threads

struct counted {
    int value;
    std::array<int, 30> more;

    explicit counted(int number) : value(number), more{} {
        if (number < 0) throw std::runtime_error("negative");
        more.fill(number);
        ++alive;
    }
    counted(counted&& from) noexcept : value(from.value), more(from.more) { ++alive; }
    ~counted() { --alive; }
};

// A message that says what it was told.
struct told {
    std::vector<int> workers;
    void hand_over(int worker) { workers.push_back(worker); }
};

struct job {
    int number = 0;
    task_ptr<counted> data;
    void hand_over(int worker) { data.hand_over(worker); }
};

}  // namespace

static_assert(!std::is_copy_constructible_v<task_ptr<int>> && std::is_nothrow_move_constructible_v<task_ptr<int>>);
static_assert(croft::detail::leads_to_data<task_ptr<int>>::value);
static_assert(croft::detail::leads_to_data<std::pair<int, task_ptr<int>>>::value);
static_assert(croft::detail::leads_to_data<std::tuple<int, std::pair<int, job>>>::value);
static_assert(!croft::detail::leads_to_data<int*>::value);
static_assert(!croft::detail::leads_to_data<std::pair<int, std::unique_ptr<int>>>::value);

TEST_CASE("a datum is made with any arguments, owned by one pointer, and destroyed with it") {
    for (const of_data policy : policies) {
        const task_allocator tasks(policy);
        {
            task_ptr<counted> first = tasks.make<counted>(7);
            CHECK(alive == 1);
            CHECK(reinterpret_cast<std::uintptr_t>(first.get()) % croft::port::cache_line == 0);
            CHECK(first.policy() == policy);
            task_ptr<counted> second = std::move(first);
            CHECK(!first);
            CHECK(second->value == 7);
            first = tasks.make<counted>(8);
            CHECK(alive == 2);
            first = std::move(second);
            CHECK(alive == 1);
            CHECK((*first).more[29] == 7);
            task_ptr<counted>& same = first;
            first = std::move(same);
            CHECK(first->value == 7);
            first.hand_over(3);
            first.hand_over();
            CHECK(first->value == 7);
            first.reset();
            CHECK(alive == 0);
            first = nullptr;
        }
        task_ptr<counted>().hand_over(1);
        CHECK_THROWS_AS(tasks.make<counted>(-1), std::runtime_error);
        CHECK(alive == 0);
    }
}

TEST_CASE("what is longer than a page is used again, whoever gave it back") {
    struct large {
        std::array<unsigned char, 50000> bytes;
    };
    const task_allocator tasks;
    std::set<void*> places;
    threaded_farm<> farm({.workers = 2, .slots = 2});
    int next = 0;
    farm.run(
        [&]() -> std::optional<task_ptr<large>> {
            if (next++ == 500) return std::nullopt;
            task_ptr<large> made = tasks.make<large>();
            made->bytes.front() = made->bytes.back() = static_cast<unsigned char>(next);
            return made;
        },
        [](task_ptr<large> it) {
            it->bytes.front() += it->bytes.back();
            return it;
        },
        [&](task_ptr<large> it) {
            CHECK(it->bytes.front() == static_cast<unsigned char>(2 * it->bytes.back()));
            places.insert(it.get());
        });
    CHECK(places.size() < 50);  // no more than can be under way
}

TEST_CASE("parts of pairs and tuples are told too, and the core that works on them") {
    std::tuple<int, told, std::pair<told, std::string>> message;
    croft::detail::hand_over(message, 5);
    croft::detail::hand_over(message);
    CHECK(std::get<1>(message).workers == std::vector<int>{5, croft::detail::any_core});
    CHECK(std::get<2>(message).first.workers == std::vector<int>{5, croft::detail::any_core});
}

TEST_CASE("a farm hands data on: by value, in place, thrown away, stopped") {
    constexpr int tasks_made = 300;
    for (const of_data policy : policies)
        for (const std::size_t workers : {1, 3}) {
            const task_allocator tasks(policy);
            std::vector<bool> seen(tasks_made);
            long sum = 0;
            int next = 0;
            threaded_farm<> farm({.workers = workers});
            const auto emitter = [&]() -> std::optional<job> {
                if (next == tasks_made) return std::nullopt;
                job it{next, tasks.make<counted>(next)};
                ++next;
                return it;
            };
            farm.run(
                emitter,
                [](job it) {
                    for (int& each : it.data->more) each += 1;
                    return it;
                },
                [&](job it) {
                    seen[it.number] = true;
                    for (const int each : it.data->more) sum += each - it.number;
                });
            CHECK(sum == 30 * tasks_made);
            CHECK(std::find(seen.begin(), seen.end(), false) == seen.end());
            CHECK(alive == 0);

            next = 0;
            CHECK_THROWS_AS(farm.run(
                                emitter,
                                [](job it) {
                                    if (it.number == 200) throw std::runtime_error("two hundred");
                                    return it;
                                },
                                [](job) {}),
                            std::runtime_error);
            CHECK(alive == 0);

            next = 0;
            int collected = 0;
            farm.run(
                emitter, [](job it) { return it; },
                [&](job) {
                    if (++collected == 20) farm.stop(croft::stop_mode::drop);
                });
            CHECK(collected == 20);
            CHECK(alive == 0);

            // Tasks that stages leave in their slots stay there, and are used again.
            next = 0;
            sum = 0;
            farm.run(
                [&](std::pair<int, task_ptr<counted>>& slot) {
                    if (next == tasks_made) return false;
                    if (!slot.second) slot.second = tasks.make<counted>(1);
                    slot.second->value = slot.first = next++;
                    return true;
                },
                [&tasks](const std::pair<int, task_ptr<counted>>& task, std::pair<int, task_ptr<counted>>& result) {
                    if (!result.second) result.second = tasks.make<counted>(1);
                    result.first = task.first;
                    result.second->value = 2 * task.second->value;
                },
                [&](const std::pair<int, task_ptr<counted>>& result) { sum += result.second->value - result.first; });
            CHECK(sum == tasks_made * (tasks_made - 1) / 2);
            CHECK(alive == 0);
        }
}
