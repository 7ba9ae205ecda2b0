#pragma once
// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). Everything that the
// program takes for randomness comes from it, so that a seed gives a run.

#include <cstdint>
#include <span>

#include "base/archive.hpp"

namespace croftsim {

class SplitMix64 {
public:
    explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }

    void fill(std::span<std::uint8_t> bytes) {
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < bytes.size(); ++i, word >>= 8) {
            if (i % 8 == 0) word = next();
            bytes[i] = static_cast<std::uint8_t>(word);
        }
    }

    void serialise(Archive& archive) { archive(state_); }

private:
    std::uint64_t state_;
};

}  // namespace croftsim
