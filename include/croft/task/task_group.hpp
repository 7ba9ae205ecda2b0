#pragma once
// Any number of tasks to be waited for together, and to be cancelled together.
//
//     croft::task_group group;
//     for (auto& part : parts) group.run([&] { search(part); if (found) group.cancel(); });
//     group.wait();
//
// wait() is for the task that made the group. run() is for that task, and for all that it waits for before or by that
// wait(). These are the group's own tasks, the callables of patterns that it has begun meanwhile, and their tasks. (A
// task of another region, run_isolated, runs what it gives to the group at once.) cancel() and cancelled() are for
// everybody. A cancelled group drops its tasks that have not begun; those that have, run to their end, and may ask
// cancelled(). A group made with `within` another is cancelled with it.
//
// If a task throws, the group is cancelled, and wait() throws the first exception, once none is running any more.
//
// A task that the group's own task runs between making the group and wait() lies among that worker's tasks. It costs
// what any spawn does. The others are posted (posted_tasks.hpp), and counted by atomics.

#include <atomic>
#include <exception>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <croft/port/misuse.hpp>
#include <croft/task/default_runtime.hpp>
#include <croft/task/failure.hpp>
#include <croft/task/scheduler.hpp>

namespace croft {

namespace detail {

template <class Runtime = default_task_runtime>
class basic_task_group {
    using worker = typename Runtime::worker;
    using work = typename Runtime::work;

public:
    // Throws std::logic_error outside of a scheduler's run().
    basic_task_group() : here_(worker::current()) {
        if (!here_) throw std::logic_error("croft::task_group: made outside of task_scheduler::run()");
        mark_ = here_->mark();
        remember_level();
        unfinished_ = 0;
    }
    explicit basic_task_group(const basic_task_group& within) : basic_task_group() { outer_ = &within; }
    explicit basic_task_group(std::stop_token stop) : basic_task_group() { stop_ = std::move(stop); }
    basic_task_group& operator=(const basic_task_group&) = delete;
    // Without a wait() before, the tasks are dropped as if it had been cancelled, and their exceptions are lost.
    ~basic_task_group() {
        if (pending_.load(std::memory_order_relaxed)) cancel(), finish();
    }

    // Throws std::logic_error in a thread that is no worker.
    template <class Body>
    void run(Body&& body) {
        worker* const here = worker::current();
        if (!here) throw std::logic_error("croft::task_group: run() outside of task_scheduler::run()");
        if (cancelled()) return;
        auto made = std::make_unique<member<std::decay_t<Body>>>(*this, std::forward<Body>(body));
        // Relaxed: the thread that sets it is waited for, or is the one that asks.
        if (!pending_.load(std::memory_order_relaxed)) pending_.store(true, std::memory_order_relaxed);
        if (here != here_ || !at_own_level()) return run_elsewhere(std::move(made), *here);
        unfinished_ += 1;
        here->spawn(*made.release(), unfinished_);  // whoever runs it takes it back
        remember_level();
    }

    // Returns when all tasks have ended; false if the group was cancelled. It can be used again afterwards, unless a
    // stop was requested.
    bool wait() {
        finish();
        const bool complete = !cancelled();
        cancelled_.store(false, std::memory_order_relaxed);
        failure_.rethrow();
        return complete;
    }

    void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
    // Relaxed: it only saves work; data go with the joins.
    bool cancelled() const {
        return cancelled_.load(std::memory_order_relaxed) || stop_.stop_requested() || (outer_ && outer_->cancelled());
    }

private:
    template <class Body>
    struct member : work {
        template <class From>
        member(basic_task_group& of, From&& from) : work{&run_it}, group(of), body(std::forward<From>(from)) {}

        static void run_it(work& what, worker& here, worker& owner) {
            std::unique_ptr<member> self(&static_cast<member&>(what));
            basic_task_group& group = self->group;
            self->call(here);
            self.reset();  // what it has captured may be gone once it has been counted
            worker::child_finished(group.unfinished_, here, owner);
        }
        static void run_posted(work& what, worker& here, worker&) {
            std::unique_ptr<member> self(&static_cast<member&>(what));
            basic_task_group& group = self->group;
            worker& waiting = *group.here_;
            self->call(here);
            self.reset();
            worker::posted_child_finished(group.unfinished_, waiting);
        }
        void call(worker& here) {
            auto* const outer = std::exchange(here.running, nullptr);
            try {
                if (!group.cancelled()) body();
            } catch (...) {
                group.failure_.keep_current();
                group.cancel();
            }
            here.running = outer;
        }
        basic_task_group& group;
        Body body;
    };

    template <class Member>
    void run_elsewhere(std::unique_ptr<Member> made, worker& here) {
        if constexpr (requires { here.spawn_elsewhere(*made, unfinished_); })
            if (&here.all() == &here_->all()) {
                made->run = &Member::run_posted;
                if (here.spawn_elsewhere(*made, unfinished_)) return void(made.release());
            }
        made->call(here);
    }

    // Whether here_ is where it was when the group was made, or when it ran its last own task. A callable of a pattern
    // is elsewhere: it spawns and joins a task above the group's. So is a task that it runs while it waits. If here_ is
    // there, the newest of its tasks is the group's last, where it was put, or the one below the group's.
    bool at_own_level() const {
        if constexpr (requires { here_->newest(); })
            return !waits_ && here_->mark() == level_ && here_->newest() == newest_;
        else
            return true;  // a run-time that joins its tasks in any order
    }
    void remember_level() {
        if constexpr (requires { here_->newest(); }) {
            level_ = here_->mark();
            newest_ = here_->newest();
        }
    }
    void finish() {
        port::check_use(worker::current() == here_,
                        "croft::task_group: wait() by another worker than the one that made it");
        waits_ = true;
        here_->wait(unfinished_, mark_);
        waits_ = false;
        pending_.store(false, std::memory_order_relaxed);
        remember_level();
    }

    worker* const here_;
    typename worker::mark_type mark_;
    typename worker::mark_type level_{};
    const work* newest_ = nullptr;
    bool waits_ = false;
    const basic_task_group* outer_ = nullptr;
    std::stop_token stop_;
    typename Runtime::join_count unfinished_;
    std::atomic<bool> cancelled_{false};
    failure failure_;
    std::atomic<bool> pending_{false};
};

}  // namespace detail

using task_group = detail::basic_task_group<>;

}  // namespace croft
