#pragma once
// The options of a farm.

#include <cstddef>

#include <croft/port/count_option.hpp>

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
    count_option workers = 0;  // 0: one for each thread, or, with more than eight of them, for all but emitters and
                               // collectors
    croft::schedule schedule = schedule::on_demand;
    bool ordered = false;    // results leave in the order in which the items came
    count_option slots = 0;  // K of each channel; 0: as the run has it
    // Where one is the bottleneck: so many, each with a thread and a share of the workers. Worker i is the one's of
    // number i modulo so many. 0: one; but of a source that takes numbers (role.hpp), where cores are many, one for
    // every 20 workers.
    count_option emitters = 0;
    count_option collectors = 0;
};

// In place of a function that chooses an item's worker: any.
struct no_choice {};

// In its place as well: an item is more urgent the greater `of(const Item&)`, an int, is. At most `room` items wait at
// the emitter. The next that a worker gets is the most urgent of them, and of equally urgent ones the one that came
// first. Nothing overtakes an item that has been given to a worker. A worker has the item that it works on. On another
// thread than the emitter's, it also has as many as its channel has other slots (options.slots, 2 if that is 0, so
// one). While urgent items fill all workers others wait, for ever if need be. When the room is full, the thread that
// makes items waits, and the urgent one behind it too.
template <class Of>
struct priority {
    Of of;
    std::size_t room = 64;
};
template <class Of>
priority(Of, std::size_t = 0) -> priority<Of>;

// The place of a result, for a numbered collector.
struct farm_part {
    std::size_t task;       // the how-many-eth of the stream, from 0 (modulo 2^32)
    std::size_t collector;  // which of them is called
};

}  // namespace croft
