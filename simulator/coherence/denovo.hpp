#pragma once
// DeNovo, in its variant for arbitrary synchronisation (DeNovoSync; paper 002, section II.A). A writer registers the
// words that it writes at the home, and owns them from then on. At every acquire a reader drops the words that it does
// not own. So the home keeps no list of readers. A word is
//
//     invalid     valid (a copy of unknown age)     registered: valid, owned and dirty

#include "coherence/owning_l1.hpp"

namespace croftsim {

class Denovo : public OwningL1 {
public:
    using OwningL1::OwningL1;

protected:
    // A load-reserved registers its word, as every synchronising read does: then the next writer's request takes it
    // away.
    bool may_read(const L1Line& line, std::uint64_t mask, Reserve reserve) const override {
        return (mask & ~(reserve == Reserve::no ? line.valid : line.owned)) == 0;
    }
    Message* request_for(std::uint64_t line, std::uint64_t mask, Reserve reserve, std::uint64_t time) override {
        if (reserve != Reserve::no) return own(line, mask, time);
        give_up(line, mask, time);
        Message* message = post_.pool().make(MessageKind::read, 0, line);
        message->mask = mask;
        return message;
    }
    std::uint64_t unit(std::uint64_t mask) const override { return words_of(mask); }
    std::uint64_t dirtied(std::uint64_t mask) const override { return words_of(mask); }
    bool readers_invalidate() const override { return true; }
};
static_assert(is_listed<Denovo, sizeof(OwningL1)>);

}  // namespace croftsim
