#pragma once
// Which attributes the entries of a unit have, and in which forms: an entry names its list by a code. DWARF 5, 7.5.3.

#include <array>
#include <span>
#include <vector>

#include "debug_info/form.hpp"

namespace croftsim::debug_info {

// Those that anybody asks for. All others are passed over.
enum class Attribute : std::uint8_t {
    name,
    linkage_name,
    low_pc,
    high_pc,
    ranges,
    abstract_origin,
    specification,
    call_file,
    call_line,
    comp_dir,
    stmt_list,
    str_offsets_base,
    addr_base,
    rnglists_base,
    other,
};

struct AttributeForm {
    Attribute attribute = Attribute::other;
    Form form = Form::none;
    std::int64_t implicit = 0;  // for Form::implicit_const
};

struct Abbreviation {
    std::uint64_t code = 0;
    std::uint64_t tag = 0;
    bool has_children = false;
    std::uint32_t first = 0, count = 0;  // of its attributes
};

class Abbreviations {
public:
    // Those of the list that begins at `offset`. Throws Damaged.
    Abbreviations(Bytes table, std::uint64_t offset, Budget& budget);

    // Throws Damaged if there is none.
    const Abbreviation& find(std::uint64_t code) const;
    std::span<const AttributeForm> attributes(const Abbreviation& of) const {
        return std::span(attributes_).subspan(of.first, of.count);
    }

private:
    std::vector<Abbreviation> all_;  // by code
    std::vector<AttributeForm> attributes_;
};

}  // namespace croftsim::debug_info
