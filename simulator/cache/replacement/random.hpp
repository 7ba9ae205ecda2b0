#pragma once
// Any line leaves: the first that is not busy, from a way on that is drawn at random. The cache's number counts the
// lines that have left, so each cache has the same sequence in each run.

#include "base/random.hpp"
#include "cache/replacement/policy.hpp"

namespace croftsim::replacement {

class Random final : public Policy {
public:
    void arrives(const Set&, std::uint32_t) const override {}
    void is_used(const Set&, std::uint32_t) const override {}
    std::uint32_t victim(const Set& set, const Busy& busy) const override {
        const auto first = static_cast<std::uint32_t>(SplitMix64(set.clock).next() % set.ways);
        for (std::uint32_t i = 0; i < set.ways; ++i)
            if (const std::uint32_t way = (first + i) % set.ways; !busy(way)) return way;
        return set.ways;
    }
    void leaves(const Set& set, std::uint32_t) const override { ++set.clock; }
};

}  // namespace croftsim::replacement
