// Programs of tasks whose graphs are known, for `croft run --analyze`: dags NAME [N]. A strand is so many instructions
// that do nothing.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_invoke.hpp>
#include <croft/task/parallel_reduce.hpp>
#include <croft/task/parallel_scan.hpp>
#include <croft/task/task.hpp>
#include <croft/task/task_group.hpp>

#include "../../programs/common/fib.hpp"

namespace {

using runtime = croft::detail::default_task_runtime;

// Not inline, so that all calls of one length are the same instructions.
template <int Count>
[[gnu::noinline]] void thousands() {
    asm volatile(".rept %0\n\t.option push\n\t.option norvc\n\tnop\n\t.option pop\n\t.endr" ::"i"(1000 * Count));
}

struct child : croft::task {
    explicit child(void (*what)()) : what(what) {}
    void execute() override { what(); }
    void (*what)();
};

// Two children, and work between them: 2 and then 3 beside 4.
struct parent : croft::task {
    void execute() override {
        child early(&thousands<4>), late(&thousands<3>);
        reference_count = 2;
        spawn(&early);
        thousands<2>();
        spawn(&late);
        wait(this);
        thousands<1>();
    }
};

void group() {
    croft::task_group all;
    all.run([] { thousands<4>(); });
    thousands<2>();
    all.run([] { thousands<3>(); });
    all.wait();
    thousands<1>();
}

}  // namespace

int main(int count, char** arguments) {
    const char* const name = count > 1 ? arguments[1] : "";
    const int n = count > 2 ? std::atoi(arguments[2]) : 0;
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    croft::task_scheduler scheduler;
    if (is("nothing")) return 0;
    if (is("strand")) scheduler.run([] { thousands<1>(); });
    if (is("twice"))
        for (int i = 0; i < 2; ++i) scheduler.run([] { thousands<1>(); });
    if (is("invoke"))
        scheduler.run([] {
            croft::parallel_invoke([] { thousands<1>(); }, [] { thousands<5>(); }, [] { thousands<2>(); });
            thousands<2>();
        });
    if (is("loop")) scheduler.run([n] { croft::parallel_for(0, n, [](int) { thousands<1>(); }, {.grain = 1}); });
    if (is("chunks")) scheduler.run([n] { croft::parallel_for(0, n, [](int) { thousands<1>(); }, {.grain = 4}); });
    if (is("reduce"))
        scheduler.run([n] {
            const auto step = [](int i) {
                thousands<1>();
                return i;
            };
            return croft::parallel_reduce(0, n, 0, step, std::plus<>(), {.grain = 1});
        });
    if (is("scan"))
        scheduler.run([n] {
            const auto step = [](int i) {
                thousands<1>();
                return i;
            };
            return croft::parallel_scan(0, n, 0, step, std::plus<>(), [](int, int) {}, {.grain = 1});
        });
    if (is("fib")) std::printf("%ld\n", scheduler.run([n] { return programs::fib<runtime>(n); }));
    if (is("fib_task")) {
        long sum = 0;
        programs::fib_task<runtime> root(n, &sum);
        scheduler.run(root);
        std::printf("%ld\n", sum);
    }
    if (is("task")) {
        parent root;
        scheduler.run(root);
    }
    if (is("group")) scheduler.run([] { group(); });
    if (is("nested")) {
        croft::task_scheduler inner(1);
        scheduler.run(
            [&] { inner.run([] { croft::parallel_invoke([] { thousands<1>(); }, [] { thousands<1>(); }); }); });
    }
    if (is("failing")) {
        try {
            scheduler.run([] { croft::parallel_invoke([] { thousands<1>(); }, [] { throw 1; }); });
        } catch (int) {
            std::printf("thrown\n");
        }
    }
    return 0;
}
