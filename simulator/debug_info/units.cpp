#include "debug_info/units.hpp"

#include <algorithm>
#include <tuple>

namespace croftsim::debug_info {

Units::Units(Tables& tables) {
    try {
        read(tables);
    } catch (const Damaged&) {  // where the next unit begins is not known
    }
    std::ranges::sort(code_, {}, [](const Code& of) { return std::tuple(of.range.begin, of.range.end, of.unit); });
}

void Units::read(Tables& tables) {
    for (std::uint64_t offset = 0; offset < tables.information.size();) {
        Reader from(tables.information, offset);
        const UnitLength length(from);
        const std::uint64_t end = from.at() + length.bytes;
        try {
            Reader within = tables.reader(tables.information.first(end), from.at());
            Unit unit;
            unit.offset = offset;
            unit.end = end;
            unit.encoding.offset_size = length.offset_size;
            read_header(unit, within, tables);
            unit.top = read_entry(tables, unit, within);
            units_.push_back(unit);
            for (const Range& range : ranges_of(tables, unit, unit.top)) code_.push_back({range, units_.size() - 1});
        } catch (const Damaged&) {  // it says nothing; others may
        }
        offset = end;
    }
}

void Units::read_header(Unit& unit, Reader& from, Tables& tables) {
    Encoding& encoding = unit.encoding;
    encoding.version = static_cast<std::uint16_t>(from.number(2));
    if (encoding.version < 2 || encoding.version > 5) throw Damaged{};
    const std::uint8_t type = encoding.version < 5 ? 0 : from.u8();
    std::uint8_t address_size = encoding.version < 5 ? 0 : from.u8();
    const std::uint64_t offset = from.number(encoding.offset_size);
    if (encoding.version < 5) address_size = from.u8();
    if (address_size != Encoding::address_size) throw Damaged{};
    constexpr std::uint8_t type_unit = 2, skeleton = 4, split_compile = 5, split_type = 6;
    if (type == skeleton || type == split_compile) from.skip(8);                       // its number
    if (type == type_unit || type == split_type) from.skip(8 + encoding.offset_size);  // signature, where the type is
    unit.abbreviations = &abbreviations(tables, offset);
    unit.first = from.at();
}

const Abbreviations& Units::abbreviations(Tables& tables, std::uint64_t offset) {
    std::unique_ptr<Abbreviations>& known = abbreviations_[offset];
    if (!known) known = std::make_unique<Abbreviations>(tables.abbreviations, offset, tables.budget);
    return *known;
}

const Unit* Units::at(std::uint64_t address) const {
    const auto after = std::ranges::upper_bound(code_, address, {}, [](const Code& of) { return of.range.begin; });
    if (after == code_.begin() || address >= std::prev(after)->range.end) return nullptr;
    return &units_[std::prev(after)->unit];
}

const Unit& Units::holding(std::uint64_t offset) const {
    const auto after = std::ranges::upper_bound(units_, offset, {}, &Unit::offset);
    if (after == units_.begin() || offset >= std::prev(after)->end) throw Damaged{};
    return *std::prev(after);
}

}  // namespace croftsim::debug_info
