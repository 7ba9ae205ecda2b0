#pragma once
// The keys of the L2 that all cores share.

#include "cache/line_cache.hpp"
#include "contract/description.hpp"
#include "description/attachment.hpp"
#include "description/cache.hpp"
#include "description/home.hpp"
#include "description/level.hpp"

namespace croftsim {

template <class Keys>
void keys(Keys& in, SharedCacheDescription& shared) {
    in.number("size", shared.size, bytes(64, 1 << 28), "data of one bank; size / (64 x ways) must be a power of two");
    in.number("ways", shared.ways, {1, 64}, "lines a set holds");
    key_of_replacement(in, shared.replacement);
    key_of_answers(in, shared);
    in.places("banks", shared.places, shared.placement, {1, 1024}, "where the banks are");
    using Data = SharedCacheDescription::Data;
    static const Words<Data> payloads{{"words", Data::words}, {"lines", Data::lines}};
    in.word("data", shared.data, payloads,
            "what a message that carries written bytes, an atomic's operand or its result takes of the network: the "
            "words that it carries, or a line whatever it carries");
    in.number("reservation_hold", shared.reservation_hold, any_cycles,
              "for how long a load-reserved keeps its line under mesi, denovo and denovo_line, for which it takes the "
              "line as its own and lets nobody have it; 0: it reads a copy, keeps the line for 32 cycles at most once, "
              "and asks for the line behind a store-conditional that failed");
    keys(in, static_cast<HomeTimes&>(shared));
}

inline void check(const SharedCacheDescription& shared, Problems& problems) {
    check_sets(shared.size, line_bytes, shared.ways, problems);
    check_replacement(shared.replacement, shared.ways, problems);
}

}  // namespace croftsim
