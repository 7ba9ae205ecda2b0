#pragma once
// The refusal of count_option.hpp.

#include <stdexcept>
#include <string>

#include <croft/port/compiled.hpp>
#include <croft/port/count_option.hpp>

namespace croft::detail {

CROFT_INLINE void checked_count::refuse(long long count) {
    throw std::invalid_argument("croft: an option that is a number of threads, slots or the like was " +
                                std::to_string(count) + "; give it 0 or more");
}

}  // namespace croft::detail
