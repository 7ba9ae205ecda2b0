#pragma once
// How a part of the machine says what it has counted: one call for each row of a run's statistics (docs/statistics.md).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace croftsim {

using StatisticRow =
    std::function<void(const char* part, std::size_t index, std::string name, const char* unit, std::uint64_t value)>;

}  // namespace croftsim
