#pragma once
// The lines of a unit as ranges of instructions.

#include "debug_info/line_table.hpp"

namespace croftsim::debug_info {

// Instructions that come from a line. `file` lasts as long as the table.
struct SourceLine {
    std::uint64_t begin = 0, end = 0;
    const std::string* file = nullptr;
    std::uint64_t line = 0;
};

// By address. Throws Damaged.
std::vector<SourceLine> source_lines(LineTable& table);

}  // namespace croftsim::debug_info
