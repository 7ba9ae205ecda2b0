#pragma once
// What a farm is asked for.

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <croft/port/port.hpp>

namespace croft {

enum class schedule {
    on_demand,   // the next task goes to a worker with a free slot; fair among these. For tasks of unequal size
    round_robin  // task n goes to worker n mod N, waiting for it if need be. No search, for tasks of equal size
};

enum class stop_mode {
    drain,  // no new task is emitted; those under way are finished and collected
    drop    // besides, tasks that no worker has begun are dropped, and so are results not yet collected
};

struct farm_options {
    std::size_t workers = 0;   // 0: one for every core that is left, at least one
    std::size_t emitters = 0;  // of a numbered emitter (role.hpp): each has a share of the workers. 0: where cores are
                               // many, one for every 20 workers; elsewhere, and of any other emitter, one
    std::size_t collectors = 1;  // of a numbered collector (role.hpp): each has a share of the workers
    croft::schedule schedule = schedule::on_demand;
    bool ordered = false;         // results reach the collector in the order of emission
    std::size_t slots = 2;        // K of every channel; 2 lets a worker work while one is filled
    bool pinned = true;           // false: leave the roles' cores to the operating system
    std::vector<int> cores = {};  // of each emitter, worker and collector; empty: the first ones of those allowed, in
                                  // that order, or none pinned if these do not suffice
};

// What a result is, for a numbered collector.
struct farm_part {
    std::size_t task;       // the how-many-eth of the stream, from 0 (modulo 2^32)
    std::size_t collector;  // which of them is called
};

namespace detail {

inline constexpr std::size_t workers_an_emitter = 20;

struct farm_roles {
    std::size_t emitters, workers, collectors;
    std::size_t count() const { return emitters + workers + collectors; }
};

// `numbered`, `numbers_results`: whether the emitter, the collector are. Throws std::invalid_argument.
inline farm_roles roles_of(const farm_options& options, bool numbered, bool numbers_results) {
    if (options.collectors > 1 && options.ordered)
        throw std::invalid_argument("croft::farm: results are in order at one collector, and there are to be " +
                                    std::to_string(options.collectors));
    if (options.collectors > 1 && !numbers_results)
        throw std::invalid_argument(
            "croft::farm: a collector that does not take the result's number cannot be called by " +
            std::to_string(options.collectors) + " threads");
    if (options.emitters > 1 && !numbered)
        throw std::invalid_argument(
            "croft::farm: an emitter that does not take the task's number cannot be called by " +
            std::to_string(options.emitters) + " threads");
    const std::size_t cores = port::core_count();
    const bool many = numbered && port::waits_on_lines;
    std::size_t emitters = options.emitters;
    if (emitters == 0) {
        const std::size_t served = options.workers ? options.workers : cores;
        emitters = many ? (served + workers_an_emitter - 1) / workers_an_emitter : 1;
    }
    const std::size_t collectors = std::max<std::size_t>(1, options.collectors), others = emitters + collectors;
    const std::size_t workers = options.workers ? options.workers : cores > others ? cores - others : 1;
    return {std::min(emitters, workers), workers, std::min(collectors, workers)};
}

}  // namespace detail
}  // namespace croft
