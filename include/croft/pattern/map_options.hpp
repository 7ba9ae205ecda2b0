#pragma once
// The options of a map, and the values that its roles are told.

#include <cstddef>

#include <croft/port/count_option.hpp>

namespace croft {

// How an item comes to the workers.
enum class distribution {
    tree,   // to the first, and from each worker to two others at most: log N steps, done by the workers (001, V.B)
    linear  // the first worker, or, of parts, the source, sends to each: N messages, one after the other
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

// The place of a result.
struct map_part {
    std::size_t item;    // the how-many-eth of the stream, from 0 (on a simulated machine modulo 2^32); items are
                         // complete in their order
    std::size_t worker;  // whose part
    bool last;           // with this one the item's parts are all there
};

// The result of a worker that returns nothing: its part of the item is done.
struct part_done {};

struct map_options {
    count_option workers = 0;  // 0: one for each thread, or, with more than eight of them, and a sink that takes parts,
                               // for all but source and sink
    croft::distribution distribution = croft::distribution::tree;
    count_option slots = 0;  // K of each channel, and how many items are under way; 0: as the run has it, at most eight
};

}  // namespace croft
