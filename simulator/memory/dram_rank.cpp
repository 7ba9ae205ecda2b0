#include "memory/dram_rank.hpp"

#include <algorithm>

namespace croftsim {

DramRank::DramRank(const DramTimes& clocks, double clock_mhz, DramMapping mapping)
    : at_(in_cycles(clocks, clock_mhz)),
      rows_(mapping == DramMapping::groups ? clocks.groups : 1),
      banks_(clocks.banks) {}

// Consecutive lines go round `rows_` rows, one of each bank group, or lie in one. Then the next banks follow, so that
// neighbours in memory can be open together.
DramRank::Place DramRank::place_of(std::uint64_t address) const {
    constexpr std::uint32_t bytes_of_line = 64;
    const std::uint64_t block = address / at_.row_bytes / rows_, banks = at_.banks / rows_;
    return {static_cast<std::uint32_t>(block % banks * rows_ + address / bytes_of_line % rows_), block / banks};
}

void DramRank::refresh_until(std::uint64_t time) {
    // Nothing is left of those before the last two if nothing was asked for in between.
    if (const std::uint64_t passed = time / at_.refi; passed > refreshes_ + 2) {
        const bool is_idle = std::ranges::all_of(
            banks_, [&](const Bank& bank) { return bank.precharge + at_.rp + at_.rfc <= (passed - 2) * at_.refi; });
        if (is_idle) refreshes_ = passed - 2;
    }
    for (std::uint64_t due; (due = (refreshes_ + 1) * at_.refi) <= time; ++refreshes_) {
        std::uint64_t start = due;
        for (const Bank& bank : banks_)
            if (bank.row != none) start = std::max({start, bank.precharge + at_.rp, due + at_.rp});
        for (Bank& bank : banks_) {
            bank.row = none;
            bank.activate = std::max(bank.activate, start + at_.rfc);
        }
    }
}

DramRank::Burst DramRank::next(const Place& place, bool writes, std::uint64_t time) const {
    const Bank& bank = banks_[place.bank];
    const std::uint32_t group = group_of(place.bank);
    Burst burst{Meets::open_row, 0, std::max(time, bank.column), 0};
    if (bank.row != place.row) {
        burst.meets = bank.row == none ? Meets::closed_bank : Meets::other_row;
        burst.activate = std::max({time, bank.activate, next_activate_[group]});
        if (bank.row != none) burst.activate = std::max(burst.activate, std::max(time, bank.precharge) + at_.rp);
        if (activated_ >= activates_.size())
            burst.activate = std::max(burst.activate, activates_[activated_ % activates_.size()] + at_.faw);
        burst.column = burst.activate + at_.rcd;
    }
    burst.column = std::max(burst.column, (writes ? next_write_ : next_read_)[group]);
    burst.first = burst.column + (writes ? at_.cwl : at_.cl);
    return burst;
}

void DramRank::perform(const Place& place, bool writes, const Burst& burst) {
    Bank& bank = banks_[place.bank];
    if (burst.meets != Meets::open_row) {
        bank.row = place.row;
        bank.column = burst.activate + at_.rcd;
        bank.precharge = burst.activate + at_.ras;
        bank.activate = burst.activate + at_.rc;
        activates_[activated_++ % activates_.size()] = burst.activate;
        hold_back(next_activate_, place.bank, burst.activate + at_.rrd_same, burst.activate + at_.rrd_other);
    }
    const std::uint64_t end = burst.first + at_.line;
    bank.precharge = std::max(bank.precharge, writes ? end + at_.wr : burst.column + at_.rtp);
    hold_back(writes ? next_write_ : next_read_, place.bank, burst.column + at_.ccd_same, burst.column + at_.ccd_other);
    if (writes) {
        hold_back(next_read_, place.bank, end + at_.wtr_same, end + at_.wtr_other);
    } else {
        const std::uint64_t behind = end + at_.turn - at_.cwl;
        hold_back(next_write_, place.bank, behind, behind);
    }
    next_column_ = burst.column + at_.line;
}

std::uint64_t DramRank::next_choice() const {
    const std::uint64_t before = at_.rp + at_.rcd;
    return next_column_ > before ? next_column_ - before : 0;
}

void DramRank::hold_back(std::array<std::uint64_t, most_groups>& earliest, std::uint32_t bank, std::uint64_t same,
                         std::uint64_t other) const {
    for (std::uint32_t group = 0; group < at_.groups; ++group)
        earliest[group] = std::max(earliest[group], group == group_of(bank) ? same : other);
}

}  // namespace croftsim
