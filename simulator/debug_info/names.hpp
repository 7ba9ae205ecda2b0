#pragma once
// The names of functions. An instance of a function, inlined or not, refers to the function as it was written.

#include <unordered_map>

#include "debug_info/units.hpp"

namespace croftsim::debug_info {

class Names {
public:
    Names(const Tables& tables, const Units& units) : tables_(tables), units_(units) {}

    // The name for the linker, or the one in the source of a function that has no other; empty if it has none at all.
    // Throws Damaged.
    std::string_view of(const Unit& unit, const Entry& entry) { return of(unit, entry, most_steps); }
    // The name in the source, without its classes and namespaces; empty if there is none. Throws Damaged.
    std::string_view written(const Unit& unit, const Entry& entry);

private:
    struct Found {
        const Unit* unit = nullptr;
        Entry entry;
    };
    // From an instance to the function's name. In damaged tables the steps may go in a circle.
    static constexpr int most_steps = 16;

    std::string_view of(const Unit& unit, const Entry& entry, int steps);
    std::uint64_t offset_of(const Unit& unit, const Value& reference) const;
    Found find(std::uint64_t offset) const;

    const Tables& tables_;
    const Units& units_;
    std::unordered_map<std::uint64_t, std::string_view> known_;          // of what others refer to, by offset
    std::unordered_map<std::uint64_t, std::string_view> known_written_;  // the same
};

}  // namespace croftsim::debug_info
