#pragma once
// How many instructions issue in each cycle, in all and to each kind of unit: an out-of-order core's reservation of
// issue cycles, ahead of time. A ring of counters, tagged with the cycle that they count.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "machine/description.hpp"

namespace croftsim {

class IssueSlots {
public:
    explicit IssueSlots(const OutOfOrderDescription& shape) : width_(shape.issue_width), units_(shape.units), slots_(span) {}

    // The first cycle from `earliest` on in which an instruction for the unit can still issue; it is taken.
    std::uint64_t take(IssueUnit unit, std::uint64_t earliest) {
        const auto which = static_cast<std::size_t>(unit);
        for (std::uint64_t cycle = earliest;; ++cycle) {
            Slot& slot = slots_[cycle % span];
            if (slot.cycle != cycle) {
                // The ring is longer than any chain of results that a window holds but of the very longest: there, of two
                // cycles so far apart the later one keeps the counters.
                if (slot.cycle > cycle) return cycle;
                slot = {cycle, 0, {}};
            }
            if (slot.all == width_ || slot.of_unit[which] == units_[which]) continue;
            ++slot.all;
            ++slot.of_unit[which];
            return cycle;
        }
    }
    // The same for an instruction that keeps the unit for `cycles`. There is one of that sort.
    std::uint64_t take_and_keep(IssueUnit unit, std::uint64_t earliest, std::uint64_t cycles) {
        std::uint64_t& free = kept_until_[static_cast<std::size_t>(unit)];
        const std::uint64_t cycle = take(unit, std::max(earliest, free));
        free = cycle + cycles;
        return cycle;
    }

private:
    static constexpr std::size_t span = 2048;
    struct Slot {
        std::uint64_t cycle = 0;
        std::uint8_t all = 0;
        std::array<std::uint8_t, unit_count> of_unit{};
    };
    std::uint32_t width_;
    std::array<std::uint32_t, unit_count> units_;
    std::vector<Slot> slots_;
    std::array<std::uint64_t, unit_count> kept_until_{};
};

}  // namespace croftsim
