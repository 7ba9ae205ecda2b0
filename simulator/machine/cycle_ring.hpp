#pragma once
// A set of cycles in which something is to happen. All lie in [from, from + slots) for some `from`, so a cycle's slot
// tells which cycle it is. The first of them is found without a look at the rest.

#include <array>
#include <bit>
#include <cstdint>

#include "base/time.hpp"

namespace croftsim {

class CycleRing {
public:
    static constexpr bool is_plain = true;
    static constexpr std::uint64_t slots = 256;
    static constexpr std::uint32_t slot_of(std::uint64_t cycle) { return static_cast<std::uint32_t>(cycle % slots); }

    void insert(std::uint32_t slot) { occupied_[slot / 64] |= std::uint64_t{1} << slot % 64; }
    void erase(std::uint32_t slot) { occupied_[slot / 64] &= ~(std::uint64_t{1} << slot % 64); }
    // The first in [from, end), which is not longer than the ring; `never` if there is none.
    std::uint64_t first(std::uint64_t from, std::uint64_t end) const {
        for (std::uint64_t at = from; at < end; at += 64 - at % 64) {
            const std::uint64_t rest = occupied_[slot_of(at) / 64] >> at % 64;
            if (!rest) continue;
            const std::uint64_t found = at + static_cast<std::uint64_t>(std::countr_zero(rest));
            return found < end ? found : never;
        }
        return never;
    }

private:
    std::array<std::uint64_t, slots / 64> occupied_{};
};

}  // namespace croftsim
