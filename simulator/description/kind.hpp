#pragma once
// The keys of a kind of core with its private caches. A machine of one kind says them at its top. Else each kind has a
// table of its own, named as here. It is so many tiles in a row.

#include "contract/description.hpp"
#include "description/cache.hpp"
#include "description/core.hpp"
#include "description/keys.hpp"
#include "description/out_of_order.hpp"
#include "description/prefetch.hpp"
#include "description/tlb.hpp"

namespace croftsim {

constexpr NamedNumber kind_names[] = {{"big", "Cores of one kind, with their private caches."},
                                      {"tiny", "Cores of another kind."}};

template <class Keys>
void keys(Keys& in, CoreKind& kind) {
    Words<Protocol> names;
    for (const ProtocolTraits& one : protocols()) names.push_back({one.name, one.protocol});
    if (!kind.name.empty()) in.number("count", kind.count, {1, 1024}, "how many; big ones come first");
    in.word(
        "protocol", kind.protocol, names,
        "how their caches keep coherent: under ddc the tiles' L2s are the homes (paper 000, section 4.1), else an L2 "
        "that all share (paper 002, table I)");
    in.optional_number("interrupt", kind.interrupt, some_cycles,
                       "from the arrival of another core's interrupt to the handler's first instruction; `[uli]` needs "
                       "it");
    in.part("core", kind.core, "A core.");
    in.part("l1d", kind.l1d, "A private cache of one core.");
    in.optional_part("l1i", kind.l1i, "Its cache of instructions; without, every instruction is there at once.");
    in.optional_part("dtlb", kind.dtlb, "Its translations of data's addresses; without, they take no time.");
    in.optional_part("itlb", kind.itlb, "Its translations of the program's addresses.");
    in.optional_part(
        "l2", kind.l2,
        "The cache below the first. Under ddc the tile's home works on it. Before a shared L2 it is coherent by "
        "MESI, and home to its L1.");
    in.optional_part("prefetch", kind.prefetch, "The L1's prefetcher; without, it asks for what its core asks for.");
    in.optional_part("out_of_order", kind.out_of_order,
                     "The window of a core that issues out of order; core.cost is then the time from issue to result.");
}

void check(const CoreKind& kind, Problems& problems);

}  // namespace croftsim
