#pragma once
// The binary interchange formats (IEEE 754-2019, section 3.4) as bit patterns, and RISC-V's numbers for rounding modes
// and exceptions (unprivileged specification, section 20.2). B is uint32_t (binary32) or uint64_t (binary64), and for
// conversions uint16_t (binary16).

#include <cstdint>
#include <type_traits>

namespace croftsim::fp {

// Rounding modes: to nearest, ties to even; towards zero; down; up; to nearest, ties away from zero.
inline constexpr std::uint8_t rne = 0, rtz = 1, rdn = 2, rup = 3, rmm = 4;

// Exceptions: invalid operation, division by zero, overflow, underflow, inexact.
inline constexpr std::uint8_t nv = 16, dz = 8, of = 4, uf = 2, nx = 1;

// A normal number is ±m × 2^e with m in [1, 2) of `precision` bits and e from emin to emax. Its pattern holds the
// sign, e + bias, and m without its first bit. The patterns of positive numbers are in the numbers' order.
template <class B>
struct Format {
    static_assert(std::is_same_v<B, std::uint16_t> || std::is_same_v<B, std::uint32_t> ||
                  std::is_same_v<B, std::uint64_t>);

    static constexpr int precision = sizeof(B) == 2 ? 11 : sizeof(B) == 4 ? 24 : 53;
    static constexpr int emax = sizeof(B) == 2 ? 15 : sizeof(B) == 4 ? 127 : 1023;
    static constexpr int emin = 1 - emax;
    static constexpr int bias = emax;

    static constexpr B sign_bit = B{1} << (8 * sizeof(B) - 1);
    static constexpr B hidden_bit = B{1} << (precision - 1);  // the bit of m that the pattern leaves out
    static constexpr B fraction_mask = hidden_bit - 1;

    static constexpr B infinity = sign_bit - hidden_bit;
    static constexpr B canonical_nan = infinity | (hidden_bit >> 1);
    static constexpr B smallest_normal = hidden_bit;
    static constexpr B greatest_finite = infinity - 1;
};

template <class B>
constexpr bool is_negative(B a) {
    return (a & Format<B>::sign_bit) != 0;
}
template <class B>
constexpr B magnitude(B a) {
    return a & ~Format<B>::sign_bit;
}
template <class B>
constexpr bool is_zero(B a) {
    return magnitude(a) == 0;
}
template <class B>
constexpr bool is_infinite(B a) {
    return magnitude(a) == Format<B>::infinity;
}
template <class B>
constexpr bool is_nan(B a) {
    return magnitude(a) > Format<B>::infinity;
}
template <class B>
constexpr bool is_signalling(B a) {
    return is_nan(a) && !(a & (Format<B>::hidden_bit >> 1));
}

template <class B>
constexpr B with_sign(bool negative, B magnitude) {
    return negative ? magnitude | Format<B>::sign_bit : magnitude;
}

// Whether one of them is a NaN; a signalling one is an invalid operation.
template <class... Bs>
constexpr bool any_nan(std::uint8_t& flags, Bs... operands) {
    if ((is_signalling(operands) || ...)) flags |= nv;
    return (is_nan(operands) || ...);
}

}  // namespace croftsim::fp
