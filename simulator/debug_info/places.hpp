#pragma once
// Where in the source the instructions of a unit are from: file and line, and the inlined calls that led there.

#include "debug_info/names.hpp"
#include "debug_info/source_lines.hpp"

namespace croftsim::debug_info {

struct Place {
    std::string_view function;  // for the linker; empty where it is the function that the instruction is part of
    std::string_view file;      // empty, and line 0: not known
    std::uint64_t line = 0;
};

class UnitPlaces {
public:
    // Throws Damaged.
    UnitPlaces(const Tables& tables, const Unit& unit, Names& names);

    // The functions at an address: the innermost inlined one comes first, and the last is the function itself. They
    // refer to this object.
    using Places = std::vector<Place>;
    // `addresses` are in ascending order. Throws Damaged.
    std::vector<Places> at(const std::vector<std::uint64_t>& addresses) const;

    const std::vector<SourceLine>& lines() const { return lines_; }

private:
    struct Inlined {
        Range range;
        std::size_t depth = 0;  // of how many other inlined calls it is a part
        std::string_view function;
        Place caller;  // without the function
    };

    void read_calls(const Tables& tables, const Unit& unit, Names& names);
    Place line_at(std::uint64_t address) const;

    LineTable table_;
    std::vector<SourceLine> lines_;
    std::vector<Inlined> inlined_;  // by where they begin, outer ones first
};

}  // namespace croftsim::debug_info
