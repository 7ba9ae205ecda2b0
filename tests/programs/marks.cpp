// A trace shows more than cores' waits. marks phases: marks of the program's own, in two threads. marks silent: the
// same without. marks tasks, marks interrupts: fib(9) by a task for each call; prints how many were stolen. marks farm:
// 100 items through three workers. marks thrown: a worker that throws at the tenth of them.

#include <cstdio>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <thread>

#include <croft/mark.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>
#include <croft/task/default_runtime.hpp>
#include <croft/task/interrupt_stealing.hpp>
#include <croft/task/scheduler.hpp>

#include "../../programs/common/fib.hpp"

namespace {

void work() {
    for (int i = 0; i < 200; ++i) asm volatile("");
}

void phases() {
    croft::mark("begins");
    {
        const croft::marked outer{"outer"};
        work();
        for (int i = 0; i < 3; ++i) {
            const croft::marked inner{"inner"};
            work();
        }
        croft::mark("caf\xc3\xa9");
    }
    croft::mark(
        "a text of more than eighty characters, of which the first eighty are what is shown of it in a trace, no more");
}

void silent() {
    work();
    for (int i = 0; i < 3; ++i) work();
}

template <class Runtime>
void tasks() {
    croft::detail::task_counts counts;
    long sum = 0;
    {
        croft::detail::basic_task_scheduler<Runtime> scheduler({.workers = 8, .counts = &counts});
        programs::fib_task<Runtime> root(9, &sum);
        scheduler.run(root);
    }
    std::printf("%ld %llu\n", sum, static_cast<unsigned long long>(counts.stolen));
}

void farm(int throws_at) {
    int next = 0;
    long sum = 0;
    try {
        croft::run([&]() -> std::optional<int> { return next < 100 ? std::optional(next++) : std::nullopt; },
                   croft::farm(
                       [throws_at](int item) {
                           work();
                           if (item == throws_at) throw std::runtime_error("thrown");
                           return item;
                       },
                       {.workers = 3}),
                   [&](int item) { sum += item; });
        std::printf("%ld\n", sum);
    } catch (const std::runtime_error& error) {
        std::puts(error.what());
    }
}

}  // namespace

int main(int count, char** arguments) {
    const auto is = [&](const char* name) { return count > 1 && std::strcmp(arguments[1], name) == 0; };
    if (is("phases")) {
        std::thread(phases).join();
        phases();
    }
    if (is("silent")) {
        std::thread(silent).join();
        silent();
    }
    if (is("tasks")) tasks<croft::detail::default_task_runtime>();
#if defined(CROFT_MANY_CORE)
    if (is("interrupts")) tasks<croft::interrupt_stealing>();
#endif
    if (is("farm")) farm(-1);
    if (is("thrown")) farm(10);
}
