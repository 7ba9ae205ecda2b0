#pragma once
// Where a core's cycles went, exactly as of any time. A wait is booked when it is over, up to a time that may still be
// to come. So whoever counts at a time in between cuts it there.

#include <algorithm>
#include <array>
#include <cstdint>

#include "contract/stall.hpp"

namespace croftsim {

class CycleAccount {
public:
    static constexpr bool is_plain = true;
    using Cycles = std::array<std::uint64_t, static_cast<std::size_t>(Stall::count)>;

    // The core waited from `from` to `until`, for the same reason. Intervals follow each other in time. When what is
    // booked began: behind a cut, later than it did.
    std::uint64_t book(Stall why, std::uint64_t from, std::uint64_t until) {
        from = std::max(from, cut_);
        if (until <= from) return until;
        cycles_[static_cast<std::size_t>(why)] += until - from;
        latest_ = {why, from, until};
        return from;
    }
    // If a wait began before `now` and is not over, it is booked up to now, and from now on when it is over.
    void cut(std::uint64_t now) { cut_ = std::max(cut_, now); }

    // As of `now`.
    Cycles at(std::uint64_t now) const {
        Cycles cycles = cycles_;
        if (latest_.until > now)
            cycles[static_cast<std::size_t>(latest_.why)] -= latest_.until - std::max(latest_.from, now);
        return cycles;
    }

private:
    struct Interval {
        Stall why = Stall::l2;
        std::uint64_t from = 0, until = 0;
    };
    Cycles cycles_{};
    Interval latest_;
    std::uint64_t cut_ = 0;
};

}  // namespace croftsim
