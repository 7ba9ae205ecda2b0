#pragma once
// Which line of which file the instructions of a unit are from. DWARF 5, 6.2; DWARF 4, 6.2.

#include <map>
#include <string>
#include <vector>

#include "debug_info/entry.hpp"

namespace croftsim::debug_info {

// From `address` on, up to the next row's; nothing from one that ends a sequence on.
struct LineRow {
    std::uint64_t address = 0;
    std::uint64_t file = 1;
    std::uint64_t line = 1;
    bool ends_sequence = false;
};

class LineTable {
public:
    // Without files and rows if the unit has none. Throws Damaged.
    LineTable(const Tables& tables, const Unit& unit);

    // The path of a file by its number in this table; lasts as long as the table. Throws Damaged if there is none.
    const std::string& path(std::uint64_t number);

    // In the order of the table. Throws Damaged.
    std::vector<LineRow> rows() const;

private:
    struct File {
        std::string_view name;
        std::uint64_t folder = 0;
    };

    // The lists of folders and files: each has one part for the forms and one for the values since DWARF 5.
    std::vector<File> read_list(Reader& from, const Encoding& encoding) const;
    void read_old_lists(Reader& from);
    std::string path_of(std::uint64_t number) const;

    const Tables& tables_;
    const Unit& unit_;
    std::uint16_t version_ = 0;
    std::string_view own_folder_;  // where the compiler ran
    std::vector<File> folders_, files_;
    std::uint64_t step_ = 1;  // bytes of the shortest instruction
    std::int8_t line_base_ = 0;
    std::uint8_t line_range_ = 1, first_special_ = 1;
    Bytes operands_;  // how many each standard operation has
    Bytes program_;
    std::map<std::uint64_t, std::string> paths_;  // those that have been asked for
};

}  // namespace croftsim::debug_info
