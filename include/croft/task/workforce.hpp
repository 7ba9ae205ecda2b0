#pragma once
// A scheduler's native parts: its regions (regions.hpp), and threads, borrowed from the pool (thread_pool.hpp), that
// work there.
//
// In the child of a fork it has no threads, and its regions are in whatever state those threads had left them. So the
// scheduler makes itself another workforce there (scheduler.hpp).

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>

#include <croft/task/regions.hpp>
#include <croft/task/task_scheduler_options.hpp>
#include <croft/thread/borrowed_as.hpp>
#include <croft/thread/forks.hpp>
#include <croft/thread/thread_limit.hpp>
#include <croft/thread/thread_pool.hpp>

namespace croft::detail {

template <class Worker>
class workforce {
    using loan = thread_pool::loan;

public:
    using regions_type = regions<Worker>;

    // `by` stays where it is. Throws std::system_error if it needs all its threads, and one cannot be had.
    workforce(const task_scheduler_options& by, thread_pool::if_fewer threads)
        : options_(by),
          threads_(std::min<std::size_t>(by.workers, thread_limit::now()) - 1, threads),
          regions_(threads_.size() + 1, spin(by)) {
        threads_.start(as_worker_);
    }
    ~workforce() {
        if (!is_of_this_process()) return;
        regions_.end();
        if (spare_) spare_->join();
        threads_.join();
        // Joining them shows what they have written.
        if (options_.counts) *options_.counts = regions_.counted();
    }
    workforce(const workforce&) = delete;
    workforce& operator=(const workforce&) = delete;

    regions_type& work() { return regions_; }
    bool is_of_this_process() const { return process_.still(); }

    // Throws std::system_error if there is no thread for them.
    void begin_posts() {
        std::call_once(posts_, [this] {
            spare_.emplace(1);
            spare_->start(as_spare_);
        });
    }
    bool has_posts() const { return spare_.has_value(); }

    workforce* before = nullptr;  // the workforce of the process that forked ours

private:
    // A day at most: the clock can tell when that is over.
    static std::chrono::nanoseconds spin(const task_scheduler_options& by) {
        if (by.workers > port::core_count()) return std::chrono::nanoseconds{0};
        return std::min<std::chrono::nanoseconds>(by.spin, std::chrono::days{1});
    }

    struct as_worker {
        workforce& all;
        void operator()(std::size_t i) { all.work_as(i + 1); }
    };
    struct as_spare {
        workforce& all;
        void operator()(std::size_t) { all.work_as(0); }
    };
    void work_as(std::size_t number) {
        borrowed_as thread;
        if (options_.pinned && thread.may_be_pinned()) port::pin_this_thread(options_.cores[number]);
        if (!options_.name.empty()) thread.name(options_.name.c_str(), number);
        if (options_.at_start) options_.at_start(number);
        regions_.work_as(number);
        if (options_.at_stop) options_.at_stop(number);
    }

    const task_scheduler_options& options_;
    this_process process_;
    as_worker as_worker_{*this};
    as_spare as_spare_{*this};
    loan threads_;
    regions_type regions_;
    std::once_flag posts_;
    std::optional<loan> spare_;
};

}  // namespace croft::detail
