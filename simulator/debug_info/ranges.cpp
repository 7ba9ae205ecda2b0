#include "debug_info/ranges.hpp"

namespace croftsim::debug_info {
namespace {

// .debug_ranges: pairs of addresses, relative to a base.
std::vector<Range> pairs(const Tables& tables, std::uint64_t offset, std::uint64_t base) {
    constexpr std::uint64_t chooses_base = ~std::uint64_t{0};
    std::vector<Range> found;
    Reader from = tables.reader(tables.ranges, offset);
    for (;;) {
        const std::uint64_t begin = from.number(8), end = from.number(8);
        if (begin == 0 && end == 0) break;
        if (begin == chooses_base)
            base = end;
        else
            found.push_back({begin + base, end + base});
    }
    return found;
}

// .debug_rnglists: each entry says its kind.
std::vector<Range> list(const Tables& tables, const Unit& unit, std::uint64_t offset, std::uint64_t base) {
    std::vector<Range> found;
    Reader from = tables.reader(tables.range_lists, offset);
    const auto address = [&] { return from.number(Encoding::address_size); };
    const auto indexed = [&] { return address_of(tables, unit, {Form::addrx, from.uleb()}); };
    const auto with_length = [&](std::uint64_t begin) { found.push_back({begin, begin + from.uleb()}); };
    for (;;) {
        const std::uint8_t kind = from.u8();
        if (kind == 0) break;  // DW_RLE_end_of_list
        Range range;
        switch (kind) {
            case 1:  // DW_RLE_base_addressx
                base = indexed();
                break;
            case 2:  // DW_RLE_startx_endx
                range.begin = indexed();
                range.end = indexed();
                found.push_back(range);
                break;
            case 3:  // DW_RLE_startx_length
                with_length(indexed());
                break;
            case 4:  // DW_RLE_offset_pair
                range.begin = base + from.uleb();
                range.end = base + from.uleb();
                found.push_back(range);
                break;
            case 5:  // DW_RLE_base_address
                base = address();
                break;
            case 6:  // DW_RLE_start_end
                range.begin = address();
                range.end = address();
                found.push_back(range);
                break;
            case 7:  // DW_RLE_start_length
                with_length(address());
                break;
            default:
                throw Damaged{};
        }
    }
    return found;
}

// Where the list is that the unit has under an index: its offsets stand in front of the lists, and count from there.
std::uint64_t indexed_list(const Tables& tables, const Unit& unit, std::uint64_t index) {
    const Value& given = unit.top[Attribute::rnglists_base];
    const std::uint8_t size = unit.encoding.offset_size;
    const std::uint64_t base = given ? given.number : size == 8 ? 20 : 12;
    if (index > tables.range_lists.size()) throw Damaged{};
    Reader from(tables.range_lists, base);
    from.skip(index * size);
    return base + from.number(size);
}

}  // namespace

std::vector<Range> ranges_of(const Tables& tables, const Unit& unit, const Entry& entry) {
    if (const Value& ranges = entry[Attribute::ranges]) {
        const Value& low = unit.top[Attribute::low_pc];
        const std::uint64_t base = low ? address_of(tables, unit, low) : 0;
        if (unit.encoding.version < 5) return pairs(tables, ranges.number, base);
        const bool is_index = ranges.form == Form::rnglistx;
        return list(tables, unit, is_index ? indexed_list(tables, unit, ranges.number) : ranges.number, base);
    }
    const Value& high = entry[Attribute::high_pc];
    if (!high) return {};
    const std::uint64_t begin = address_of(tables, unit, entry[Attribute::low_pc]);
    // An address in DWARF 2 and 3; since then mostly a length.
    return {{begin, high.form == Form::addr ? high.number : begin + high.number}};
}

}  // namespace croftsim::debug_info
