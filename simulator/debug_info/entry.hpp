#pragma once
// The entries of a unit's debug information (DIEs): what each is, and the attributes that anybody asks for.

#include "debug_info/abbreviations.hpp"
#include "debug_info/tables.hpp"

namespace croftsim::debug_info {

enum class Tag : std::uint64_t {
    none = 0,  // ends a list of children
    label = 0x0a,
    lexical_block = 0x0b,
    structure_type = 0x13,
    class_type = 0x02,
    inlined_subroutine = 0x1d,
    subprogram = 0x2e,
    namespace_ = 0x39,
};

struct Entry {
    std::uint64_t offset = 0;  // in .debug_info
    Tag tag = Tag::none;
    bool has_children = false;
    std::array<Value, static_cast<std::size_t>(Attribute::other)> attributes{};

    const Value& operator[](Attribute attribute) const { return attributes[static_cast<std::size_t>(attribute)]; }
};

struct Unit {
    std::uint64_t offset = 0, end = 0;  // in .debug_info
    std::uint64_t first = 0;            // where its top entry is
    Encoding encoding;
    const Abbreviations* abbreviations = nullptr;
    Entry top;
};

// The entry at a place of .debug_info in `unit`, from which the reader goes on behind it. Throws Damaged.
Entry read_entry(const Tables& tables, const Unit& unit, Reader& from);

// Values that stand in other tables. They throw Damaged, also for a value that is nothing of the kind.
std::string_view text_of(const Tables& tables, const Unit& unit, const Value& value);
std::uint64_t address_of(const Tables& tables, const Unit& unit, const Value& value);

}  // namespace croftsim::debug_info
