#pragma once
// Distances between tries that look random. Otherwise two cores of the same pace may miss each other for ever. One only
// takes a lock to find nothing, and the other, whose deque it is, always comes while it is taken.

namespace croft::paper {

// 1 to 2^bits, another for each number of a try (multiplicative hashing).
constexpr unsigned varied_distance(unsigned tries, unsigned bits) { return 1 + (tries * 2654435761u >> (32 - bits)); }

}  // namespace croft::paper
