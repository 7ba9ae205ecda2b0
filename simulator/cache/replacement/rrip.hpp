#pragma once
// SRRIP with hit priority and two bits (Jaleel, Theobald, Steely, Emer: High Performance Cache Replacement Using
// Re-Reference Interval Prediction, ISCA 2010). A mark predicts how long its line will not be used: 0 not long, 3 very
// long. A line comes with 2, and with its next use it gets 0. So lines that are used once leave before those that are
// used again. The victim is the first line with 3. If there is none, all marks grow until there is: the largest mark
// that is not busy becomes 3.

#include <algorithm>

#include "cache/replacement/policy.hpp"

namespace croftsim::replacement {

class Rrip final : public Policy {
public:
    void arrives(const Set& set, std::uint32_t way) const override { set.marks[way] = most - 1; }
    void is_used(const Set& set, std::uint32_t way) const override { set.marks[way] = 0; }
    std::uint32_t victim(const Set& set, const Busy& busy) const override {
        std::uint32_t chosen = set.ways;
        for (std::uint32_t way = 0; way < set.ways; ++way)
            if ((chosen == set.ways || set.marks[way] > set.marks[chosen]) && !busy(way)) chosen = way;
        return chosen;
    }
    void leaves(const Set& set, std::uint32_t way) const override {
        const std::uint64_t grows = most - set.marks[way];
        for (std::uint32_t other = 0; other < set.ways; ++other)
            set.marks[other] = std::min(most, set.marks[other] + grows);
    }

private:
    static constexpr std::uint64_t most = 3;
};

}  // namespace croftsim::replacement
