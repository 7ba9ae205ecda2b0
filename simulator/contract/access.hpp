#pragma once
// The memory operations of a core, as those see them who carry them out, and their outcomes.

#include <cstdint>

namespace croftsim {

// How a load's bytes become a register; the last one is of atomics alone, and becomes two (isa/atomic_operation.hpp).
enum class LoadType : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, half, single, real, pair };

constexpr bool is_floating(LoadType type) { return type >= LoadType::half && type <= LoadType::real; }

constexpr unsigned size_of(LoadType type) {
    constexpr unsigned sizes[] = {1, 1, 2, 2, 4, 4, 8, 2, 4, 8, 16};
    return sizes[static_cast<unsigned>(type)];
}

// The register's value then. `raw`: the bytes, and anything above them.
constexpr std::uint64_t register_value(LoadType type, std::uint64_t raw) {
    if (type == LoadType::single) return raw | 0xffffffff00000000u;
    if (type == LoadType::half) return raw | 0xffffffffffff0000u;
    if (type == LoadType::pair) return raw;
    const unsigned above = 64 - 8 * size_of(type);
    raw <<= above;
    const bool is_unsigned = type == LoadType::u8 || type == LoadType::u16 || type == LoadType::u32;
    return is_unsigned ? raw >> above : static_cast<std::uint64_t>(static_cast<std::int64_t>(raw) >> above);
}

// The outcome of a memory operation that the fast path did not do.
enum class Access : std::uint8_t {
    done,     // now; core.cycle has moved by what it stalled
    blocked,  // the core sleeps, and goes on behind this operation
    retry,    // the core sleeps or has to stop, and does this operation again
};

}  // namespace croftsim
