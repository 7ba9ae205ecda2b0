#pragma once
// How many instructions issue in each cycle, in all and to each kind of unit: an out-of-order core's reservation of
// issue cycles, ahead of time. A ring of counters, tagged with the turn of the ring in whose cycle they count.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
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
    // The same for an instruction that keeps the unit for `cycles`; there is one of that sort. The unit's work
    // before `now` is forgotten.
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

    // ---- what is taken from cycle `from` on, in words of 32 bits (schedule_memory.hpp)

    // Whether that is a part of the ring.
    bool reaches_to(std::uint64_t from) const { return farthest_ < from + span; }
    template <class Add>
    void write_from(std::uint64_t from, Add add) const {
        for (std::uint64_t cycle = from; cycle <= farthest_; ++cycle) {
            const std::uint64_t slot = slots_[cycle % span];
            if (slot >> turn_shift != cycle / span || (slot & counts) == blank_) continue;
            add(cycle - from);
            add(slot & counts);
            add((slot & counts) >> 32);
        }
        for (std::size_t unit = 0; unit < kept_.size(); ++unit)
            for (const Kept& one : kept_[unit]) {
                if (one.until <= from) continue;
                add(of_kept | unit);
                add(one.from > from ? one.from - from : 0);
                add(one.until - from);
            }
    }
    template <class Next>
    void read_from(std::uint64_t from, std::uint64_t words, Next next) {
        for (std::uint64_t cycle = from; cycle <= farthest_; ++cycle)
            slots_[cycle % span] = cycle / span << turn_shift | blank_;
        for (auto& kept : kept_) kept.clear();
        farthest_ = from;
        for (; words > 0; words -= 3) {
            const std::uint64_t first = next();
            if (first & of_kept) {
                const std::uint64_t begins = from + next();
                kept_[first & ~of_kept].push_back({begins, from + next()});
                continue;
            }
            farthest_ = from + first;
            const std::uint64_t low = next();
            slots_[farthest_ % span] = farthest_ / span << turn_shift | next() << 32 | low;
        }
    }

    void serialise(Archive& archive) {
        archive(farthest_, kept_);
        archive.each(slots_);
    }

private:
    static constexpr std::uint64_t of_kept = std::uint64_t{1} << 31;
    // A slot: the turn, above a count of five bits for each unit, above one for all of them. A count starts at 16 less
    // than its limit, so that its highest bit says that nothing more fits.
    static constexpr unsigned turn_shift = 5 * (unit_count + 1);
    static constexpr std::uint64_t counts = (std::uint64_t{1} << turn_shift) - 1;
    static unsigned shift_of(IssueUnit unit) { return 5 * (static_cast<unsigned>(unit) + 1); }
    static std::uint64_t one_of(IssueUnit unit) {
        const std::uint64_t one = std::uint64_t{1} << shift_of(unit) | 1;
        return unit == IssueUnit::float_multiply ? one | std::uint64_t{1} << shift_of(IssueUnit::floating) : one;
    }

    bool take_in(IssueUnit unit, std::uint64_t cycle) {
        std::uint64_t& slot = slots_[cycle % span];
        if (slot >> turn_shift != cycle / span) [[unlikely]] {
            // The ring is longer than any chain of results in a window but the very longest. There, the later of two
            // cycles so far apart keeps the counters.
            if (slot >> turn_shift > cycle / span) return true;
            slot = cycle / span << turn_shift | blank_;
        }
        const std::uint64_t one = one_of(unit);
        if (slot & one << 4) return false;
        slot += one;
        if (cycle > farthest_) farthest_ = cycle;
        return true;
    }
    static constexpr std::size_t span = 2048;
    std::uint64_t blank_;         // of turn 0
    std::uint64_t farthest_ = 0;  // nothing is taken behind it
    std::vector<std::uint64_t> slots_;
    struct Kept {
        static constexpr bool is_plain = true;
        std::uint64_t from, until;
    };
    std::array<std::vector<Kept>, unit_count> kept_;
};
static_assert(is_listed<IssueSlots, 184>);

}  // namespace croftsim
