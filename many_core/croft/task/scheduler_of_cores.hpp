#pragma once
// The scheduler on a many-core (scheduler.hpp): its threads are its own, one to a core, in one region (one_region.hpp).
//
// (What these programs are compiled to, unused members included, is to stay what it is: their cycles are published.)

#include <chrono>
#include <concepts>
#include <cstddef>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/port/port.hpp>
#include <croft/task/crew.hpp>
#include <croft/task/one_region.hpp>
#include <croft/task/task.hpp>
#include <croft/task/task_scheduler_options.hpp>
#include <croft/task/visit.hpp>

namespace croft::detail {

template <class Runtime>
class basic_task_scheduler;

template <class Runtime>
    requires(port::waits_on_lines)
class basic_task_scheduler<Runtime> {
    using worker = typename Runtime::worker;
    using regions = one_region<worker>;

public:
    using options = task_scheduler_options;

    explicit basic_task_scheduler(options chosen = {})
        : options_(checked<Runtime>(std::move(chosen))),
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
    static basic_task_scheduler& common() {
        static basic_task_scheduler one;
        return one;
    }

private:
    template <class Root>
    std::invoke_result_t<Root&> run_in_region(Root& root) {
        const visit<regions, worker> as_worker(regions_);
        return root();
    }
    void work_as(std::size_t i) {
        if (options_.pinned) port::pin_this_thread(options_.cores[i]);
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

}  // namespace croft::detail
