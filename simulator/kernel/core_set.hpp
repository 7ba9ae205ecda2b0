#pragma once
// A set of cores, as Linux' CPU masks: bit c of the mask is core c.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/archive.hpp"

namespace croftsim {

class CoreSet {
public:
    CoreSet() = default;
    static CoreSet all(std::uint32_t cores) {
        CoreSet set;
        for (std::uint32_t core = 0; core < cores; ++core) set.add(core);
        return set;
    }

    void add(std::uint32_t core) {
        if (core / 64 >= words_.size()) words_.resize(core / 64 + 1);
        words_[core / 64] |= std::uint64_t{1} << core % 64;
    }
    bool contains(std::uint32_t core) const { return core / 64 < words_.size() && words_[core / 64] >> core % 64 & 1; }
    const std::vector<std::uint64_t>& words() const { return words_; }

    void serialise(Archive& archive) { archive(words_); }

private:
    std::vector<std::uint64_t> words_;
};

}  // namespace croftsim
