#pragma once
// What a map is asked for, and what its roles are told.

#include <cstddef>
#include <vector>

#include <croft/port/port.hpp>

namespace croft {

// How an item comes from the emitter to the workers.
enum class distribution {
    tree,   // to the first, and from each worker to two others at most: log N steps, done by the workers (001, V.B)
    linear  // the emitter sends to each: N messages, one after the other
};

// Who emits and collects.
enum class map_roles {
    automatic,  // `threads` if there is a core for each role, else `caller`
    threads,    // the calling thread emits, the workers and the collector are threads of their own
    caller      // the calling thread emits, is the first worker, and collects, so that N threads do all. It collects
                // when `slots` items are under way: a result may wait until so many more items were emitted
};

// Elements begin ... end - 1.
struct slice {
    std::size_t begin, end;
    std::size_t size() const { return end - begin; }
};

// `count` of `workers` workers from the one numbered `first` on: one worker's share of an item, or that of a whole
// branch of the tree.
struct share {
    std::size_t first = 0, count = 1, workers = 1;

    // This share of n elements; those of all workers together are all n, and differ by one element at most.
    slice of(std::size_t n) const { return {n * first / workers, n * (first + count) / workers}; }
};

// What a result is.
struct map_part {
    std::size_t item;    // the how-many-eth of the stream, from 0; items are complete in their order
    std::size_t worker;  // whose part
    bool last;           // with this one the item's parts are all there
};

// What a worker that returns nothing yields: that its part of the item is done.
struct part_done {};

struct map_options {
    std::size_t workers = 0;  // 0: as many as there are cores; where each role has a core of its own, two fewer
    croft::distribution distribution = croft::distribution::tree;
    std::size_t slots = 0;        // K of every channel; 0: 2 where cores wait on lines, else 64, to be sent in batches
    bool pinned = true;           // false: leave the roles' cores to the operating system
    std::vector<int> cores = {};  // of emitter, each worker, collector (of each worker if the caller is one); empty:
                                  // the first of those allowed, or none pinned if these do not suffice
    map_roles roles = map_roles::automatic;
};

}  // namespace croft
