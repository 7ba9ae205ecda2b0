#pragma once
// The replacement policies by name. A new one is a file of this folder and a row here.

#include <cstdint>
#include <iterator>

#include "cache/replacement/plru.hpp"
#include "cache/replacement/random.hpp"
#include "cache/replacement/rrip.hpp"
#include "contract/description.hpp"

namespace croftsim::replacement {

inline constexpr Plru plru;
inline constexpr Random random;
inline constexpr Rrip rrip;

struct Row {
    const char* name;
    Replacement which;
    const Policy* policy;  // null: Lru, which a cache calls itself
    bool halves;           // the ways again and again: their number must be a power of two
};
inline constexpr Row table[] = {
    {"lru", Replacement::lru, nullptr, false},
    {"plru", Replacement::plru, &plru, true},
    {"random", Replacement::random, &random, false},
    {"rrip", Replacement::rrip, &rrip, false},
};
constexpr const Row& row_of(Replacement which) { return table[static_cast<std::size_t>(which)]; }
static_assert([] {
    for (const Row& row : table)
        if (&row != &row_of(row.which)) return false;
    return true;
}());

}  // namespace croftsim::replacement
