#include "debug_info/named_code.hpp"

#include <algorithm>
#include <optional>

namespace croftsim::debug_info {
namespace {

std::optional<std::size_t> number_of(const std::vector<std::string>& names, std::string_view name) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return {};
    return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

NamedCode find_named(const Tables& tables, const Units& units, Names& names, const std::vector<std::string>& labels,
                     const std::vector<std::string>& functions) {
    NamedCode found;
    const auto look = [&](const Unit& unit, const Entry& entry) {
        if (entry.tag == Tag::label) {
            // One without an address is that of the function as it was written, or has been lost.
            const Value& low = entry[Attribute::low_pc];
            if (!low) return;
            if (const auto name = number_of(labels, names.written(unit, entry)))
                found.labels.push_back({address_of(tables, unit, low), *name});
        } else if (entry.tag == Tag::inlined_subroutine || entry.tag == Tag::subprogram) {
            const std::string_view written = names.written(unit, entry);
            if (const auto name = number_of(functions, written.substr(0, written.find('<'))))
                for (const Range& range : ranges_of(tables, unit, entry))
                    if (range.begin < range.end) found.functions.push_back({range, *name});
        }
    };
    for (const Unit& unit : units.all()) {
        try {
            std::size_t open = 0;
            Reader from = tables.reader(tables.information.first(unit.end), unit.first);
            do {
                const Entry entry = read_entry(tables, unit, from);
                if (entry.tag == Tag::none)
                    open -= open != 0;
                else
                    open += entry.has_children;
                look(unit, entry);
            } while (open != 0);
        } catch (const Damaged&) {
        }
    }
    return found;
}

}  // namespace croftsim::debug_info
