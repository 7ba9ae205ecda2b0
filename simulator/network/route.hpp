#pragma once
// The links that a message takes from router to router.

#include <array>
#include <cstdint>
#include <span>

#include "contract/unexpected.hpp"

namespace croftsim {

class Route {
public:
    // Links whose numbers are equally far from each other.
    struct Stretch {
        std::uint32_t first, links;
        std::int32_t step;
    };

    // Stretches without links may be added, too.
    void add(std::uint32_t first, std::uint32_t links, std::int32_t step) {
        if (count_ == stretches_.size()) [[unlikely]]
            throw SimulatorFault("a way through the network has too many stretches");
        stretches_[count_++] = {base_ + first, links, step};
    }
    void add(std::uint32_t link) { add(link, 1, 0); }
    // Links that are added from now on have their numbers counted from `base`.
    void set_base(std::uint32_t base) { base_ = base; }

    std::span<const Stretch> stretches() const { return {stretches_.data(), count_}; }

private:
    // Where it is written and read at once, it takes no time for what it does not use.
    std::array<Stretch, 64> stretches_;
    std::uint32_t count_ = 0, base_ = 0;
};

}  // namespace croftsim
