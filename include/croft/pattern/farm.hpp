#pragma once
// The farm: an emitter makes a stream of tasks, N workers compute on different ones at the same time, a collector takes
// the results (paper 000, 7.2).
//
//     croft::farm farm({.workers = 4, .ordered = true});
//     farm.run([&]() -> std::optional<int> { ... },    // the next task, or nothing at the end
//              [](int task) { return task * task; },    // on any worker
//              [](int result) { ... });                 // one at a time
//
// Each role is a callable in one of two forms (role.hpp): by value, or in place, where it writes straight into the slot
// that travels. With in-place roles the types cannot be deduced and are named: farm.run<Task, Result>(...).
//
// A source that can make any of its tasks by number may be written so that the number is a parameter; then several
// emitters share the work of making them, which on many cores is what a farm of small tasks waits for. A collector that
// takes the result's number, too, may be called by several threads (farm_options.collectors), each of which gets the
// results of its share of the workers, where reading them is what the farm waits for.
// State. Emitter and collector are used where they are (of several, by all of their threads). Every worker
// works with a copy of its own of the callable it is given, made in its thread, so a worker may have state; what it
// captures by reference all workers share. Threads. The calling thread emits; further emitters, workers and
// collectors get threads, which have ended when run() returns. Back-pressure. All channels are bounded: the emitter
// waits for workers, the workers wait for the collector. Exceptions. The first one thrown by any role leaves run() once
// everything has ended; what was under way is dropped.

#include <type_traits>
#include <utility>

#include <croft/pattern/farm_options.hpp>
#include <croft/pattern/farm_run.hpp>
#include <croft/pattern/role.hpp>
#include <croft/pattern/stop_request.hpp>

namespace croft {

template <class Policies = policies>
class basic_farm {
public:
    explicit basic_farm(farm_options options = {}) : options_(std::move(options)) {}

    // Runs the stream to its end. Throws std::system_error if a thread cannot be started, std::invalid_argument for
    // options that contradict each other, and whatever a role throws. One run at a time.
    template <class Task, class Result, class Emitter, class Worker, class Collector>
        requires detail::emitter_of<Emitter, Task> && detail::worker_of<std::decay_t<Worker>, Task, Result> &&
                 detail::collector_of<Collector, Result>
    void run(Emitter&& emitter, Worker&& worker, Collector&& collector) {
        detail::farm_run<Task, Result, Policies> run(options_, stop_, detail::numbered_emitter_of<Emitter, Task>,
                                                     detail::numbered_collector_of<Collector, Result>);
        const detail::reset_after reset(stop_);
        run(emitter, worker, collector);
    }
    // The same with the types that roles by value have.
    template <class Emitter, class Worker, class Collector>
        requires detail::worker_of<std::decay_t<Worker>, detail::emitted<Emitter>, detail::made<Emitter, Worker>>
    void run(Emitter&& emitter, Worker&& worker, Collector&& collector) {
        run<detail::emitted<Emitter>, detail::made<Emitter, Worker>>(
            std::forward<Emitter>(emitter), std::forward<Worker>(worker), std::forward<Collector>(collector));
    }

    // Asks the run to end before its stream does. May be called by any thread, any role included. It takes effect when
    // the emitter would be called next; one that waits for something outside is not interrupted. If no run is in
    // progress, the next one ends before its first task.
    void stop(stop_mode mode = stop_mode::drain) { stop_.request(mode); }

private:
    farm_options options_;
    detail::stop_request stop_;
};

using farm = basic_farm<>;

}  // namespace croft
