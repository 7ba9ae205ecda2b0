#pragma once
// A field of an instruction, or of another encoding, as a signed number.

#include <cstdint>

namespace croftsim {

// The low `width` bits of `value` in two's complement; the bits above do not count. Width 1 to 32.
constexpr std::int32_t sign_extend(std::uint32_t value, int width) {
    return static_cast<std::int32_t>(value << (32 - width)) >> (32 - width);
}

}  // namespace croftsim
