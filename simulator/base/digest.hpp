#pragma once
// A number for a state, so that a search (tests/cpp/simulator/protocol_exploration_test.cpp) knows it again.

#include <cstdint>

namespace croftsim {

class Digest {
public:
    void add(std::uint64_t value) {
        state_ = (state_ ^ value) * 0x9e3779b97f4a7c15u;
        state_ ^= state_ >> 29;
    }
    template <class Bytes>
    void add_bytes(const Bytes& bytes) {
        for (const auto byte : bytes) add(byte);
    }
    std::uint64_t value() const { return state_; }

private:
    std::uint64_t state_ = 0x243f6a8885a308d3u;
};

}  // namespace croftsim
