#pragma once
// Pseudo-random numbers that can be had in any order: the i-th of a seed (splitmix64's finalizer).

#include <cstdint>

namespace programs {

inline std::uint64_t random_number(std::uint64_t seed, std::uint64_t i) {
    std::uint64_t x = (seed << 40) + (i + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

}  // namespace programs
