#pragma once
// The addresses that a unit, a function, a block or an inlined call has. DWARF 5, 2.17; DWARF 4, 2.17.

#include <vector>

#include "debug_info/entry.hpp"

namespace croftsim::debug_info {

struct Range {
    std::uint64_t begin = 0, end = 0;
};

// None of an entry that has no code. Throws Damaged.
std::vector<Range> ranges_of(const Tables& tables, const Unit& unit, const Entry& entry);

}  // namespace croftsim::debug_info
