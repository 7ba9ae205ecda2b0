#pragma once
// Measures a fork-join program as a graph of strands, stretches of instructions without a spawn or a wait. It counts
// all instructions (work), and those on the longest way through the graph (span). No machine can be faster than the
// span, however many cores it has. Work / span is how many could be busy on average. (He, Leiserson and Leiserson, "The
// Cilkview scalability analyzer", SPAA 2010.)
//
// For a program that runs on one worker, every child at its spawn. The instructions of this file are not counted.

#include <croft/port/port.hpp>

#if defined(CROFT_MANY_CORE)

#include <algorithm>
#include <cstdint>

namespace croft::analysis {

class dag_meter {
public:
    struct totals {
        std::uint64_t work = 0, span = 0;  // instructions
        std::uint64_t spawns = 0, syncs = 0;
    };

    // Inline, all three, and the counter is the first that end_strand reads: so that a strand is the program's alone.
    [[gnu::always_inline]] void begin_strand() { port::store_instructions(began_); }
    [[gnu::always_inline]] void end_strand() {
        const std::uint64_t length = port::instructions() - began_ - port::instructions_of_store;
        so_far_.work += length;
        so_far_.span += length;
    }

    // Between strands: how far the way is to here.
    std::uint64_t here() const { return so_far_.span; }
    // The next strand begins there.
    void go_back(std::uint64_t fork) {
        ++so_far_.spawns;
        so_far_.span = fork;
    }
    // The next strand begins when all have come: the waiter, and the latest of those it waits for.
    void join(std::uint64_t latest) {
        ++so_far_.syncs;
        so_far_.span = std::max(so_far_.span, latest);
    }

    const totals& so_far() const { return so_far_; }
    void reset() { so_far_ = {}; }

private:
    std::uint64_t began_ = 0;
    totals so_far_;
};

}  // namespace croft::analysis

#endif
