#pragma once
// What one program's file says of itself: symbols, lines, inlined calls, unwinding tables. Nothing is read before it is
// asked for, and what has been read is kept. Addresses are those of the tables: a static PIE runs elsewhere.

#include <optional>
#include <unordered_map>

#include "debug_info/named_code.hpp"
#include "debug_info/places.hpp"
#include "debug_info/symbol_table.hpp"
#include "debug_info/unwinder.hpp"

namespace croftsim::debug_info {

// Damaged tables say nothing, or less.
class DebugInformation {
public:
    // Refers to `file`. Whatever is found refers to this object.
    DebugInformation(Bytes file, const Sections::Inflate& inflate);
    DebugInformation(const DebugInformation&) = delete;  // its parts refer to each other
    DebugInformation& operator=(const DebugInformation&) = delete;

    Bytes section(std::string_view name) const { return sections_.find(name).bytes; }
    std::vector<Symbol> symbols(SymbolKind kind);

    // Whether debug information covers an address.
    bool covers(std::uint64_t address);
    // Where instructions are, as UnitPlaces::at() says; nothing where no debug information covers one.
    std::vector<UnitPlaces::Places> places(const std::vector<std::uint64_t>& addresses);
    // The lines of all units, each in ascending order.
    std::vector<SourceLine> lines();
    NamedCode find_named(const std::vector<std::string>& labels, const std::vector<std::string>& functions);

    std::vector<std::uint64_t> callers(const Stopped& at, std::uint64_t moved);

private:
    const Units& units();
    const UnitPlaces* places_of(const Unit& unit);

    Budget budget_;
    Sections sections_;
    Tables tables_;
    std::optional<Units> units_;
    std::optional<Names> names_;
    std::optional<CallFrames> frames_;
    std::unordered_map<const Unit*, std::optional<UnitPlaces>> places_;  // nothing of a unit that is damaged
};

}  // namespace croftsim::debug_info
