#include "debug_info/symbol_table.hpp"

#include <algorithm>
#include <tuple>

namespace croftsim::debug_info {

std::vector<Symbol> symbols(const Sections& sections, Budget& budget, SymbolKind kind) {
    struct Entry {
        std::uint32_t name;
        std::uint8_t kind_and_binding, visibility;
        std::uint16_t section;
        std::uint64_t begin, bytes;
    };
    static_assert(sizeof(Entry) == 24);
    const Section table = sections.find(".symtab");
    const Bytes texts = sections.at(table.link).bytes;
    if (table.bytes.size() % sizeof(Entry) != 0) return {};
    std::vector<Entry> entries;
    for (std::size_t at = 0; at < table.bytes.size(); at += sizeof(Entry)) {
        Entry entry;
        std::memcpy(&entry, table.bytes.data() + at, sizeof entry);
        if ((entry.kind_and_binding & 15) == static_cast<std::uint8_t>(kind) && entry.section != 0)
            entries.push_back(entry);
    }
    std::ranges::sort(entries, {}, [](const Entry& of) { return std::tuple(of.begin, of.bytes, of.name); });
    std::vector<Symbol> found;
    try {
        for (const Entry& entry : entries)
            found.push_back({entry.begin, entry.bytes, Reader(texts, entry.name, &budget).text()});
    } catch (const Damaged&) {
        return {};
    }
    return found;
}

}  // namespace croftsim::debug_info
