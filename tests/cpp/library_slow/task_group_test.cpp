// Tasks are given to a group by whoever it waits for: from its own tasks, from callables of patterns, from stolen ones.

#include <croft/task/task.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "task_runtimes.hpp"

using namespace task_programs;

namespace {

// A tree of tasks, all of one group.
template <class Runtime>
void grow(croft::detail::basic_task_group<Runtime>& group, std::atomic<int>& grown, int depth) {
    ++grown;
    if (depth == 0) return;
    for (int i = 0; i < 2; ++i) group.run([&group, &grown, depth] { grow(group, grown, depth - 1); });
}

template <class Runtime>
struct gives_to_group : croft::basic_task<Runtime> {
    gives_to_group(croft::detail::basic_task_group<Runtime>& group, std::atomic<int>& ran) : into(group), count(ran) {}
    void execute() override {
        into.run([this] { ++count; });
    }
    croft::detail::basic_task_group<Runtime>& into;
    std::atomic<int>& count;
};
template <class Runtime>
struct waits_for_both : croft::basic_task<Runtime> {
    void execute() override {
        croft::detail::basic_task_group<Runtime> group;
        gives_to_group<Runtime> a(group, ran), b(group, ran);
        this->reference_count = 2;
        this->spawn(&a);
        group.run([this] { ++ran; });
        this->spawn(&b);
        this->wait(this);
        group.run([this] { ++ran; });
        group.wait();
        count_after = ran;
    }
    std::atomic<int> ran{0};
    int count_after = 0;
};

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("a group takes tasks from inside of parallel_invoke", Runtime, in_invoke) {
    for (const std::size_t workers : {1u, 2u, 4u}) {
        CAPTURE(workers);
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        for (int round = 0; round < 200; ++round) {
            std::atomic<int> ran{0};
            int other = 0, between = 0;
            scheduler.run([&] {
                croft::detail::basic_task_group<Runtime> group;
                group.run([&] { ++ran; });
                croft::parallel_invoke<Runtime>(
                    [&] {
                        group.run([&] { ++ran; });
                        croft::parallel_invoke<Runtime>([&] { group.run([&] { ++ran; }); },
                                                        [&] { group.run([&] { ++ran; }), ++between; });
                    },
                    [&] { group.run([&] { ++ran; }), ++other; });
                group.run([&] { ++ran; });
                group.wait();
            });
            REQUIRE(ran == 6);
            REQUIRE(other == 1);
            REQUIRE(between == 1);
        }
    }
}

TEST_CASE_TEMPLATE_DEFINE("a group takes tasks from its own tasks, whichever worker runs them", Runtime, tree) {
    for (const std::size_t workers : {1u, 2u, 4u, 8u}) {
        CAPTURE(workers);
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        for (int round = 0; round < 20; ++round) {
            std::atomic<int> grown{0};
            scheduler.run([&] {
                croft::detail::basic_task_group<Runtime> group;
                group.run([&] { grow(group, grown, 9); });
                CHECK(group.wait());
            });
            REQUIRE(grown == 1023);
        }
    }
}

TEST_CASE_TEMPLATE_DEFINE("a group takes tasks from the steps of loops, and more than there is room for", Runtime,
                          in_loop) {
    for (const std::size_t workers : {1u, 3u}) {
        CAPTURE(workers);
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        std::atomic<int> ran{0};
        scheduler.run([&] {
            croft::detail::basic_task_group<Runtime> group;
            croft::parallel_for<Runtime>(0, 5'000, [&](int) { group.run([&] { ++ran; }); }, {.grain = 1});
            CHECK(group.wait());
            // And again, from itself.
            for (int i = 0; i < 100; ++i) group.run([&] { ++ran; });
            CHECK(group.wait());
        });
        CHECK(ran == 5'100);
    }
}

TEST_CASE_TEMPLATE_DEFINE("a group takes tasks from the children of the task that made it", Runtime, in_children) {
    for (const std::size_t workers : {1u, 2u, 4u}) {
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        for (int round = 0; round < 100; ++round) {
            waits_for_both<Runtime> root;
            scheduler.run(root);
            REQUIRE(root.count_after == 4);
        }
    }
}

TEST_CASE_TEMPLATE_DEFINE("a group of which nothing but others' tasks is known is waited for when it goes", Runtime,
                          left_alone) {
    croft::detail::basic_task_scheduler<Runtime> scheduler(2);
    for (int round = 0; round < 200; ++round) {
        std::atomic<int> running{0};
        scheduler.run([&] {
            croft::detail::basic_task_group<Runtime> group;
            const auto give = [&] {
                group.run([&] {
                    ++running;
                    std::this_thread::yield();
                    --running;
                });
            };
            croft::parallel_invoke<Runtime>(give, give);
        });
        REQUIRE(running == 0);
    }
}

TEST_CASE_TEMPLATE_DEFINE("what a task throws that another gave to the group reaches wait()", Runtime, throwing) {
    for (const std::size_t workers : {1u, 2u, 4u}) {
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        for (int round = 0; round < 50; ++round) {
            bool caught = false;
            scheduler.run([&] {
                croft::detail::basic_task_group<Runtime> group;
                group.run([&] { group.run([&] { group.run([] { throw std::runtime_error("deep"); }); }); });
                try {
                    group.wait();
                } catch (const std::runtime_error&) {
                    caught = true;
                }
                group.run([] {});  // usable again
                CHECK(group.wait());
            });
            REQUIRE(caught);
        }
    }
}

TEST_CASE_TEMPLATE_DEFINE("a thread that is no worker gives nothing to a group", Runtime, outside) {
    for (const std::size_t workers : {1u, 2u}) {
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        bool refused = false;
        scheduler.run([&] {
            croft::detail::basic_task_group<Runtime> group;
            std::thread([&] {
                try {
                    group.run([] {});
                } catch (const std::logic_error&) {
                    refused = true;
                }
            }).join();
            CHECK(group.wait());
        });
        CHECK(refused);
    }
}

TEST_CASE_TEMPLATE_INVOKE(in_invoke, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(tree, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(in_loop, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(in_children, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(left_alone, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(throwing, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(outside, NATIVE_RUNTIMES);
