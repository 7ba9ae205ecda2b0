#pragma once
// A cache's way in: one access at a time.

#include <algorithm>
#include <cstdint>

namespace croftsim {

struct Port {
    static constexpr bool is_plain = true;
    std::uint64_t free = 0;  // when it can take its next access

    // An access at `time` gets it at the returned time and keeps it for `cycles`.
    std::uint64_t use(std::uint64_t time, std::uint32_t cycles) {
        const std::uint64_t start = std::max(time, free);
        free = start + cycles;
        return start;
    }
};

}  // namespace croftsim
