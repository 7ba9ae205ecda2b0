#pragma once
// Whether an instruction may be one of a few that somebody looks for. Most are not, and a Bloom filter of one bit says
// so at once, without a search.

#include <array>
#include <cstddef>
#include <cstdint>

namespace croftsim {

class CodeFilter {
public:
    void add(std::uint64_t pc) { may_be_[place(pc)] = true; }
    bool may_have(std::uint64_t pc) const { return may_be_[place(pc)]; }

private:
    static constexpr std::size_t places = 1 << 14;
    static std::size_t place(std::uint64_t pc) { return pc / 2 % places; }

    std::array<bool, places> may_be_{};
};

}  // namespace croftsim
