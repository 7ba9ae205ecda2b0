#include "debug_info/names.hpp"

namespace croftsim::debug_info {

std::string_view Names::of(const Unit& unit, const Entry& entry, int steps) {
    for (const Attribute key : {Attribute::linkage_name, Attribute::name})
        if (entry[key]) return text_of(tables_, unit, entry[key]);
    for (const Attribute key : {Attribute::abstract_origin, Attribute::specification}) {
        if (!entry[key] || steps == 0) continue;
        const std::uint64_t offset = offset_of(unit, entry[key]);
        const auto known = known_.find(offset);
        if (known != known_.end()) return known->second;
        const Found origin = find(offset);
        return known_[offset] = of(*origin.unit, origin.entry, steps - 1);
    }
    return {};
}

std::string_view Names::written(const Unit& unit, const Entry& entry) {
    const auto name = [&](const Unit& in, const Entry& of) {
        return of[Attribute::name] ? text_of(tables_, in, of[Attribute::name]) : std::string_view();
    };
    if (!entry[Attribute::abstract_origin]) return name(unit, entry);
    const std::uint64_t offset = offset_of(unit, entry[Attribute::abstract_origin]);
    const auto known = known_written_.find(offset);
    if (known != known_written_.end()) return known->second;
    Found at = find(offset);
    for (int steps = 1; at.entry[Attribute::abstract_origin]; ++steps) {
        if (steps == most_steps) return known_written_[offset] = {};
        at = find(offset_of(*at.unit, at.entry[Attribute::abstract_origin]));
    }
    return known_written_[offset] = name(*at.unit, at.entry);
}

std::uint64_t Names::offset_of(const Unit& unit, const Value& reference) const {
    switch (reference.form) {
        case Form::ref1:
        case Form::ref2:
        case Form::ref4:
        case Form::ref8:
        case Form::ref_udata:
            return unit.offset + reference.number;
        case Form::ref_addr:
            return reference.number;
        default:
            throw Damaged{};
    }
}

Names::Found Names::find(std::uint64_t offset) const {
    const Unit& unit = units_.holding(offset);
    Reader from = tables_.reader(tables_.information.first(unit.end), offset);
    return {&unit, read_entry(tables_, unit, from)};
}

}  // namespace croftsim::debug_info
