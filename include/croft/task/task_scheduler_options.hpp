#pragma once
// How a task scheduler is to be (scheduler.hpp).

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <croft/port/count_option.hpp>
#include <croft/port/port.hpp>
#include <croft/task/crew.hpp>
#include <croft/thread/core_share.hpp>
#include <croft/thread/thread_limit.hpp>

namespace croft {

struct task_scheduler_options {
    // The calling thread included. 0: one for each core that this thread may use, and that no run or accelerator has at
    // the moment.
    count_option workers = 0;
    // Each worker on a core of its own, or where the operating system likes, which natively knows better what else
    // runs.
    bool pinned = port::waits_on_lines;
    std::vector<int> cores = {};  // if pinned: whose; none: the first that are allowed. cores[0] is the caller's
    // How long an idle worker looks for work before it sleeps. Not at all if there are more workers than cores.
    std::chrono::nanoseconds spin{50'000};
    detail::task_counts* counts = nullptr;  // set by the scheduler's destructor
    // Natively the scheduler's threads are borrowed (thread/thread_pool.hpp), and called what they are called there,
    // croft-worker-7 say. With a name here they are called that and the worker's number, NAME-1, -2, ..., as long as
    // they are this scheduler's. (Linux shows 15 characters. The caller, worker 0, keeps its name.)
    std::string name = port::waits_on_lines ? "croft-worker" : "";
    // Each thread that comes to work for this scheduler calls them with its worker's number, before it does anything
    // else, and when it leaves. (The pool's hooks are called when a thread begins and ends.) If one throws, the program
    // ends. Threads that call run() do not call them. (The one more thread that there is for posts has number 0.)
    std::function<void(std::size_t)> at_start = {}, at_stop = {};
};

namespace detail {

template <class Runtime>
task_scheduler_options checked(task_scheduler_options chosen) {
    if (chosen.workers == 0) chosen.workers = chosen.cores.empty() ? core_share::left() : chosen.cores.size();
    if (!chosen.cores.empty() && chosen.cores.size() != chosen.workers)
        throw std::invalid_argument("croft::task_scheduler: " + std::to_string(chosen.cores.size()) +
                                    " cores were named for " + std::to_string(chosen.workers) + " workers");
    if constexpr (!port::waits_on_lines) chosen.workers = std::min<std::size_t>(chosen.workers, thread_limit::now());
    if (chosen.pinned && chosen.cores.empty()) chosen.cores = port::allowed_cores();
    if (chosen.cores.size() < chosen.workers) chosen.pinned = false;
    return chosen;
}

}  // namespace detail
}  // namespace croft
