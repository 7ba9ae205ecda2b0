#pragma once
// DeNovo that owns lines. A store asks for the whole line with its data, and the line has one owner, which answers
// readers and stays the owner. Table I of paper 002 says "Word/Line" for DeNovo's granularity of data. The protocol of
// that name in the authors' gem5 has one owner a line and no masks (docs/evidence/big-tiny.md, section 9). A line is
//
//     invalid     valid (a copy of unknown age)     owned: valid, owned and dirty, all of it

#include "coherence/denovo.hpp"

namespace croftsim {

class DenovoLine final : public Denovo {
public:
    using Denovo::Denovo;

protected:
    Message* request_for(std::uint64_t line, std::uint64_t, Reserve reserve, std::uint64_t time) override {
        return Denovo::request_for(line, whole_line, reserve, time);
    }
    std::uint64_t unit(std::uint64_t) const override { return whole_line; }
    std::uint64_t dirtied(std::uint64_t) const override { return whole_line; }
};
static_assert(is_listed<DenovoLine, sizeof(Denovo)>);

}  // namespace croftsim
