#pragma once
// Places in a program's code that its library has named, without an instruction (croft/port/marks.hpp). When a core
// comes by, the beginning or the end that is there is recorded.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "contract/simulation.hpp"
#include "record/code_filter.hpp"

namespace croftsim {

class Landmarks {
public:
    explicit Landmarks(std::vector<Landmark> all) : all_(std::move(all)) {
        std::stable_sort(all_.begin(), all_.end(), [](const Landmark& a, const Landmark& b) { return a.pc < b.pc; });
        for (const Landmark& one : all_) filter_.add(one.pc);
    }
    bool none() const { return all_.empty(); }
    // Those of the instruction at pc, in the order in which they are to be told, in front of it.
    std::span<const Landmark> at(std::uint64_t pc) const {
        if (!filter_.may_have(pc)) return {};
        const auto [first, last] = std::equal_range(all_.begin(), all_.end(), Landmark{pc, 0, false},
                                                    [](const Landmark& a, const Landmark& b) { return a.pc < b.pc; });
        return {first, last};
    }

private:
    std::vector<Landmark> all_;
    CodeFilter filter_;
};

}  // namespace croftsim
