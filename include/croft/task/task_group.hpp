#pragma once
// Any number of tasks to be waited for together, and to be cancelled together.
//
//     croft::task_group group;
//     for (auto& part : parts) group.run([&] { search(part); if (found) group.cancel(); });
//     group.wait();
//
// run() and wait() are for the task that made the group, outside of the callables of a pattern that it has begun
// meanwhile; cancel() and cancelled() are for everybody. A cancelled group drops its tasks that have not begun; those
// that have, run to their end, and may ask cancelled(). A group made with `within` another is cancelled with it.
//
// If a task throws, the group is cancelled, and wait() throws the first exception, once none is running any more.

#include <atomic>
#include <exception>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <croft/task/default_runtime.hpp>
#include <croft/task/failure.hpp>
#include <croft/task/scheduler.hpp>

namespace croft {

template <class Runtime = default_task_runtime>
class basic_task_group {
    using worker = typename Runtime::worker;
    using work = typename Runtime::work;

public:
    // Throws std::logic_error outside of a scheduler's run().
    basic_task_group() : here_(worker::current()) {
        if (!here_) throw std::logic_error("croft::task_group: made outside of task_scheduler::run()");
        mark_ = here_->mark();
        unfinished_ = 0;
    }
    explicit basic_task_group(const basic_task_group& within) : basic_task_group() { outer_ = &within; }
    basic_task_group& operator=(const basic_task_group&) = delete;
    // Without a wait() before, the tasks are dropped as if it had been cancelled, and what they throw is lost.
    ~basic_task_group() {
        if (pending_) cancel(), finish();
    }

    // Throws std::logic_error in another task than the one that made the group, if that is noticed: on another worker.
    template <class Body>
    void run(Body&& body) {
        if (worker::current() != here_)
            throw std::logic_error("croft::task_group: run() by another worker than the one that made the group");
        if (cancelled()) return;
        auto made = std::make_unique<member<std::decay_t<Body>>>(*this, std::forward<Body>(body));
        unfinished_ += 1;
        pending_ = true;
        here_->spawn(*made.release(), unfinished_);  // whoever runs it takes it back
    }

    // Returns when all tasks have ended; false if the group was cancelled. It can be used again afterwards.
    bool wait() {
        finish();
        const bool complete = !cancelled();
        cancelled_.store(false, std::memory_order_relaxed);
        failure_.rethrow();
        return complete;
    }

    void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
    // Relaxed: it only saves work; data go with the joins.
    bool cancelled() const { return cancelled_.load(std::memory_order_relaxed) || (outer_ && outer_->cancelled()); }

private:
    template <class Body>
    struct member : work {
        template <class From>
        member(basic_task_group& of, From&& from) : work{&run_it}, group(of), body(std::forward<From>(from)) {}

        static void run_it(work& what, worker& here, worker& owner) {
            std::unique_ptr<member> self(&static_cast<member&>(what));
            basic_task_group& group = self->group;
            auto* const outer = std::exchange(here.running, nullptr);
            try {
                if (!group.cancelled()) self->body();
            } catch (...) {
                group.failure_.keep_current();
                group.cancel();
            }
            here.running = outer;
            self.reset();  // what it has captured may be gone once it has been counted
            worker::child_finished(group.unfinished_, here, owner);
        }
        basic_task_group& group;
        Body body;
    };

    void finish() {
        here_->wait(unfinished_, mark_);
        pending_ = false;
    }

    worker* const here_;
    typename worker::mark_type mark_;
    const basic_task_group* outer_ = nullptr;
    typename Runtime::join_count unfinished_;
    std::atomic<bool> cancelled_{false};
    detail::failure failure_;
    bool pending_ = false;
};

using task_group = basic_task_group<>;

}  // namespace croft
