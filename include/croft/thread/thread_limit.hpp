#pragma once
// At most so many threads for the loops, tasks and patterns of this process, in all libraries that it is made of.
//
//     const croft::thread_limit four(4);   // as long as it lives; the calling thread is one of the four
//
// A run, a scheduler or an accelerator that begins under it has no more threads, also if its options name more. Runs
// and accelerators of no named number that are at work at the same time share the limit as they share cores
// (core_share.hpp). If there are several limits, the least holds. They may end in any order.
//
// Patterns and schedulers that have their threads already keep them. So make a limit, and end it, while nobody uses
// croft: then the scheduler of those who call loops outside of any follows it, too. An accelerator has one thread in
// any case, and so has submit().
//
// On a simulated machine it does nothing.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <vector>

#include <croft/port/count_option.hpp>
#include <croft/port/never_destroyed.hpp>
#include <croft/port/port.hpp>
#include <croft/thread/forks.hpp>
#include <croft/thread/keeps_threads.hpp>

namespace croft {

class thread_limit {
public:
    // Throws std::invalid_argument if it is 0 or negative.
    explicit thread_limit(count_option threads) : threads_(threads) {
        if (threads_ == 0)
            throw std::invalid_argument(
                "croft::thread_limit: no threads, but the calling thread works in any case; give it 1 or more");
        change([this](std::vector<std::size_t>& all) { all.push_back(threads_); });
    }
    ~thread_limit() {
        change([this](std::vector<std::size_t>& all) { all.erase(std::find(all.begin(), all.end(), threads_)); });
    }
    thread_limit(const thread_limit&) = delete;
    thread_limit& operator=(const thread_limit&) = delete;

    // The least of those that hold now; SIZE_MAX if there is none. Relaxed: nothing else goes with it.
    static std::size_t now() { return port::waits_on_lines ? SIZE_MAX : least_.load(std::memory_order_relaxed); }

private:
    // Their numbers, and not where they are. They still hold in the child of a fork, where some would lie on stacks
    // that are no more.
    struct limits {
        detail::process_mutex lock;
        std::vector<std::size_t> all;
    };
    static limits& here() {
        static port::never_destroyed<limits> one;
        return one.get();
    }
    template <class Change>
    static void change(Change how) {
        {
            const std::lock_guard guard(here().lock);
            std::vector<std::size_t>& all = here().all;
            how(all);
            least_.store(all.empty() ? SIZE_MAX : *std::min_element(all.begin(), all.end()), std::memory_order_relaxed);
        }
        detail::keeps_threads::all_give_back();
    }

    inline static constinit std::atomic<std::size_t> least_{SIZE_MAX};
    const std::size_t threads_;
};

}  // namespace croft
