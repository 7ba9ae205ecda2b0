#pragma once
// The knowledge that a core, a message or a location has of every core: how far that core's work is ordered before it.
//
// There are two answers. The first is a vector clock of the machine's order. The second also takes operations of the C
// library for releases that are none by their machine code (RaceSite::Kind::releasing). Knowledge has only that part of
// the second which exceeds the first. For a core that is a later clock, and the operation that claims it. Where the
// library's machine code releases there are no claims.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace croftsim {

class RaceKnowledge {
public:
    explicit RaceKnowledge(std::uint32_t cores = 0) : clocks_(cores, 0) {}

    std::uint32_t of(std::uint32_t core) const { return clocks_[core]; }
    void advance(std::uint32_t core) { ++clocks_[core]; }
    void forget() {
        std::ranges::fill(clocks_, 0);
        claims_.clear();
    }
    void learn(const RaceKnowledge& other) {
        for (std::size_t i = 0; i < clocks_.size(); ++i) clocks_[i] = std::max(clocks_[i], other.clocks_[i]);
        for (const Claim& claim : other.claims_) add(claim);
        if (!claims_.empty())
            std::erase_if(claims_, [&](const Claim& claim) { return claim.clock <= clocks_[claim.core]; });
    }
    // Knows the core only up to `clock`. If `pc` is not 0, the operation there claims the rest.
    void withhold(std::uint32_t core, std::uint32_t clock, std::uint64_t pc) {
        const Claim beyond{pc, core, std::exchange(clocks_[core], clock)};
        if (pc) add(beyond);
    }
    // The operation that has to release for this clock of the core to be known; 0 if no claim reaches so far.
    std::uint64_t claimed(std::uint32_t core, std::uint32_t clock) const {
        const auto claim = std::ranges::find(claims_, core, &Claim::core);
        return claim != claims_.end() && clock <= claim->clock ? claim->pc : 0;
    }

private:
    struct Claim {
        std::uint64_t pc;
        std::uint32_t core, clock;
    };
    void add(const Claim& claim) {
        if (claim.clock <= clocks_[claim.core]) return;
        const auto own = std::ranges::find(claims_, claim.core, &Claim::core);
        if (own == claims_.end())
            claims_.push_back(claim);
        else if (own->clock < claim.clock)
            *own = claim;
    }

    std::vector<std::uint32_t> clocks_;
    std::vector<Claim> claims_;  // one of a core
};

}  // namespace croftsim
