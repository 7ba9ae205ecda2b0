#pragma once
// What a farm is asked for.

#include <cstddef>
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
    std::size_t workers = 0;  // 0: one for every core but two, at least one
    croft::schedule schedule = schedule::on_demand;
    bool ordered = false;         // results reach the collector in the order of emission
    std::size_t slots = 2;        // K of every channel; 2 lets a worker work while one is filled
    bool pinned = true;           // false: leave the roles' cores to the operating system
    std::vector<int> cores = {};  // of emitter, each worker, collector; empty: 0, 1 ... N, N + 1 of
                                  // those allowed, or none pinned if these do not suffice
};

namespace detail {

inline std::size_t worker_count(const farm_options& options) {
    if (options.workers) return options.workers;
    const std::size_t cores = port::core_count();
    return cores > 3 ? cores - 2 : 1;
}

}  // namespace detail
}  // namespace croft
