#include "debug_info/abbreviations.hpp"

#include <algorithm>

namespace croftsim::debug_info {
namespace {

Attribute attribute_of(std::uint64_t number) {
    switch (number) {
        case 0x03:
            return Attribute::name;
        case 0x10:
            return Attribute::stmt_list;
        case 0x11:
            return Attribute::low_pc;
        case 0x12:
            return Attribute::high_pc;
        case 0x1b:
            return Attribute::comp_dir;
        case 0x31:
            return Attribute::abstract_origin;
        case 0x47:
            return Attribute::specification;
        case 0x55:
            return Attribute::ranges;
        case 0x58:
            return Attribute::call_file;
        case 0x59:
            return Attribute::call_line;
        case 0x6e:
            return Attribute::linkage_name;
        case 0x72:
            return Attribute::str_offsets_base;
        case 0x73:
            return Attribute::addr_base;
        case 0x74:
            return Attribute::rnglists_base;
        default:
            return Attribute::other;
    }
}

}  // namespace

Abbreviations::Abbreviations(Bytes table, std::uint64_t offset, Budget& budget) {
    Reader from(table, offset, &budget);
    while (const std::uint64_t code = from.uleb()) {
        Abbreviation read{code, from.uleb(), from.u8() != 0, static_cast<std::uint32_t>(attributes_.size()), 0};
        for (;;) {
            const std::uint64_t number = from.uleb(), form = from.uleb();
            if (number == 0 && form == 0) break;
            AttributeForm one{attribute_of(number), form_of(form), 0};
            if (one.form == Form::implicit_const) one.implicit = from.sleb();
            attributes_.push_back(one);
            ++read.count;
        }
        all_.push_back(read);
    }
    if (!std::ranges::is_sorted(all_, {}, &Abbreviation::code)) std::ranges::stable_sort(all_, {}, &Abbreviation::code);
}

const Abbreviation& Abbreviations::find(std::uint64_t code) const {
    // Compilers count from 1 on.
    if (code - 1 < all_.size() && all_[code - 1].code == code) return all_[code - 1];
    const auto found = std::ranges::lower_bound(all_, code, {}, &Abbreviation::code);
    if (found == all_.end() || found->code != code) throw Damaged{};
    return *found;
}

}  // namespace croftsim::debug_info
