#pragma once
// Floating-point arithmetic as RISC-V asks for it (unprivileged specification, chapters "F" and "D"; IEEE 754-2019),
// bit for bit the same on every host.
//
// Operands and results are bit patterns: B is uint32_t (binary32) or uint64_t (binary64). `rm` is a rounding mode from
// 0 to 4 (rne, rtz, rdn, rup, rmm). The exceptions of an operation (nv, dz, of, uf, nx) are or-ed into `flags`. Every
// NaN that results is the canonical one. Tininess is detected after rounding.
//
// Each operation is the host's where its result and `flags` prove that the host's is right, else integer arithmetic
// (isa/floating_point_exact.hpp). Programs round to nearest, seldom clear NX, and seldom see infinities or subnormals,
// so that the second is rare. The host must be in its default mode: isa/floating_point_environment.hpp sees to that.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "isa/floating_point_compare.hpp"
#include "isa/floating_point_constant.hpp"
#include "isa/floating_point_exact.hpp"
#include "isa/floating_point_format.hpp"
#include "isa/floating_point_host.hpp"

namespace croftsim::fp {

template <class B>
B add(B a, B b, std::uint8_t rm, std::uint8_t& flags) {
    if (host::usable && rm == rne) [[likely]] {
        const auto x = host::real(a), y = host::real(b), sum = x + y;
        const B result = host::bits(sum);
        if (host::is_plain(result) && (flags & nx || host::sum_is_exact(x, y, sum))) [[likely]]
            return result;
        if (is_zero(result)) return result;  // there is no tiny sum that is not exact
    }
    return exact::add(a, b, rm, flags);
}

template <class B>
B sub(B a, B b, std::uint8_t rm, std::uint8_t& flags) {
    return add(a, b ^ Format<B>::sign_bit, rm, flags);  // also if b is a NaN: the result does not have its sign
}

template <class B>
B mul(B a, B b, std::uint8_t rm, std::uint8_t& flags) {
    if (host::usable && rm == rne) [[likely]] {
        const B result = host::bits(host::real(a) * host::real(b));
        if (host::is_plain(result) && (flags & nx || host::product_fits(a, b))) [[likely]]
            return result;
        if (is_zero(result) && (is_zero(a) || is_zero(b))) return result;
    }
    return exact::mul(a, b, rm, flags);
}

// a × b + c, rounded once. Infinity × 0 raises NV even if c is a quiet NaN.
template <class B>
B fma(B a, B b, B c, std::uint8_t rm, std::uint8_t& flags) {
    if (host::usable && rm == rne && host::has_fma()) [[likely]] {
        const auto x = host::real(a), y = host::real(b), z = host::real(c), sum = host::fma(x, y, z);
        const B result = host::bits(sum);
        const bool nothing_to_add = is_zero(a) || is_zero(b);
        const auto is_exact = [&] {
            const B product = host::bits(x * y);
            return nothing_to_add || (host::is_plain(product) && host::product_fits(a, b) &&
                                      host::sum_is_exact(host::real(product), z, sum));
        };
        if (host::is_plain(result) && (flags & nx || is_exact())) [[likely]]
            return result;
        if (is_zero(result) && nothing_to_add) return result;
    }
    return exact::fma(a, b, c, rm, flags);
}

template <class B>
B div(B a, B b, std::uint8_t rm, std::uint8_t& flags) {
    if (host::usable && rm == rne) [[likely]] {
        const auto x = host::real(a), y = host::real(b), quotient = x / y;
        const B result = host::bits(quotient);
        const auto is_exact = [&] { return host::is_plain(a) && host::product_fits(result, b) && quotient * y == x; };
        if (host::is_plain(result) && (flags & nx || is_exact())) [[likely]]
            return result;
        if (is_zero(result) && is_zero(a)) return result;
    }
    return exact::div(a, b, rm, flags);
}

template <class B>
B sqrt(B a, std::uint8_t rm, std::uint8_t& flags) {
    if (host::usable && rm == rne && !is_negative(a)) [[likely]] {
        const auto x = host::real(a), root = std::sqrt(x);
        const B result = host::bits(root);
        const auto is_exact = [&] {
            return host::is_plain(a) && host::product_fits(result, result) && root * root == x;
        };
        if (host::is_plain(result) && (flags & nx || is_exact())) [[likely]]
            return result;
    }
    return exact::sqrt(a, rm, flags);
}

// The integer that a rounds to. If the value is out of the range of I after rounding: NV alone, and the end of the
// range on that side. If it is a NaN: NV and the greatest of I. I is int32_t, uint32_t, int64_t or uint64_t.
template <class I, class B>
I to_integer(B a, std::uint8_t rm, std::uint8_t& flags) {
    if (host::usable && rm == rtz) [[likely]] {  // what a conversion in C means
        using Real = host::Real<B>;
        // The host converts to int64_t.
        constexpr int width = std::min(std::numeric_limits<I>::digits, std::numeric_limits<std::int64_t>::digits);
        constexpr Real end = static_cast<Real>(std::uint64_t{1} << width);
        const Real x = host::real(a);
        if (x < end && (std::is_signed_v<I> ? -end < x : Real{0} <= x)) [[likely]] {
            const auto value = static_cast<std::int64_t>(x);
            if (static_cast<Real>(value) != x) flags |= nx;
            return static_cast<I>(value);
        }
    }
    return exact::to_integer<I>(a, rm, flags);
}

// The number nearest to an integer, in the sense of rm.
template <class B, class I>
B from_integer(I value, std::uint8_t rm, std::uint8_t& flags) {
    const auto size = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    const bool fits = size <= 2 * std::uint64_t{Format<B>::hidden_bit};  // so that the conversion is exact
    if (host::usable && (fits || (rm == rne && (flags & nx)))) [[likely]] {
        return host::bits(static_cast<host::Real<B>>(value));
    }
    return exact::from_integer<B>(value, rm, flags);
}

// binary32 to binary64, which is exact.
inline std::uint64_t widen(std::uint32_t a, std::uint8_t& flags) {
    if (host::usable && !is_nan(a)) [[likely]]
        return host::bits(static_cast<double>(host::real(a)));
    return exact::widen(a, flags);
}

// binary64 to binary32.
inline std::uint32_t narrow(std::uint64_t a, std::uint8_t rm, std::uint8_t& flags) {
    if (host::usable && rm == rne) [[likely]] {
        const auto value = static_cast<float>(host::real(a));
        const std::uint32_t result = host::bits(value);
        if (host::is_plain(result) && (flags & nx || static_cast<double>(value) == host::real(a))) [[likely]]
            return result;
    }
    return exact::narrow(a, rm, flags);
}

// From and to binary16, which few programs compute with.
using exact::convert;

// The integer that a rounds to, as a number of the format; zeros keep the sign. It raises NX if that is another number.
template <class B>
B to_integral_exactly(B a, std::uint8_t rm, std::uint8_t& flags) {
    return exact::to_integral(a, rm, flags);
}
// The same without NX.
template <class B>
B to_integral(B a, std::uint8_t rm, std::uint8_t& flags) {
    std::uint8_t raised = 0;
    const B result = exact::to_integral(a, rm, raised);
    flags |= raised & nv;
    return result;
}

// Bits 31 to 0 of the integer that a rounds to towards zero; 0 if a is a NaN or an infinity. The flags are those of a
// conversion to int32_t.
inline std::int32_t to_word_modulo(std::uint64_t a, std::uint8_t& flags) {
    using F = Format<std::uint64_t>;
    const auto in_range = to_integer<std::int32_t>(a, rtz, flags);
    const int exponent = static_cast<int>(magnitude(a) >> (F::precision - 1)) - F::bias;
    if (exponent < 31) return in_range;
    const int shift = exponent - (F::precision - 1);
    if (is_infinite(a) || is_nan(a) || shift > 31) return 0;
    const std::uint64_t significand = (a & F::fraction_mask) | F::hidden_bit;
    const std::uint64_t size = shift < 0 ? significand >> -shift : significand << shift;
    return static_cast<std::int32_t>(is_negative(a) ? 0 - size : size);
}

}  // namespace croftsim::fp
