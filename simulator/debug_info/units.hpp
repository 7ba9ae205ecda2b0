#pragma once
// The units of a program's debug information: each is what a compiler knew of one source. DWARF 5, 7.5.1.

#include <map>
#include <memory>

#include "debug_info/ranges.hpp"

namespace croftsim::debug_info {

class Units {
public:
    // As far as they are sound.
    explicit Units(Tables& tables);

    const std::vector<Unit>& all() const { return units_; }
    // The unit that holds the code at an address; nullptr if none does.
    const Unit* at(std::uint64_t address) const;
    // The unit that holds an offset in .debug_info. Throws Damaged if none does.
    const Unit& holding(std::uint64_t offset) const;

private:
    struct Code {
        Range range;
        std::size_t unit = 0;
    };

    void read(Tables& tables);
    void read_header(Unit& unit, Reader& from, Tables& tables);
    const Abbreviations& abbreviations(Tables& tables, std::uint64_t offset);

    std::map<std::uint64_t, std::unique_ptr<Abbreviations>> abbreviations_;  // by offset
    std::vector<Unit> units_;                                                // by offset
    std::vector<Code> code_;                                                 // by address
};

}  // namespace croftsim::debug_info
