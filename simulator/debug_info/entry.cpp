#include "debug_info/entry.hpp"

namespace croftsim::debug_info {
namespace {

// An element of a table of numbers. The unit's part begins at `base` there, by default behind the table's header.
std::uint64_t element(Bytes table, const Value& base, const Encoding& encoding, std::uint64_t index, unsigned size) {
    const std::uint64_t begin = base ? base.number : encoding.offset_size == 8 ? 16 : 8;
    if (index > table.size()) throw Damaged{};
    Reader from(table, begin);
    from.skip(index * size);
    return from.number(size);
}

}  // namespace

Entry read_entry(const Tables& tables, const Unit& unit, Reader& from) {
    Entry entry;
    entry.offset = from.at();
    const std::uint64_t code = from.uleb();
    if (code == 0) return entry;
    const Abbreviation& abbreviation = unit.abbreviations->find(code);
    entry.tag = static_cast<Tag>(abbreviation.tag);
    entry.has_children = abbreviation.has_children;
    tables.budget.spend(abbreviation.count);  // some forms have no bytes
    for (const AttributeForm& one : unit.abbreviations->attributes(abbreviation)) {
        const Value value = read_value(from, one.form, unit.encoding, one.implicit);
        if (one.attribute != Attribute::other) entry.attributes[static_cast<std::size_t>(one.attribute)] = value;
    }
    return entry;
}

std::string_view text_of(const Tables& tables, const Unit& unit, const Value& value) {
    const auto in = [&](Bytes table, std::uint64_t offset) { return tables.reader(table, offset).text(); };
    switch (value.form) {
        case Form::string:
            return in(tables.information, value.number);
        case Form::strp:
            return in(tables.texts, value.number);
        case Form::line_strp:
            return in(tables.line_texts, value.number);
        case Form::strx:
        case Form::strx1:
        case Form::strx2:
        case Form::strx3:
        case Form::strx4:
            return in(tables.texts, element(tables.text_offsets, unit.top[Attribute::str_offsets_base], unit.encoding,
                                            value.number, unit.encoding.offset_size));
        default:
            throw Damaged{};
    }
}

std::uint64_t address_of(const Tables& tables, const Unit& unit, const Value& value) {
    switch (value.form) {
        case Form::addr:
            return value.number;
        case Form::addrx:
        case Form::addrx1:
        case Form::addrx2:
        case Form::addrx3:
        case Form::addrx4:
            return element(tables.addresses, unit.top[Attribute::addr_base], unit.encoding, value.number,
                           Encoding::address_size);
        default:
            throw Damaged{};
    }
}

}  // namespace croftsim::debug_info
