#pragma once
// The workers that run tasks. The thread that calls run() is one of them while it does, the others are threads of the
// scheduler's own, which sleep while there is nothing to do.
//
//     croft::task_scheduler scheduler;                       // a worker for each core
//     long sum = scheduler.run([] { return fib(30); });      // fib uses parallel_invoke, parallel_for, ...

#include <chrono>
#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/port/port.hpp>
#include <croft/task/crew.hpp>
#include <croft/task/default_runtime.hpp>
#include <croft/task/task.hpp>

namespace croft {

struct task_scheduler_options {
    std::size_t workers = 0;  // the calling thread included; 0: one for each core that this thread may use
    // Each worker on a core of its own, or where the operating system likes, which natively knows better what else
    // runs.
    bool pinned = port::waits_on_lines;
    std::vector<int> cores = {};  // if pinned: whose; none: the first that are allowed. cores[0] is the caller's
    // How long an idle worker looks for work before it sleeps. Not at all if there are more workers than cores.
    std::chrono::nanoseconds spin{50'000};
    task_counts* counts = nullptr;  // set by the scheduler's destructor
};

template <class Runtime = default_task_runtime>
class basic_task_scheduler {
    using worker = typename Runtime::worker;

public:
    using options = task_scheduler_options;

    // Throws std::invalid_argument if the number of cores named is not that of the workers, and std::system_error if a
    // thread cannot be started.
    explicit basic_task_scheduler(options chosen = {})
        : options_(checked(std::move(chosen))),
          crew_(options_.workers, options_.workers > port::core_count() ? std::chrono::nanoseconds{0} : options_.spin) {
        try {
            for (std::size_t i = 1; i < size(); ++i) threads_.emplace_back([this, i] { work_as(i); });
        } catch (const std::system_error& error) {
            end();
            throw std::system_error(error.code(), "croft::task_scheduler: of " + std::to_string(size() - 1) +
                                                      " threads " + std::to_string(threads_.size()) +
                                                      " could be started");
        }
    }
    explicit basic_task_scheduler(std::size_t workers) : basic_task_scheduler(options{.workers = workers}) {}
    ~basic_task_scheduler() {
        end();
        if (options_.counts) *options_.counts = counted();
    }
    basic_task_scheduler(const basic_task_scheduler&) = delete;
    basic_task_scheduler& operator=(const basic_task_scheduler&) = delete;

    std::size_t size() const { return options_.workers; }

    // Calls `root` with all workers ready to help; its value, or what it throws, is this call's. Several threads may
    // call it, one is served at a time. Inside of a task of this scheduler it is a plain call.
    template <class Root>
        requires std::invocable<Root&>
    std::invoke_result_t<Root&> run(Root&& root) {
        return run_callable(root);
    }
    void run(basic_task<Runtime>& root) {
        run([&root] { root.execute_here(*worker::current()); });
    }

    // The scheduler of those who call parallel_for and the like outside of any; made when first asked for.
    static basic_task_scheduler& common() {
        static basic_task_scheduler one;
        return one;
    }

private:
    static options checked(options chosen) {
        if (chosen.workers == 0) chosen.workers = chosen.cores.empty() ? port::core_count() : chosen.cores.size();
        if (!chosen.cores.empty() && chosen.cores.size() != chosen.workers)
            throw std::invalid_argument("croft::task_scheduler: " + std::to_string(chosen.cores.size()) +
                                        " cores were named for " + std::to_string(chosen.workers) + " workers");
        if (chosen.pinned && chosen.cores.empty()) chosen.cores = port::allowed_cores();
        if (chosen.cores.size() < chosen.workers) chosen.pinned = false;
        return chosen;
    }
    template <class Root>
    std::invoke_result_t<Root&> run_callable(Root& root) {
        worker* const before = worker::current();
        if (before && &before->all() == &crew_) return root();
        const std::lock_guard one_at_a_time(root_mutex_);
        struct visit {
            visit(worker& as, worker* was) : here(as), before(was) {
                worker::set_current(&here);
                here.enter();
            }
            ~visit() {
                here.leave();
                worker::set_current(before);
            }
            worker& here;
            worker* before;
        } as_worker(crew_[0], before);
        return root();
    }
    void work_as(std::size_t i) {
        if (options_.pinned) port::pin_this_thread(options_.cores[i]);
        worker::set_current(&crew_[i]);
        crew_[i].enter();
        crew_[i].work_until_end();
        crew_[i].leave();
    }
    // Once the threads have ended: joining them shows what they have written.
    task_counts counted() const {
        task_counts all;
        for (std::size_t i = 0; i < size(); ++i) {
            all.spawned += crew_[i].counts.spawned;
            all.stolen += crew_[i].counts.stolen;
        }
        return all;
    }
    void end() {
        crew_.end();
        for (std::thread& thread : threads_) thread.join();
    }

    options options_;
    detail::crew<worker> crew_;
    std::mutex root_mutex_;
    std::vector<std::thread> threads_;
};

using task_scheduler = basic_task_scheduler<>;

#if defined(CROFT_COMPILED)
extern template class basic_task_scheduler<default_task_runtime>;
#endif

}  // namespace croft
