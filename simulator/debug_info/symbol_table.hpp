#pragma once
// The named functions and variables of a program. System V ABI, edition 4.1, chapter 4.

#include <vector>

#include "debug_info/sections.hpp"

namespace croftsim::debug_info {

struct Symbol {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;  // 0: not said
    std::string_view name;    // as the linker knows it
};

enum class SymbolKind : std::uint8_t { object = 1, function = 2 };

// Those of one kind that are defined in the program, by address; none if the table is damaged.
std::vector<Symbol> symbols(const Sections& sections, Budget& budget, SymbolKind kind);

}  // namespace croftsim::debug_info
