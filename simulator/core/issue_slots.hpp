#pragma once
// How many instructions issue in each cycle, in all and to each kind of unit: an out-of-order core's reservation of
// issue cycles, ahead of time. A ring of counters, tagged with the turn of the ring in whose cycle they count.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "contract/description.hpp"

namespace croftsim {

class IssueSlots {
public:
    explicit IssueSlots(const OutOfOrderDescription& shape) : blank_(16 - shape.issue_width) {
        for (unsigned unit = 0; unit < unit_count; ++unit)
            blank_ |= std::uint64_t{16 - shape.units[unit]} << shift_of(static_cast<IssueUnit>(unit));
        slots_.assign(span, blank_);
    }

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
        if (slot >> turn_shift == cycle / span && (slot & 31) > (blank_ & 31)) slot -= one_of(unit);
        if (kept)
            std::erase_if(kept_[static_cast<std::size_t>(unit)], [&](const Kept& one) { return one.from == cycle; });
    }

private:
    // A slot: the turn, above a count of five bits for each unit, above one for all of them. A count starts at 16 less
    // than its limit, so that its highest bit says that nothing more fits.
    static constexpr unsigned turn_shift = 5 * (unit_count + 1);
    static unsigned shift_of(IssueUnit unit) { return 5 * (static_cast<unsigned>(unit) + 1); }
    static std::uint64_t one_of(IssueUnit unit) { return std::uint64_t{1} << shift_of(unit) | 1; }

    bool take_in(IssueUnit unit, std::uint64_t cycle) {
        std::uint64_t& slot = slots_[cycle % span];
        if (slot >> turn_shift != cycle / span) [[unlikely]] {
            // The ring is longer than any chain of results that a window holds but of the very longest: there, of two
            // cycles so far apart the later one keeps the counters.
            if (slot >> turn_shift > cycle / span) return true;
            slot = cycle / span << turn_shift | blank_;
        }
        const std::uint64_t one = one_of(unit);
        if (slot & one << 4) return false;
        slot += one;
        return true;
    }
    static constexpr std::size_t span = 2048;
    std::uint64_t blank_;  // of turn 0
    std::vector<std::uint64_t> slots_;
    struct Kept {
        std::uint64_t from, until;
    };
    std::array<std::vector<Kept>, unit_count> kept_;
};

}  // namespace croftsim
