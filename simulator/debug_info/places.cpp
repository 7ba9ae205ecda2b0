#include "debug_info/places.hpp"

#include <algorithm>
#include <tuple>

namespace croftsim::debug_info {
namespace {

// Compilers come to some dozens. In a damaged table any number of calls may hold an address.
constexpr std::size_t deepest = 512;

bool only_names(Tag tag) { return tag == Tag::namespace_ || tag == Tag::structure_type || tag == Tag::class_type; }

bool holds_code(Tag tag) {
    return tag == Tag::subprogram || tag == Tag::inlined_subroutine || tag == Tag::lexical_block;
}

}  // namespace

UnitPlaces::UnitPlaces(const Tables& tables, const Unit& unit, Names& names)
    : table_(tables, unit), lines_(source_lines(table_)) {
    read_calls(tables, unit, names);
    std::ranges::stable_sort(inlined_, {}, [](const Inlined& of) { return std::tuple(of.range.begin, of.depth); });
}

void UnitPlaces::read_calls(const Tables& tables, const Unit& unit, Names& names) {
    // For each entry whose children are being read: in how many inlined calls they are, or that nobody asks for them.
    struct Level {
        bool is_read = true;
        std::size_t depth = 0;
    };
    std::vector<Level> open;
    Reader from = tables.reader(tables.information.first(unit.end), unit.first);
    do {
        const Entry entry = read_entry(tables, unit, from);
        if (entry.tag == Tag::none) {
            if (!open.empty()) open.pop_back();
            continue;
        }
        Level level = open.empty() ? Level{} : open.back();
        const bool is_top = open.empty();
        level.is_read = level.is_read && (is_top || only_names(entry.tag) || holds_code(entry.tag));
        if (level.is_read && entry.tag == Tag::inlined_subroutine) {
            Place caller;
            if (const Value& file = entry[Attribute::call_file]) caller.file = table_.path(file.number);
            caller.line = entry[Attribute::call_line].number;
            const std::string_view name = names.of(unit, entry);
            for (const Range& range : ranges_of(tables, unit, entry))
                inlined_.push_back({range, level.depth, name.empty() ? "?" : name, caller});
            ++level.depth;
        }
        if (entry.has_children) open.push_back(level);
        if (open.size() > deepest) throw Damaged{};
    } while (!open.empty());
}

Place UnitPlaces::line_at(std::uint64_t address) const {
    const auto after = std::ranges::upper_bound(lines_, address, {}, &SourceLine::begin);
    if (after == lines_.begin() || address >= std::prev(after)->end) return {};
    const SourceLine& line = *std::prev(after);
    return {{}, *line.file, line.line};
}

std::vector<UnitPlaces::Places> UnitPlaces::at(const std::vector<std::uint64_t>& addresses) const {
    std::vector<Places> found;
    std::vector<const Inlined*> under_way;
    auto coming = inlined_.begin();
    for (const std::uint64_t address : addresses) {
        for (; coming != inlined_.end() && coming->range.begin <= address; ++coming)
            if (coming->range.end > address) under_way.push_back(&*coming);
        std::erase_if(under_way, [&](const Inlined* one) { return one->range.end <= address; });
        if (under_way.size() > deepest) throw Damaged{};
        std::vector<const Inlined*> innermost_first = under_way;
        std::ranges::stable_sort(innermost_first, std::greater(), &Inlined::depth);
        Places& places = found.emplace_back();
        Place here = line_at(address);
        for (const Inlined* one : innermost_first) {
            here.function = one->function;
            places.push_back(here);
            here = one->caller;
        }
        places.push_back(here);
    }
    return found;
}

}  // namespace croftsim::debug_info
