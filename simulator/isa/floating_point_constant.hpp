#pragma once
// The constants of fli (unprivileged specification, chapter "Zfa", table of the values that rs1's field names).

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "isa/floating_point_format.hpp"

namespace croftsim::fp {

struct Constant {
    double value;
    const char* text;  // as assemblers read it
};
// Two depend on the format: "min" is its smallest normal number, "nan" its canonical NaN.
inline constexpr int smallest_normal_constant = 1, nan_constant = 31;
inline constexpr std::array<Constant, 32> constants = {{
    {-1.0, "-1.0"},
    {0, "min"},
    {0x1p-16, "0.0000152587890625"},
    {0x1p-15, "0.000030517578125"},
    {0x1p-8, "0.00390625"},
    {0x1p-7, "0.0078125"},
    {0.0625, "0.0625"},
    {0.125, "0.125"},
    {0.25, "0.25"},
    {0.3125, "0.3125"},
    {0.375, "0.375"},
    {0.4375, "0.4375"},
    {0.5, "0.5"},
    {0.625, "0.625"},
    {0.75, "0.75"},
    {0.875, "0.875"},
    {1.0, "1.0"},
    {1.25, "1.25"},
    {1.5, "1.5"},
    {1.75, "1.75"},
    {2.0, "2.0"},
    {2.5, "2.5"},
    {3.0, "3.0"},
    {4.0, "4.0"},
    {8.0, "8.0"},
    {16.0, "16.0"},
    {128.0, "128.0"},
    {256.0, "256.0"},
    {0x1p15, "32768.0"},
    {0x1p16, "65536.0"},
    {std::numeric_limits<double>::infinity(), "inf"},
    {0, "nan"},
}};

// The pattern of a constant; `number` is from 0 to 31. All are exact in both formats.
template <class B>
constexpr B constant(std::int64_t number) {
    if (number == smallest_normal_constant) return Format<B>::smallest_normal;
    if (number == nan_constant) return Format<B>::canonical_nan;
    const double value = constants[static_cast<std::size_t>(number) % constants.size()].value;
    if constexpr (sizeof(B) == 8)
        return std::bit_cast<B>(value);
    else
        return std::bit_cast<B>(static_cast<float>(value));
}

}  // namespace croftsim::fp
