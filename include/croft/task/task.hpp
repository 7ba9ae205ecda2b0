#pragma once
// Tasks as classes (paper 002, figure 2a): derive, override execute(), and in it set reference_count, spawn children,
// wait. A child lies wherever its parent likes, as a rule in execute() itself, because it ends before wait() returns.
//
//     struct fib : croft::task {
//         fib(int number, long* result) : n(number), sum(result) {}
//         void execute() override {
//             if (n < 2) { *sum = n; return; }
//             long x, y;
//             fib a(n - 1, &x), b(n - 2, &y);
//             reference_count = 2;
//             spawn(&a);
//             spawn(&b);
//             wait(this);
//             *sum = x + y;
//         }
//         int n;
//         long* sum;
//     };
//     croft::task_scheduler scheduler;
//     long sum;
//     fib root(30, &sum);
//     scheduler.run(root);
//
// If a child throws, its parent's other children that have not begun are dropped, and wait() throws the first
// exception once all have ended.

#include <stdexcept>
#include <utility>

#include <croft/port/port.hpp>
#include <croft/task/default_runtime.hpp>
#include <croft/task/failure.hpp>
#include <croft/task/work.hpp>

namespace croft {

template <class Runtime = detail::default_task_runtime>
class basic_task : Runtime::work {
    using worker = typename Runtime::worker;
    using work = typename Runtime::work;

public:
    basic_task() : work{&run_child} {}
    virtual ~basic_task() = default;
    basic_task(const basic_task&) = delete;
    basic_task& operator=(const basic_task&) = delete;

    virtual void execute() = 0;

    // How many children the next wait() waits for: to be set before they are spawned.
    typename Runtime::join_count reference_count;

    // Makes `child` a child of the task whose execute() calls this; others may run it from now on. Throws
    // std::logic_error outside of any.
    static void spawn(basic_task* child) {
        worker* const here = worker::current();
        if (!here || !here->running)
            throw std::logic_error("croft::task::spawn is to be called by execute() of the task that will wait");
        child->parent_ = here->running;
        here->spawn(*child, here->running->reference_count);
    }
    // Returns when as many children as reference_count said have ended. `parent` is the task that calls it. Throws
    // std::logic_error outside of any. (A simulated machine's programs are measured without that look.)
    static void wait(basic_task* parent) {
        worker* const here = worker::current();
        if constexpr (!port::waits_on_lines)
            if (!here || !here->running)
                throw std::logic_error("croft::task::wait is to be called by execute() of the task that waits");
        here->wait(parent->reference_count, parent->mark_);
        parent->failure_.rethrow();
    }

    // Executes it in the calling worker, as if it had been called.
    void execute_here(worker& here) {
        mark_ = here.mark();
        basic_task* const outer = std::exchange(here.running, this);
        try {
            execute();
        } catch (...) {
            here.running = outer;
            throw;
        }
        here.running = outer;
    }

private:
    static void run_child(work& what, worker& here, worker& owner) {
        basic_task& self = static_cast<basic_task&>(what);
        basic_task& parent = *self.parent_;
        try {
            if (!parent.failure_.failed()) self.execute_here(here);
        } catch (...) {
            parent.failure_.keep_current();
        }
        worker::child_finished(parent.reference_count, here, owner);
    }

    basic_task* parent_ = nullptr;
    typename worker::mark_type mark_{};  // what lies above it in the worker's stack are its children
    detail::failure failure_;
};

using task = basic_task<>;

}  // namespace croft
