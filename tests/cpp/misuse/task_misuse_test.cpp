// Each of these ends a debug build with its sentence.

#include <doctest/doctest.h>

#include <optional>

#include <croft/channel/many_to_one.hpp>
#include <croft/channel/request_reply.hpp>
#include <croft/channel/wait_any.hpp>
#include <croft/task/parallel_invoke.hpp>
#include <croft/task/task.hpp>
#include <croft/task/task_group.hpp>

#include "last_words.hpp"

namespace {

const std::string not_here =
    "croft: croft::task::spawn, or the wait() of a task or group, was called inside of a callable of a pattern that "
    "the "
    "task has begun which it is for";

struct child : croft::task {
    void execute() override {}
};
struct spawns_in_pattern : croft::task {
    void execute() override {
        child one;
        reference_count = 1;
        croft::parallel_invoke([&] { spawn(&one); }, [] {});
        wait(this);
    }
};

}  // namespace

TEST_CASE("tasks: spawn is for execute(), not for the callables of a pattern within it") {
    CHECK(last_words([] {
              croft::task_scheduler scheduler(1);
              spawns_in_pattern root;
              scheduler.run(root);
          }) == not_here);
}

TEST_CASE("task_group: wait() is for the task that made it") {
    CHECK(last_words([] {
              croft::task_scheduler scheduler(1);
              scheduler.run([] {
                  croft::task_group group;
                  group.run([] {});
                  croft::parallel_invoke([&] { group.wait(); }, [] {});
              });
          }) == not_here);
    CHECK(last_words([] {
              croft::task_scheduler one(1), other(1);
              one.run([&] {
                  croft::task_group group;
                  group.run([] {});
                  other.run([&] { group.wait(); });
              });
          }) == "croft::task_group: wait() by another worker than the one that made it");
}

TEST_CASE("wait_any: all channels have one waiter") {
    CHECK(last_words([] {
              croft::many_to_one<int> numbers(1, 1);
              croft::request_reply<int> desk;
              croft::wait_any(numbers, desk);
          }) == "croft::wait_any: these channels have not the same waiter");
}
