#pragma once
// Code that a program's debug information knows by name: labels, and functions with all their inlined instances.

#include "debug_info/names.hpp"

namespace croftsim::debug_info {

struct NamedCode {
    struct Label {
        std::uint64_t address = 0;
        std::size_t name = 0;  // its number among those asked for
    };
    struct Piece {
        Range range;
        std::size_t name = 0;
    };

    std::vector<Label> labels;
    std::vector<Piece> functions;
};

// Where those are that have one of the names, as in the source and without template arguments. In no order. Damaged
// units have none.
NamedCode find_named(const Tables& tables, const Units& units, Names& names, const std::vector<std::string>& labels,
                     const std::vector<std::string>& functions);

}  // namespace croftsim::debug_info
