#pragma once
// The links that a message takes from router to router.

#include <cstdint>
#include <vector>

namespace croftsim {

class Route {
public:
    // Links whose numbers are equally far from each other.
    struct Stretch {
        std::uint32_t first, links;
        std::int32_t step;
        bool between_chips;
    };

    void add(std::uint32_t first, std::uint32_t links, std::int32_t step) {
        stretches_.push_back({base_ + first, links, step, false});
    }
    void add(std::uint32_t link) { add(link, 1, 0); }

    // For whoever joins several chips (chips.hpp): the number that a chip's link 0 has among all; and a link that leads
    // to another chip.
    void set_base(std::uint32_t base) { base_ = base; }
    void add_between_chips(std::uint32_t link) { stretches_.push_back({link, 1, 0, true}); }

    void clear() { stretches_.clear(); }
    const std::vector<Stretch>& stretches() const { return stretches_; }
    std::uint32_t links() const {
        std::uint32_t count = 0;
        for (const Stretch& stretch : stretches_) count += stretch.links;
        return count;
    }

private:
    std::vector<Stretch> stretches_;
    std::uint32_t base_ = 0;
};

}  // namespace croftsim
