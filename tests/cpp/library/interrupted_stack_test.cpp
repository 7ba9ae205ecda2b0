// Which work a handler gives to which core. Its interleavings with the thread that it interrupts:
// task_interrupted_test.cpp.
#include <atomic>

#include <croft/task/interrupted_stack.hpp>

#include <doctest/doctest.h>

namespace {

struct one_thread {
    template <class T>
    using atomic = std::atomic<T>;
    static void keep_order() {}
};
struct alignas(8) work {};
struct alignas(8) loop {};
using stack = croft::detail::interrupted_stack<work, loop, one_thread>;
constexpr bool to_slower = true;

}  // namespace

TEST_CASE("a slower core gets none of the three newest tasks") {
    stack tasks;
    work made[4];
    for (work& each : made) tasks.push(each);
    CHECK(tasks.give(to_slower).work == &made[0]);
    const auto none = tasks.give(to_slower);
    CHECK(none.work == nullptr);
    CHECK(none.withheld);
    CHECK(tasks.give().work == &made[1]);
    CHECK(tasks.give(to_slower).work == nullptr);
    CHECK(tasks.give().work == &made[2]);
    CHECK(tasks.give().work == &made[3]);
    CHECK_FALSE(tasks.give(to_slower).withheld);
}

TEST_CASE("a slower core gets half of a loop of which four chunks are left, and nothing of three") {
    stack tasks;
    loop all;
    stack::interval mine(all, 0, 4, 8);
    tasks.push(mine, false);
    const auto half = tasks.give(to_slower).part;
    CHECK(half.loop == &all);
    CHECK(half.first == 2);
    CHECK(half.last == 4);
    CHECK(tasks.give(to_slower).part.loop == nullptr);
    CHECK(tasks.give().part.first == 1);

    stack others;
    stack::interval three(all, 0, 3, 8);
    others.push(three, false);
    CHECK(others.give(to_slower).part.loop == nullptr);
    CHECK(others.give(to_slower).withheld);
    // A chunk with a loop in it is much.
    stack::interval inner(all, 0, 1, 8);
    others.push(inner, false);
    CHECK(others.give(to_slower).part.first == 1);
}
