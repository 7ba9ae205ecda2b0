#pragma once
// The workers that run tasks. A thread that calls run() is one of them while it does, the others are threads of the
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

#include <croft/port/misuse.hpp>
#include <croft/port/port.hpp>
#include <croft/task/crew.hpp>
#include <croft/task/default_runtime.hpp>
#include <croft/task/detached.hpp>
#include <croft/task/one_region.hpp>
#include <croft/task/regions.hpp>
#include <croft/task/task.hpp>
#include <croft/task/visit.hpp>

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
    // The scheduler's threads are called croft-worker-1, -2, ...: this, and the worker's number. (Linux shows 15
    // characters. The caller, worker 0, keeps its name.)
    std::string name = "croft-worker";
    // Called by each of the scheduler's threads, with its worker's number, before it does anything else, and when it
    // ends. What they throw ends the program. Not called for threads that call run(). (0 is the number of the one more
    // that there is for posts.)
    std::function<void(std::size_t)> at_start = {}, at_stop = {};
};

template <class Runtime = default_task_runtime>
class basic_task_scheduler {
    using worker = typename Runtime::worker;
    using regions = std::conditional_t<port::waits_on_lines, detail::one_region<worker>, detail::regions<worker>>;

public:
    using options = task_scheduler_options;

    // Throws std::invalid_argument if the number of cores named is not that of the workers, and std::system_error if a
    // thread cannot be started.
    explicit basic_task_scheduler(options chosen = {})
        : options_(checked(std::move(chosen))),
          regions_(options_.workers,
                   options_.workers > port::core_count() ? std::chrono::nanoseconds{0} : options_.spin) {
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

    // Calls `root` with all threads ready to help; its value, or what it throws, is this call's. Several threads may
    // call it at once: each is a worker beside the scheduler's threads then, and runs only what its own root spawns.
    // (On a simulated machine one is served at a time.) Inside of a task of this scheduler it is a plain call.
    template <class Root>
        requires std::invocable<Root&>
    std::invoke_result_t<Root&> run(Root&& root) {
        worker* const before = worker::current();
        if (before && regions_.has(before->all())) return root();
        return run_in_region(root);
    }
    void run(basic_task<Runtime>& root) {
        run([&root] { root.execute_here(*worker::current()); });
    }
    // The same, but inside of a task, too, `root` is by itself: while this thread waits in it, it runs nothing but what
    // `root` spawned. So `root` may hold a lock that other tasks want, as long as its own do not. (Not on a
    // simulated machine.)
    template <class Root>
        requires std::invocable<Root&> && (!port::waits_on_lines)
    std::invoke_result_t<Root&> run_isolated(Root&& root) {
        return run_in_region(root);
    }

    // From now on things may be posted: the scheduler has one thread more, the worker 0 of what has no caller. Once;
    // other calls do nothing. Throws std::system_error if it cannot be started.
    void begin_posts()
        requires(!port::waits_on_lines)
    {
        std::call_once(posts_, [this] { spare_ = std::thread([this] { work_as(0); }); });
    }
    // One of the scheduler's threads runs `what`, by itself, as if it had called run(); this returns at once. By any
    // thread, since begin_posts(). What was posted first begins first. What has not begun when the scheduler ends never
    // does; who posts has to have returned by then.
    void post(detached& what) noexcept
        requires(!port::waits_on_lines)
    {
        port::check_use(spare_.joinable(), "croft::task_scheduler: post() before begin_posts()");
        regions_.post(what);
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
    std::invoke_result_t<Root&> run_in_region(Root& root) {
        const detail::visit<regions, worker> as_worker(regions_);
        return root();
    }
    void work_as(std::size_t i) {
        if (options_.pinned) port::pin_this_thread(options_.cores[i]);
        if constexpr (!port::waits_on_lines) port::name_this_thread((options_.name + "-" + std::to_string(i)).c_str());
        if (options_.at_start) options_.at_start(i);
        regions_.work_as(i);
        if (options_.at_stop) options_.at_stop(i);
    }
    // Once the threads have ended: joining them shows what they have written.
    task_counts counted() const {
        task_counts all;
        regions_.for_each_worker([&all](const worker& each) {
            all.spawned += each.counts.spawned;
            all.stolen += each.counts.stolen;
        });
        return all;
    }
    void end() {
        regions_.end();
        for (std::thread& thread : threads_) thread.join();
        if (spare_.joinable()) spare_.join();
    }

    options options_;
    regions regions_;
    std::vector<std::thread> threads_;
    std::once_flag posts_;
    std::thread spare_;
};

using task_scheduler = basic_task_scheduler<>;

#if defined(CROFT_COMPILED)
extern template class basic_task_scheduler<default_task_runtime>;
#endif

}  // namespace croft
