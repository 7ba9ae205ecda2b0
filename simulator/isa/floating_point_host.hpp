#pragma once
// The fast path's use of the host's floating-point unit, and the tests that tell, without the unit's flags, that an
// operation raised nothing. Why the flags are not read: docs/decisions/floating-point.md.

#include <bit>
#include <cfloat>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "isa/floating_point_format.hpp"

namespace croftsim::fp::host {

template <class B>
using Real = std::conditional_t<sizeof(B) == 4, float, double>;

// Whether float and double are the two formats and each operation is rounded to its own type, to nearest even.
#ifdef __FAST_MATH__
inline constexpr bool usable = false;
#else
inline constexpr bool usable =
    std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559 && FLT_EVAL_METHOD == 0;
#endif

inline float real(std::uint32_t bits) { return std::bit_cast<float>(bits); }
inline double real(std::uint64_t bits) { return std::bit_cast<double>(bits); }

// The pattern of a result. The empty assembly hides where it comes from: otherwise the compiler might fuse this
// operation with the next one into a multiply-add (GCC does where the host has one, outside strict ISO C), whose single
// rounding is not that of the two instructions.
template <class R>
auto bits(R result) {
    auto pattern = std::bit_cast<std::conditional_t<sizeof(R) == 4, std::uint32_t, std::uint64_t>>(result);
    asm("" : "+r"(pattern));
    return pattern;
}

// A finite number greater in magnitude than the smallest normal one. If the sum, product, quotient, fused multiply-add,
// square root or narrowing rounded to nearest is plain, then
//
//   - no operand was a NaN or infinite, and no divisor zero, because these give a NaN, an infinity or a zero. So there
//     is no NV and no DZ;
//   - it did not overflow, which gives an infinity. So there is no OF;
//   - it was not tiny after rounding, which gives at most the smallest normal number. So there is no UF.
//
// Only NX is left to find out. (A result of zero raises nothing if it is exact: a NaN would have given a NaN, and an
// infinity a NaN or an infinity, except as a divisor, where it is harmless.)
template <class B>
bool is_plain(B a) {
    constexpr B least = Format<B>::smallest_normal + 1;
    return magnitude(a) - least <= Format<B>::greatest_finite - least;
}

// A sufficient condition for a + b to be exactly `sum`, which is plain and is a + b rounded to nearest: let a be the
// greater one in magnitude; then sum - a is exact (Dekker's Fast2Sum), so it is b only if the sum is exact. It is not
// known which is the greater, so both have to agree. Equal to the condition, in fact: after an exact sum, they do.
template <class R>
bool sum_is_exact(R a, R b, R sum) {
    return sum - a == b && sum - b == a;
}

// How many bits the significand has between its first and its last one: at most, for a subnormal number; 1 for zero.
template <class B>
int significant_bits(B a) {
    return Format<B>::precision - std::countr_zero(a | Format<B>::hidden_bit);
}

// A sufficient condition for a × b to be exact if it is in the normal range: a number of m bits times one of n bits has
// at most m + n.
template <class B>
bool product_fits(B a, B b) {
    return significant_bits(a) + significant_bits(b) <= Format<B>::precision;
}

// a × b + c, rounded once, by an instruction. Call it only if has_fma().
#if defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF)
inline bool has_fma() { return true; }
inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
#elif defined(__x86_64__)
// The baseline x86-64 has none, so ask the processor, once. The instruction is written out, because a function compiled
// for another target could not be inlined.
inline const bool processor_has_fma = (__builtin_cpu_init(), __builtin_cpu_supports("fma"));
inline bool has_fma() { return processor_has_fma; }
inline float fma(float a, float b, float c) {
    asm("vfmadd213ss %2, %1, %0" : "+x"(a) : "x"(b), "x"(c));
    return a;
}
inline double fma(double a, double b, double c) {
    asm("vfmadd213sd %2, %1, %0" : "+x"(a) : "x"(b), "x"(c));
    return a;
}
#else
inline bool has_fma() { return false; }
inline float fma(float, float, float) { return 0; }
inline double fma(double, double, double) { return 0; }
#endif

}  // namespace croftsim::fp::host
