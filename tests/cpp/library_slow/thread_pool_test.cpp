// Threads that stay: lent, given back, named, with hooks.

#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>
#include <croft/thread/thread_pool.hpp>

#include <doctest/doctest.h>

#include <pthread.h>

#include <atomic>
#include <barrier>
#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "streams.hpp"

namespace {

struct seen {
    std::mutex lock;
    std::set<std::thread::id> threads;
    std::set<std::string> names;

    void note() {
        char name[16] = "";
        pthread_getname_np(pthread_self(), name, sizeof name);
        const std::lock_guard guard(lock);
        threads.insert(std::this_thread::get_id());
        names.insert(name);
    }
};

// Runs on so many threads, which wait for each other, so that none does the work of two.
void meet(std::size_t threads, seen& by) {
    std::barrier all(static_cast<std::ptrdiff_t>(threads));
    auto work = [&](std::size_t) {
        all.arrive_and_wait();
        by.note();
    };
    croft::thread_pool::loan borrowed(threads);
    borrowed.start(work);
}

}  // namespace

TEST_CASE("borrowed threads run at the same time, and the next one who borrows gets the same") {
    seen first, second, more;
    meet(3, first);
    CHECK(first.threads.size() == 3);
    for (int i = 0; i < 100; ++i) meet(3, second);
    CHECK(second.threads == first.threads);
    meet(5, more);
    CHECK(more.threads.size() == 5);
    for (const std::string& name : more.names) CHECK(name.starts_with("croft-worker-"));
}

TEST_CASE("every index is run once, and what the threads have written is there after join") {
    std::vector<int> runs(4, 0);
    auto work = [&](std::size_t i) { ++runs[i]; };
    croft::thread_pool::loan borrowed(4);
    borrowed.start(work);
    borrowed.join();
    CHECK(runs == std::vector<int>(4, 1));
    borrowed.start_one(2, work);
    borrowed.join();
    CHECK(runs == std::vector<int>{1, 1, 2, 1});
}

TEST_CASE("several threads borrow at the same time, and a borrowed one borrows") {
    std::atomic<int> runs{0};
    auto inner = [&](std::size_t) { ++runs; };
    auto outer = [&](std::size_t) {
        for (int i = 0; i < 50; ++i) {
            croft::thread_pool::loan two(2);
            two.start(inner);
        }
    };
    croft::thread_pool::loan three(3);
    three.start(outer);
    three.join();
    CHECK(runs == 300);
}

TEST_CASE("hooks are called by a thread that starts, with its number") {
    std::atomic<int> started{0};
    croft::thread_pool::on_thread_start([&](std::size_t) { ++started; });
    seen by;
    meet(120, by);  // more than any test before has borrowed
    croft::thread_pool::on_thread_start(nullptr);
    CHECK(started > 0);
    CHECK(started <= 120);
}

TEST_CASE("patterns run on the pool's threads") {
    seen first, second;
    for (seen* by : {&first, &second})
        croft::run(streams::count_to(100),
                   croft::farm(
                       [by](int n) {
                           by->note();
                           return n;
                       },
                       {.workers = 3, .schedule = croft::schedule::round_robin}),
                   [](int) {}, {.place = croft::placements::thread_a_role{}});
    CHECK(first.threads.size() == 3);
    for (const std::string& name : first.names) CHECK(name.starts_with("croft-worker-"));
}

TEST_CASE("nothing is pinned unless asked") {
    const std::vector<int> allowed = croft::port::allowed_cores();
    const auto where = [](int) { return croft::port::allowed_cores(); };
    for (const croft::detail::placement& place : {croft::detail::placement(croft::placements::neighbours{}),
                                                  croft::detail::placement(croft::placements::thread_a_role{})})
        croft::run(streams::count_to(20), croft::farm(where, {.workers = 2}),
                   [&](const std::vector<int>& cores) { CHECK(cores == allowed); }, {.place = place});
}

TEST_CASE("two accelerators that are pinned at the same time share the cores out") {
    if (croft::port::allowed_cores().size() < 2) return;
    const auto where = [](int) { return croft::port::allowed_cores(); };
    using there = croft::accelerator<int, std::vector<int>>;
    const croft::accelerator_options one_thread{.threads = 1, .place = croft::placements::neighbours{.pinned = true}};
    there first(where, one_thread), second(where, one_thread);
    first.offload(1);
    second.offload(1);
    const auto a = first.get_result(), b = second.get_result();
    REQUIRE((a && b));
    CHECK(a->size() == 1);
    CHECK(b->size() == 1);
    CHECK(*a != *b);
}
