#pragma once
// Tree pseudo-LRU. A binary tree lies over the ways of a set. A bit at each inner node says which half was used less
// recently. A use turns the bits on its way to the other side, and a victim is found by following them. The bits are in
// the set's first mark: node 1 is the root, and nodes 2n and 2n + 1 are the halves of node n.

#include "cache/replacement/policy.hpp"

namespace croftsim::replacement {

class Plru final : public Policy {
public:
    void arrives(const Set& set, std::uint32_t way) const override { is_used(set, way); }
    void is_used(const Set& set, std::uint32_t way) const override {
        for (std::uint32_t node = set.ways + way; node > 1; node /= 2) {
            const std::uint64_t bit = std::uint64_t{1} << node / 2;
            set.marks[0] = node % 2 ? set.marks[0] & ~bit : set.marks[0] | bit;
        }
    }
    std::uint32_t victim(const Set& set, const Busy& busy) const override {
        const std::uint32_t leaf = below(set, 1, busy);
        return leaf ? leaf - set.ways : set.ways;
    }
    void leaves(const Set&, std::uint32_t) const override {}

private:
    // The leaf below the node that the bits lead to. If it is busy, the next best: the other half of the smallest tree
    // around it that has another. 0: all are busy.
    static std::uint32_t below(const Set& set, std::uint32_t node, const Busy& busy) {
        if (node >= set.ways) return busy(node - set.ways) ? 0 : node;
        const auto first = static_cast<std::uint32_t>(set.marks[0] >> node & 1);
        const std::uint32_t found = below(set, 2 * node + first, busy);
        return found ? found : below(set, 2 * node + 1 - first, busy);
    }
};

}  // namespace croftsim::replacement
