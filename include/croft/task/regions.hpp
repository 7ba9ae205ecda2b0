#pragma once
// Where the callers of one scheduler work. Each thread that calls run() has a *region* of its own as long as it does. A
// region is a crew. The caller is its worker 0; a thread of the scheduler's is worker i, its number, whenever it helps
// there. Tasks stay in their region. So several callers are served at once, and a thread that waits in a region runs
// nothing but its tasks. A thread that waits for a short loop is never kept by another's long task, and may hold what
// only others need.
//
// A thread that is in no region looks for work in all of them that are open, and sleeps if there is none
// (idle_workers.hpp).
//
// Posted work (detached.hpp) has no caller. A thread in no region takes it before anything else, because nobody else
// will do it. It runs it as a caller does, in a region of its own. So for posts there is one thread more than there are
// numbers of workers. A thread that runs posted work gives its number away meanwhile, and a thread without one takes
// one that is free. So as many threads as the scheduler has workers can all work. At most one idle thread has no
// number, the *spare*. With two, there would be one number more than threads that could have it; it would be free, and
// they would have taken it. The spare sleeps apart, where no ring for a helper is wasted on it. A thread that posts
// wakes it first; if it is awake, the post wakes one of the others.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include <croft/port/port.hpp>
#include <croft/task/crew.hpp>
#include <croft/task/detached.hpp>
#include <croft/task/idle_workers.hpp>
#include <croft/task/region_list.hpp>
#include <croft/task/visit.hpp>
#include <croft/task/worker_numbers.hpp>

namespace croft::detail {

template <class Worker>
class regions {
public:
    using crew_type = crew<Worker>;

    // `spin`: how long who finds no work looks for some before it sleeps.
    regions(std::size_t workers, std::chrono::nanoseconds spin)
        : workers_(workers), spin_(spin), idle_(workers), numbers_(workers), first_(workers, spin, idle_) {}
    ~regions() {
        for (region* each = first_.next.load(std::memory_order_relaxed); each;)
            delete std::exchange(each, each->next.load(std::memory_order_relaxed));
    }
    regions(const regions&) = delete;
    regions& operator=(const regions&) = delete;

    // A region that nobody else is in as worker 0, until close().
    crew_type& open() {
        return list_.take([this] { return new region(workers_, spin_, idle_); }).all;
    }
    void close(crew_type& which) {
        for (region* each = &first_; each; each = list_.after(*each))
            if (&each->all == &which) return list_.give_back(*each);
    }
    bool has(const crew_type& which) const { return which.idle() == &idle_; }

    // By each of the scheduler's threads, until end(): with a number of its own from 1 on, or, by one of them, none.
    void work_as(std::size_t number) {
        region* nearest = &first_;  // where it was of use last
        while (!ends()) {
            if (look(number, nearest) || look_around([&] { return look(number, nearest); })) continue;
            first_.all.process.check();
            if (number != worker_numbers::none)
                idle_.sleep(number, [&] { return ends() || posted_.has_work() || work_is_offered_to(number); });
            else
                spare_.sleep(0, [this] { return ends() || posted_.has_work() || numbers_.any(); });
        }
        Worker::set_current(nullptr);
    }
    // By anybody. Somebody wakes for it: it is stored, and behind a light fence a sleeper is looked for, as in
    // sleep.md.
    void post(detached& what) noexcept {
        posted_.push(what);
        port::light_fence();
        if (!spare_.wake_one(0)) idle_.wake_one(1);
    }
    // All threads go home; called when no region is open.
    void end() {
        ending_.store(true, std::memory_order_release);
        port::light_fence();
        idle_.wake_all();
        spare_.wake_all();
    }

    // Whether somebody has called, and has not gone, or something waits that was posted.
    bool is_used() const {
        for (const region* each = &first_; each; each = list_.after(*each))
            if (each->is_open()) return true;
        return posted_.has_work();
    }
    // Once the threads have ended.
    task_counts counted() const {
        task_counts all;
        for (const region* each = &first_; each; each = list_.after(*each)) all += each->all.counted();
        return all;
    }

private:
    struct region : listed_region<region> {
        region(std::size_t workers, std::chrono::nanoseconds spin, idle_workers& idle) : all(workers, spin, &idle) {}
        crew_type all;
    };

    bool ends() const { return ending_.load(std::memory_order_acquire); }
    bool look(std::size_t& number, region*& nearest) {
        if (detached* const what = posted_.take()) {
            give_away(number);
            run(*what);
            return true;
        }
        if (number == worker_numbers::none) number = numbers_.take();
        return number != worker_numbers::none && help_anywhere(number, nearest);
    }
    void give_away(std::size_t& number) {
        if (number == worker_numbers::none) return;
        numbers_.give(std::exchange(number, worker_numbers::none));
        port::light_fence();
        spare_.wake_one(0);
    }
    void run(detached& what) {
        std::optional<visit<regions, Worker>> as_caller;
        try {
            as_caller.emplace(*this);
        } catch (const std::bad_alloc&) {
            Worker::set_current(nullptr);  // then it runs as outside of any scheduler: it must not be lost
        }
        what.run();
    }
    // From the region on where it found something last, so that its data are near; all others come in turn.
    bool help_anywhere(std::size_t i, region*& nearest) {
        region* const begin = nearest;
        region* each = begin;
        do {
            if (each->is_open() && each->all[i].help()) {
                nearest = each;
                return true;
            }
            each = list_.after(*each);
            if (!each) each = &first_;
        } while (each != begin);
        return false;
    }
    // For the bounded time of the spin.
    template <class Look>
    bool look_around(Look look_once) {
        if (spin_.count() <= 0) return false;
        const auto end = std::chrono::steady_clock::now() + spin_;
        do {
            for (int looks = 0; looks < 16; ++looks) {
                if (ends() || look_once()) return true;
                port::pause();
            }
        } while (std::chrono::steady_clock::now() < end);
        return false;
    }
    // Behind the heavy fence of one that falls asleep.
    bool work_is_offered_to(std::size_t i) {
        for (region* each = &first_; each; each = list_.after(*each))
            if (each->is_open() && each->all.offers_work_to(i)) return true;
        return false;
    }

    const std::size_t workers_;
    const std::chrono::nanoseconds spin_;
    idle_workers idle_;
    idle_workers spare_{1};
    detached_queue posted_;
    worker_numbers numbers_;
    std::atomic<bool> ending_{false};
    region first_;
    region_list<region> list_{first_};
};

}  // namespace croft::detail
