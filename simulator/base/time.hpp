#pragma once
// Simulated time, in cycles.

#include <cstdint>
#include <limits>

namespace croftsim {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

}  // namespace croftsim
