#pragma once
// MESI: the hardware's own coherence (paper 002, section II.A). A writer has every other copy invalidated first; the
// unit is the line. The states, in the masks of cache/private_l1.hpp:
//
//     I  not here     S  valid     E  valid and owned     M  valid, owned and dirty
//
// MOESI is MESI whose owner stays the owner when others read what it has written. It answers them, and neither it nor
// the home writes the line back. All of that is the home's (Recall::share), for L1s that share_dirty (protocols.cpp).
//
//     O  valid and dirty: others have copies, so that a store has to ask the home

#include "coherence/owning_l1.hpp"

namespace croftsim {

class Mesi final : public OwningL1 {
public:
    using OwningL1::OwningL1;

    void serialise(Archive& archive) override {
        OwningL1::serialise(archive);
        archive(insists_);
    }

protected:
    bool may_read(const L1Line& line, std::uint64_t mask, Reserve reserve) const override {
        return (mask & ~(takes_line(reserve) ? line.owned : line.valid)) == 0;
    }
    // A copy that the home keeps a record of; if nobody else has one, the line itself (E).
    Message* request_for(std::uint64_t line, std::uint64_t mask, Reserve reserve, std::uint64_t time) override {
        if (takes_line(reserve)) return own(line, mask, time);
        Message* message = post_.pool().make(MessageKind::read, 0, line);
        message->mask = whole_line;
        message->tracked = message->may_own = true;
        return message;
    }
    std::uint64_t unit(std::uint64_t) const override { return whole_line; }
    std::uint64_t dirtied(std::uint64_t) const override { return whole_line; }
    bool readers_invalidate() const override { return false; }
    bool tracked_when_downgraded() const override { return true; }
    void conditional_ended(bool stored) override { insists_ = !stored; }

private:
    bool takes_line(Reserve reserve) const {
        return reserve != Reserve::no &&
               (machine_.shared->reservation_hold > 0 || (reserve == Reserve::start && insists_));
    }
    // Unless reservation_hold says otherwise, a load-reserved takes a copy, so that many may wait on a line. But where
    // others write the line all the time, the store-conditional behind it would fail for ever. So behind a failed
    // store-conditional it takes the line.
    bool insists_ = false;
};
static_assert(is_listed<Mesi, 8720>);

}  // namespace croftsim
