#pragma once
// The workers that run tasks. A thread that calls run() is one of them while it does. The others are threads that the
// scheduler has borrowed (thread/thread_pool.hpp), which sleep while there is nothing to do.
//
//     croft::task_scheduler scheduler;                       // a worker for each core
//     long sum = scheduler.run([] { return fib(30); });      // fib uses parallel_invoke, parallel_for, ...
//     croft::task_scheduler other({.workers = 3});           // task_scheduler_options.hpp
//
// In the child of a fork a scheduler borrows threads anew when it is used there first. Work that its parent's workers
// had begun, and posts that had not begun there, are the parent's.

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <croft/port/never_destroyed.hpp>
#include <croft/port/port.hpp>
#include <croft/task/default_runtime.hpp>
#include <croft/task/detached.hpp>
#if defined(CROFT_MANY_CORE)
#include <croft/task/scheduler_of_cores.hpp>
#endif
#include <croft/task/task.hpp>
#include <croft/task/task_scheduler_options.hpp>
#include <croft/task/visit.hpp>
#include <croft/task/workforces.hpp>
#include <croft/thread/keeps_threads.hpp>

namespace croft {

namespace detail {

template <class Runtime = default_task_runtime>
class basic_task_scheduler {
    using worker = typename Runtime::worker;
    using workforces = detail::workforces<worker>;

public:
    using options = task_scheduler_options;

    // Throws std::invalid_argument if the number of cores named is not that of the workers, and std::system_error if a
    // thread cannot be had.
    explicit basic_task_scheduler(options chosen = {})
        : options_(checked<Runtime>(std::move(chosen))), workers_(options_) {}
    explicit basic_task_scheduler(std::size_t workers) : basic_task_scheduler(options{.workers = workers}) {}
    basic_task_scheduler(const basic_task_scheduler&) = delete;
    basic_task_scheduler& operator=(const basic_task_scheduler&) = delete;

    // (Where threads cannot be had, or under a thread_limit, common() and a child's do with fewer.)
    std::size_t size() const { return options_.workers; }

    // Calls `root` with all threads ready to help; its value, or what it throws, is this call's. Several threads may
    // call it at once: each is a worker beside the scheduler's threads then, and runs only what its own root spawns.
    // (On a simulated machine one is served at a time.) Inside of a task of this scheduler it is a plain call.
    template <class Root>
        requires std::invocable<Root&>
    std::invoke_result_t<Root&> run(Root&& root) {
        worker* const before = worker::current();
        if (before && workers_.has(before->all())) return root();
        return run_in_region(root);
    }
    void run(basic_task<Runtime>& root) {
        run([&root] { root.execute_here(*worker::current()); });
    }
    // The same, but inside of a task, too, `root` is by itself: while this thread waits in it, it runs nothing but what
    // `root` spawned. So `root` may hold a lock that other tasks want, as long as its own do not. (Not on a
    // simulated machine.)
    template <class Root>
        requires std::invocable<Root&>
    std::invoke_result_t<Root&> run_isolated(Root&& root) {
        return run_in_region(root);
    }

    // From now on callers may post: the scheduler has one thread more, the worker 0 of posts, which have no caller.
    // Once; other calls do nothing. Throws std::system_error if it cannot be had.
    void begin_posts() { workers_.begin_posts(); }
    // One of the scheduler's threads runs `what`, by itself, as if it had called run(); this returns at once. By any
    // thread, since begin_posts(). Posts begin in their order. A post that has not begun when the scheduler ends never
    // does; its caller has to have returned by then.
    void post(detached& what) noexcept { workers_.post(what); }

    // The scheduler of those who call parallel_for and the like outside of any. Natively it begins when it is first
    // used, with as many threads as can be had, the caller alone if there are none. It never ends, so that loops may
    // run in a thread that nobody waits for, and in the destructors of globals.
    static basic_task_scheduler& common() {
        static port::never_destroyed<common_one> one;
        return one.get().scheduler;
    }

private:
    class common_one final : keeps_threads {
    public:
        common_one() { add(); }
        basic_task_scheduler scheduler{when_needed()};

    private:
        bool give_back() override { return scheduler.workers_.give_back(); }
    };
    // (A worker for each core, whoever has some of them at the moment, and whatever limit holds: it borrows threads
    // anew when there is another.)
    using when_needed = typename workforces::when_needed;
    explicit basic_task_scheduler(when_needed when)
        : options_({.workers = port::core_count()}), workers_(options_, when) {}

    template <class Root>
    std::invoke_result_t<Root&> run_in_region(Root& root) {
        const visit<detail::regions<worker>, worker> as_worker(workers_.regions());
        return root();
    }

    options options_;
    workforces workers_;
};

}  // namespace detail

using task_scheduler = detail::basic_task_scheduler<>;

#if defined(CROFT_COMPILED)
extern template class detail::regions<detail::default_task_runtime::worker>;
extern template class detail::workforce<detail::default_task_runtime::worker>;
extern template class detail::workforces<detail::default_task_runtime::worker>;
extern template class detail::basic_task_scheduler<detail::default_task_runtime>;
#endif

}  // namespace croft
