#pragma once
// The keys of the L2 that all cores share.

#include "cache/line_cache.hpp"
#include "contract/description.hpp"
#include "description/attachment.hpp"
#include "description/cache.hpp"
#include "description/home.hpp"

namespace croftsim {

template <class Keys>
void keys(Keys& in, SharedCacheDescription& shared) {
    in.number("size", shared.size, bytes(64, 1 << 28), "data of one bank; size / (64 x ways) must be a power of two");
    in.number("ways", shared.ways, {1, 64}, "lines a set holds");
    in.places("banks", shared.banks, shared.placement, {1, 1024}, "where the banks are");
    keys(in, static_cast<HomeTimes&>(shared));
}

inline void check(const SharedCacheDescription& shared, Problems& problems) {
    check_sets(shared.size, line_bytes, shared.ways, problems);
}

}  // namespace croftsim
