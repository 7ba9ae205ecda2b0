#pragma once
// Cores as the tiles of a mesh, numbered row by row: tile (x, y) is core y * columns + x.

#include <cstdlib>
#include <optional>

namespace programs {

inline int hops_between(int a, int b, int columns) {
    return std::abs(a % columns - b % columns) + std::abs(a / columns - b / columns);
}

// A tile `hops` away from tile 0, along its row first; nothing if a mesh of `columns` x `columns` has none.
inline std::optional<int> tile_at(int hops, int columns) {
    if (hops < columns) return hops;
    if (hops <= 2 * (columns - 1)) return (hops - (columns - 1)) * columns + columns - 1;
    return std::nullopt;
}

}  // namespace programs
