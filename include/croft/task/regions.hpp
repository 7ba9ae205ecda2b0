#pragma once
// Where the callers of one scheduler work. Each thread that calls run() has a *region* of its own as long as it does: a
// crew, of which it is worker 0, and thread i of the scheduler's is worker i whenever it helps there. Tasks stay in
// their region. So several callers are served at once, and who waits in a region runs nothing but its tasks: a thread
// that waits for a short loop is never kept by another's long task, and may hold what only others need.
//
// A thread that is in no region looks for work in all of them that are open, and sleeps if there is none
// (idle_workers.hpp).

#include <atomic>
#include <chrono>
#include <cstddef>
#include <utility>

#include <croft/port/port.hpp>
#include <croft/task/crew.hpp>
#include <croft/task/idle_workers.hpp>
#include <croft/task/region_list.hpp>

namespace croft::detail {

template <class Worker>
class regions {
public:
    using crew_type = crew<Worker>;

    // `spin`: how long who finds no work looks for some before it sleeps.
    regions(std::size_t workers, std::chrono::nanoseconds spin)
        : workers_(workers), spin_(spin), idle_(workers), first_(workers, spin, idle_) {}
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

    // By thread `i`, from 1 on, until end().
    void work_as(std::size_t i) {
        region* nearest = &first_;  // where it was of use last
        while (!ends()) {
            if (help_anywhere(i, nearest) || look_around(i, nearest)) continue;
            idle_.sleep(i, [this, i] { return ends() || work_is_offered_to(i); });
        }
        Worker::set_current(nullptr);
    }
    // All threads go home; called when no region is open.
    void end() {
        ending_.store(true, std::memory_order_release);
        port::light_fence();
        idle_.wake_all();
    }

    template <class Use>
    void for_each_worker(Use use) const {
        for (const region* each = &first_; each; each = list_.after(*each))
            for (std::size_t i = 0; i < workers_; ++i) use(each->all[i]);
    }

private:
    struct region : listed_region<region> {
        region(std::size_t workers, std::chrono::nanoseconds spin, idle_workers& idle) : all(workers, spin, &idle) {}
        crew_type all;
    };

    bool ends() const { return ending_.load(std::memory_order_acquire); }
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
    bool look_around(std::size_t i, region*& nearest) {
        if (spin_.count() <= 0) return false;
        const auto end = std::chrono::steady_clock::now() + spin_;
        do {
            for (int looks = 0; looks < 16; ++looks) {
                if (ends() || help_anywhere(i, nearest)) return true;
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
    std::atomic<bool> ending_{false};
    region first_;
    region_list<region> list_{first_};
};

}  // namespace croft::detail
