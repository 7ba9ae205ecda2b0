// Runs programs of tasks on as many workers as there are cores and checks what comes out: tasks RUNTIME. Prints "ok" or
// what is wrong.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

#include <croft/paper/task/direct_stealing.hpp>
#include <croft/paper/task/shared_deques.hpp>
#include <croft/paper/task/shared_deques_flushed.hpp>
#include <croft/task/direct_stealing.hpp>
#include <croft/task/interrupt_stealing.hpp>
#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_invoke.hpp>
#include <croft/task/parallel_reduce.hpp>
#include <croft/task/shared_deques.hpp>
#include <croft/task/task_group.hpp>

#include "../../programs/common/fib.hpp"

namespace {

using programs::fib;
using programs::fib_task;

bool wrong(const char* what) {
    std::printf("wrong: %s\n", what);
    return false;
}

template <class Runtime>
bool all_right() {
    croft::detail::basic_task_scheduler<Runtime> scheduler;
    long sum = 0;
    fib_task<Runtime> root(11, &sum);
    scheduler.run(root);
    if (sum != 89) return wrong("fib, tasks");
    if (scheduler.run([] { return fib<Runtime>(11); }) != 89) return wrong("fib, parallel_invoke");

    // Every task reads what others wrote before: the row above, again and again.
    constexpr int rows = 6, width = 96;
    std::vector<int> cells(rows * width, 1);
    scheduler.run([&] {
        for (int row = 1; row < rows; ++row)
            croft::parallel_for<Runtime>(
                0, width,
                [&](int x) {
                    const int* const above = &cells[static_cast<std::size_t>((row - 1) * width)];
                    cells[static_cast<std::size_t>(row * width + x)] = above[x] + above[(x + 1) % width];
                },
                {.grain = 4});
    });
    if (std::count(cells.end() - width, cells.end(), 1 << (rows - 1)) != width) return wrong("rows");

    const long squares = scheduler.run([] {
        return croft::parallel_reduce<Runtime>(0, 100, 0L, [](int i) { return long{i} * i; }, std::plus<>(),
                                               {.grain = 4});
    });
    if (squares != 328'350) return wrong("reduce");

    std::atomic<int> ran{0};
    const bool complete = scheduler.run([&] {
        croft::detail::basic_task_group<Runtime> group;
        for (int i = 0; i < 40; ++i) group.run([&ran] { ran.fetch_add(1, std::memory_order_relaxed); });
        return group.wait();
    });
    if (!complete || ran != 40) return wrong("group");

    bool caught = false;
    try {
        scheduler.run([] {
            croft::parallel_for<Runtime>(0, 40,
                                         [](int i) {
                                             if (i == 23) throw std::runtime_error("23");
                                         },
                                         {.grain = 1});
        });
    } catch (const std::runtime_error& error) {
        caught = std::strcmp(error.what(), "23") == 0;
    }
    return caught || wrong("exception");
}

}  // namespace

int main(int count, char** arguments) {
    const char* const name = count > 1 ? arguments[1] : "default";
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    bool right = false;
    if (is("default")) right = all_right<croft::detail::default_task_runtime>();
    if (is("paper_shared")) right = all_right<croft::paper::shared_deques>();
    if (is("paper_flushed")) right = all_right<croft::paper::shared_deques_flushed>();
    if (is("shared_deques")) right = all_right<croft::shared_deques>();
    if (is("direct_stealing")) right = all_right<croft::direct_stealing>();
#if defined(CROFT_MANY_CORE)
    if (is("interrupt_stealing")) right = all_right<croft::interrupt_stealing>();
    if (is("paper_direct")) right = all_right<croft::paper::direct_stealing>();
#endif
    if (right) std::printf("ok\n");
    return right ? 0 : 1;
}
