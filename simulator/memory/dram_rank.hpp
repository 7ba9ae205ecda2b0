#pragma once
// A rank of DRAM behind its controller: which row each bank has open, and when it may take which command. The
// controller asks when a line's burst could be, and tells it to do it. Nothing happens in between, so idle time costs
// nothing.
//
// Times are cycles of the machine's clock. Each of the standard's times is rounded up by itself, so a sequence of
// commands is never faster than JEDEC allows. Commands are worked out one line at a time, and no line's activate is
// placed before that of the line worked out before it. A row stays open until another one of its bank is wanted, or a
// refresh.
//
// A refresh that has become due is done before the next line is worked out. In idle time it is done exactly when due,
// else as soon as the banks can be precharged. That is far from the eight intervals by which JEDEC lets it be
// postponed.

#include <array>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "contract/dram_standard.hpp"

namespace croftsim {

class DramRank {
public:
    struct Place {
        std::uint32_t bank;
        std::uint64_t row;
    };
    // The state that a line meets.
    enum class Meets : std::uint8_t { open_row, closed_bank, other_row };
    struct Burst {
        Meets meets;
        std::uint64_t activate;  // 0 if the row is open
        std::uint64_t column;    // the read or write
        std::uint64_t first;     // data
    };

    DramRank(const DramTimes& clocks, double clock_mhz, DramMapping mapping);

    const DramTimes& cycles() const { return at_; }
    // The time of a line of an idle rank with all banks closed, from the activate to the first data.
    std::uint64_t idle_read() const { return at_.rcd + at_.cl; }
    std::uint64_t idle_write() const { return at_.rcd + at_.cwl; }

    Place place_of(std::uint64_t address) const;
    bool is_open(const Place& place) const { return banks_[place.bank].row == place.row; }
    // Before any of the following: refreshes that are due by `time`.
    void refresh_until(std::uint64_t time);
    // The line's burst, if it is the next one and is begun at `time` or later.
    Burst next(const Place& place, bool writes, std::uint64_t time) const;
    void perform(const Place& place, bool writes, const Burst& burst);
    // When the next line is to be worked out. It is so late that as many as possible are there to choose from. It is so
    // early that the line may precharge and activate its bank while the data bus is still busy (Hansson et al., ISPASS
    // 2014).
    std::uint64_t next_choice() const;

    std::uint64_t refreshes() const { return refreshes_; }
    void serialise(Archive& archive) {
        archive.each(banks_);
        archive(activates_, activated_, refreshes_, next_activate_, next_read_, next_write_, next_column_);
    }

private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    static constexpr std::size_t most_groups = 4;

    struct Bank {
        static constexpr bool is_plain = true;
        std::uint64_t row = none;
        std::uint64_t activate = 0, column = 0, precharge = 0;  // earliest
    };
    std::uint32_t group_of(std::uint32_t bank) const { return bank % at_.groups; }
    // Behind a command to `bank` at `time`, by whether another bank is of its group.
    void hold_back(std::array<std::uint64_t, most_groups>& earliest, std::uint32_t bank, std::uint64_t same,
                   std::uint64_t other) const;

    DramTimes at_;        // in cycles of the machine
    std::uint32_t rows_;  // over which consecutive lines go round
    std::vector<Bank> banks_;
    std::array<std::uint64_t, 4> activates_{};  // the last four, round and round
    std::uint64_t activated_ = 0, refreshes_ = 0;
    // Earliest, by the bank's group.
    std::array<std::uint64_t, most_groups> next_activate_{}, next_read_{}, next_write_{};
    std::uint64_t next_column_ = 0;  // that keeps the data bus busy
};
static_assert(is_listed<DramRank, 272>);

}  // namespace croftsim
