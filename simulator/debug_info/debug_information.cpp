#include "debug_info/debug_information.hpp"

#include <algorithm>
#include <numeric>

namespace croftsim::debug_info {

DebugInformation::DebugInformation(Bytes file, const Sections::Inflate& inflate)
    : budget_(file.size()), sections_(file, budget_, inflate), tables_(sections_, budget_) {}

const Units& DebugInformation::units() {
    if (!units_) {
        units_.emplace(tables_);
        names_.emplace(tables_, *units_);
    }
    return *units_;
}

const UnitPlaces* DebugInformation::places_of(const Unit& unit) {
    const auto [known, is_new] = places_.try_emplace(&unit);
    if (is_new) {
        try {
            known->second.emplace(tables_, unit, *names_);
        } catch (const Damaged&) {
        }
    }
    return known->second ? &*known->second : nullptr;
}

std::vector<Symbol> DebugInformation::symbols(SymbolKind kind) {
    budget_.renew();
    return debug_info::symbols(sections_, budget_, kind);
}

bool DebugInformation::covers(std::uint64_t address) {
    budget_.renew();
    return units().at(address) != nullptr;
}

std::vector<UnitPlaces::Places> DebugInformation::places(const std::vector<std::uint64_t>& addresses) {
    budget_.renew();
    std::vector<UnitPlaces::Places> found(addresses.size());
    std::map<const Unit*, std::vector<std::size_t>> wanted;  // what is asked of each unit, as indices
    std::vector<std::size_t> order(addresses.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t index) { return addresses[index]; });
    for (const std::size_t index : order)
        if (const Unit* unit = units().at(addresses[index])) wanted[unit].push_back(index);
    for (const auto& [unit, indices] : wanted) {
        const UnitPlaces* const places = places_of(*unit);
        if (places == nullptr) continue;
        std::vector<std::uint64_t> inside;
        for (const std::size_t index : indices) inside.push_back(addresses[index]);
        try {
            std::vector<UnitPlaces::Places> read = places->at(inside);
            for (std::size_t i = 0; i < indices.size(); ++i) found[indices[i]] = std::move(read[i]);
        } catch (const Damaged&) {
        }
    }
    return found;
}

std::vector<SourceLine> DebugInformation::lines() {
    budget_.renew();
    std::vector<SourceLine> found;
    for (const Unit& unit : units().all())
        if (const UnitPlaces* const places = places_of(unit))
            found.insert(found.end(), places->lines().begin(), places->lines().end());
    return found;
}

NamedCode DebugInformation::find_named(const std::vector<std::string>& labels,
                                       const std::vector<std::string>& functions) {
    budget_.renew();
    return debug_info::find_named(tables_, units(), *names_, labels, functions);
}

std::vector<std::uint64_t> DebugInformation::callers(const Stopped& at, std::uint64_t moved) {
    budget_.renew();
    if (!frames_) frames_.emplace(sections_.find(".eh_frame"), budget_);
    return debug_info::callers(*frames_, at, moved);
}

}  // namespace croftsim::debug_info
