#pragma once
// The Fibonacci numbers by the papers' two programs, a task for each call (paper 002, figure 2): nearly nothing but
// tasks.

#include <croft/task/parallel_invoke.hpp>
#include <croft/task/task.hpp>

namespace programs {

// Figure 2a, by spawn and wait.
template <class Runtime>
struct fib_task : croft::basic_task<Runtime> {
    fib_task(int n, long* sum) : n(n), sum(sum) {}
    void execute() override {
        if (n < 2) {
            *sum = n;
            return;
        }
        long x, y;
        fib_task a(n - 1, &x), b(n - 2, &y);
        this->reference_count = 2;
        this->spawn(&a);
        this->spawn(&b);
        this->wait(this);
        *sum = x + y;
    }
    int n;
    long* sum;
};

// Figure 2b, by parallel_invoke.
template <class Runtime>
long fib(int n) {
    if (n < 2) return n;
    long x, y;
    croft::parallel_invoke<Runtime>([&] { x = fib<Runtime>(n - 1); }, [&] { y = fib<Runtime>(n - 2); });
    return x + y;
}

}  // namespace programs
