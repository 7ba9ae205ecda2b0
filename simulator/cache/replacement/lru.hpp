#pragma once
// The least recently used line leaves. A mark is when its line was used, in uses of any line of the cache.

#include "cache/replacement/policy.hpp"

namespace croftsim::replacement {

struct Lru {
    static void is_used(std::uint64_t& mark, std::uint64_t& clock) { mark = ++clock; }

    // Only the chosen line is looked at, because most lines are in no cache of the host.
    template <class IsBusy>
    static std::uint32_t victim(const std::uint64_t* marks, std::uint32_t ways, IsBusy busy) {
        for (std::uint64_t busy_until = 0;;) {
            std::uint64_t oldest = ~std::uint64_t{0};
            std::uint32_t chosen = 0;
            for (std::uint32_t way = 0; way < ways; ++way)
                if (marks[way] > busy_until && marks[way] < oldest) oldest = marks[chosen = way];
            if (oldest == ~std::uint64_t{0}) return ways;
            if (!busy(chosen)) return chosen;
            busy_until = oldest;
        }
    }
};

}  // namespace croftsim::replacement
