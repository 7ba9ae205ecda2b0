#pragma once
// How many instructions issue in each cycle, in all and to each kind of unit: an out-of-order core's reservation of
// issue cycles, ahead of time. A ring of counters, tagged with the cycle that they count.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "contract/description.hpp"

namespace croftsim {

class IssueSlots {
public:
    explicit IssueSlots(const OutOfOrderDescription& shape)
        : width_(shape.issue_width), units_(shape.units), slots_(span) {}

    // The first cycle from `earliest` on in which an instruction for the unit can still issue; it is taken.
    std::uint64_t take(IssueUnit unit, std::uint64_t earliest) {
        for (std::uint64_t cycle = earliest;; ++cycle)
            if (take_in(unit, cycle)) return cycle;
    }
    // The same for an instruction that keeps the unit for `cycles`; there is one of that sort. What the unit did before
    // `now` is forgotten.
    std::uint64_t take_and_keep(IssueUnit unit, std::uint64_t earliest, std::uint64_t cycles, std::uint64_t now) {
        auto& kept = kept_[static_cast<std::size_t>(unit)];
        std::erase_if(kept, [&](const Kept& one) { return one.until <= now; });
        for (std::uint64_t cycle = earliest;; ++cycle) {
            auto behind = kept.begin();  // in the order of time
            for (; behind != kept.end() && behind->from < cycle + cycles; ++behind)
                cycle = std::max(cycle, behind->until);
            if (!take_in(unit, cycle)) continue;
            kept.insert(behind, {cycle, cycle + cycles});
            return cycle;
        }
    }
    // An instruction that was to issue in that cycle, which has not come yet, was undone.
    void give_back(IssueUnit unit, std::uint64_t cycle, bool kept) {
        std::uint64_t& slot = slots_[cycle % span];
        if (slot >> cycle_shift == cycle && (slot & 15) > 0) slot -= one_of(unit);
        if (kept)
            std::erase_if(kept_[static_cast<std::size_t>(unit)], [&](const Kept& one) { return one.from == cycle; });
    }

private:
    // A slot: the cycle, above a count of four bits for each unit, above one for all of them.
    static constexpr unsigned cycle_shift = 4 * (unit_count + 1);
    static unsigned shift_of(IssueUnit unit) { return 4 * (static_cast<unsigned>(unit) + 1); }
    static std::uint64_t one_of(IssueUnit unit) { return std::uint64_t{1} << shift_of(unit) | 1; }

    bool take_in(IssueUnit unit, std::uint64_t cycle) {
        std::uint64_t& slot = slots_[cycle % span];
        if (slot >> cycle_shift != cycle) {
            // The ring is longer than any chain of results that a window holds but of the very longest: there, of two
            // cycles so far apart the later one keeps the counters.
            if (slot >> cycle_shift > cycle) return true;
            slot = cycle << cycle_shift;
        }
        if ((slot & 15) == width_ || (slot >> shift_of(unit) & 15) == units_[static_cast<std::size_t>(unit)])
            return false;
        slot += one_of(unit);
        return true;
    }
    static constexpr std::size_t span = 2048;
    std::uint32_t width_;
    std::array<std::uint32_t, unit_count> units_;
    std::vector<std::uint64_t> slots_;
    struct Kept {
        std::uint64_t from, until;
    };
    std::array<std::vector<Kept>, unit_count> kept_;
};

}  // namespace croftsim
