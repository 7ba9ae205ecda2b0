#pragma once
// What all parallel loops share: options, the size of chunks, how they stop, and whose threads run them.

#include <algorithm>
#include <atomic>
#include <cstddef>

#include <croft/port/count_option.hpp>
#include <croft/task/scheduler.hpp>

namespace croft {

struct loop_options {
    // The most steps between two looks whether others want part of the rest; at least so many stay together. 0: chosen
    // by the length of the loop, for steps that take about the same time.
    count_option grain = 0;
};

namespace detail {

// A look costs as much as a step that does nothing; 2048 steps make it vanish. In a short loop a worker's share is at
// least 32 chunks, so that at its end nobody waits long for another's last one. One more, that is asked for, can be
// added to the steps of any loop (a run-time's own).
inline std::size_t grain_of(const loop_options& options, std::size_t steps, std::size_t workers) {
    if (options.grain) return std::min<std::size_t>(options.grain, std::size_t{1} << (8 * sizeof(std::size_t) - 2));
    return std::clamp<std::size_t>(steps / (32 * workers), 1, 2048);
}

// Among how many workers loops divide their steps.
template <class Runtime>
std::size_t workers_of() {
    if constexpr (requires { Runtime::assumed_workers; })
        return Runtime::assumed_workers;
    else
        return Runtime::worker::current()->all().size();
}

// Set by the first that throws: the others stop at their next chunk.
class loop_stop {
public:
    // Relaxed: carries nothing; the exception comes through the joins.
    bool requested() const { return stop_.load(std::memory_order_relaxed); }
    void request() { stop_.store(true, std::memory_order_relaxed); }

private:
    std::atomic<bool> stop_{false};
};

// Calls `action` as a worker: of the scheduler that the caller is in, or else of the common one.
template <class Runtime, class Action>
void as_worker(Action action) {
    if (Runtime::worker::current())
        action();
    else
        basic_task_scheduler<Runtime>::common().run(action);
}

}  // namespace detail
}  // namespace croft
