#pragma once
// The memory operations of a core, as those see them who carry them out, and their outcomes.

#include <cstdint>

namespace croftsim {

// How a load's bytes become a register.
enum class LoadType : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, single, real };

constexpr unsigned size_of(LoadType type) {
    constexpr unsigned sizes[] = {1, 1, 2, 2, 4, 4, 8, 4, 8};
    return sizes[static_cast<unsigned>(type)];
}

// The register's value then. `raw`: the bytes, and anything above them.
constexpr std::uint64_t register_value(LoadType type, std::uint64_t raw) {
    switch (type) {
        case LoadType::i8:
            return static_cast<std::uint64_t>(static_cast<std::int8_t>(raw));
        case LoadType::u8:
            return static_cast<std::uint8_t>(raw);
        case LoadType::i16:
            return static_cast<std::uint64_t>(static_cast<std::int16_t>(raw));
        case LoadType::u16:
            return static_cast<std::uint16_t>(raw);
        case LoadType::i32:
            return static_cast<std::uint64_t>(static_cast<std::int32_t>(raw));
        case LoadType::u32:
            return static_cast<std::uint32_t>(raw);
        case LoadType::single:
            return raw | 0xffffffff00000000u;
        default:
            return raw;
    }
}

// The outcome of a memory operation that the fast path did not do.
enum class Access : std::uint8_t {
    done,     // now; core.cycle has moved by what it stalled
    blocked,  // the core sleeps, and goes on behind this operation
    retry,    // the core sleeps or has to stop, and does this operation again
};

}  // namespace croftsim
