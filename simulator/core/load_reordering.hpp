#pragma once
// The part of a perturbed run (network/perturbation.hpp) that happens within an out-of-order core, at random by a seed.
// Some loads look for their values late, so that younger ones overtake them, and keep them where RISC-V allows it.
// Without a seed all loads return what they would in order, and a reader whose fence is missing never shows.

#include <cstdint>

#include "base/archive.hpp"
#include "base/random.hpp"

namespace croftsim {

class LoadReordering {
public:
    static constexpr std::uint64_t longest_delay = 200;  // cycles

    // A seed of 0 does nothing.
    explicit LoadReordering(std::uint64_t seed) : seed_(seed), random_(seed) {}

    bool reorders() const { return seed_ != 0; }
    // By how much a load is late: one in eight is.
    std::uint64_t delay() {
        if (!reorders()) return 0;
        const std::uint64_t draw = random_.next();
        return draw % 8 == 0 ? (draw >> 8) % longest_delay : 0;
    }
    // Whether a load that may keep its value does. Not always: to read again in order has to be tried, too.
    bool keeps() { return reorders() && random_.next() % 4 != 0; }

    void serialise(Archive& archive) { archive(random_); }

private:
    std::uint64_t seed_;
    SplitMix64 random_;
};
static_assert(is_listed<LoadReordering, 16>);

}  // namespace croftsim
