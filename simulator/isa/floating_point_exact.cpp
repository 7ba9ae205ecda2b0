// Every operation has three steps. The operands become integers times powers of two. The operation is done on the
// integers, exactly, or so far that one bit can tell of the rest. The result is rounded once and packed.

#include "isa/floating_point_exact.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>
#include <utility>

#include "isa/floating_point_format.hpp"

namespace croftsim::fp::exact {
namespace {

__extension__ using Uint128 = unsigned __int128;

// Holds the product of two significands with at least 16 bits to spare.
template <class B>
using Wide = std::conditional_t<sizeof(B) <= 4, std::uint64_t, Uint128>;

template <class W>
constexpr int bits_of = static_cast<int>(8 * sizeof(W));

int bit_width(std::uint64_t value) { return static_cast<int>(std::bit_width(value)); }
int bit_width(Uint128 value) {
    const auto high = static_cast<std::uint64_t>(value >> 64);
    return high ? 64 + bit_width(high) : bit_width(static_cast<std::uint64_t>(value));
}

// ±significand × 2^exponent. The last bit of the significand may be a sticky bit. A one there says only that the value
// lies strictly between the neighbouring even significands. Whoever sets it keeps at least two bits more than the
// destination has. So the value cannot be confused with a tie, nor with an exact result.
template <class W>
struct Number {
    bool negative;
    int exponent;
    W significand;

    int top() const { return exponent + bit_width(significand) - 1; }  // the exponent of its first bit
};

// The number of a finite pattern.
template <class B, class W = Wide<B>>
Number<W> unpack(B a) {
    using F = Format<B>;
    const int field = static_cast<int>(magnitude(a) >> (F::precision - 1));
    const W fraction = a & F::fraction_mask;
    return {is_negative(a), std::max(field, 1) - F::bias - (F::precision - 1),
            field ? fraction | F::hidden_bit : fraction};
}

// The same number, with a significand of `precision` bits, also if it was subnormal.
template <class B>
Number<Wide<B>> unpack_normalised(B a) {
    auto number = unpack(a);
    const int shift = Format<B>::precision - bit_width(number.significand);
    number.significand <<= shift;
    number.exponent -= shift;
    return number;
}

// value × 2^shift, what is below one becomes a sticky bit. The caller sees to it that no bit leaves at the top.
template <class W>
W scale(W value, int shift) {
    if (shift >= 0) return value << shift;
    if (shift <= -bits_of<W>) return value != 0;
    const W kept = value >> -shift;
    return kept | W{(kept << -shift) != value};
}

// Whether to round up to the next greater magnitude what lies at `quarters` / 4.
template <class W>
bool rounds_up(bool negative, W quarters, std::uint8_t rm) {
    const bool inexact = quarters & 3, half = quarters & 2;
    if (rm == rne) return half && (quarters & 5);  // above the half, or a tie and odd
    if (rm == rmm) return half;
    return inexact && rm == (negative ? rdn : rup);
}
template <class W>
W round(bool negative, W quarters, std::uint8_t rm) {
    return (quarters >> 2) + rounds_up(negative, quarters, rm);
}

template <class B>
B overflow(bool negative, std::uint8_t rm, std::uint8_t& flags) {
    flags |= of | nx;
    const bool stays_finite = rm == rtz || (rm == rdn && !negative) || (rm == rup && negative);
    return with_sign(negative, stays_finite ? Format<B>::greatest_finite : Format<B>::infinity);
}

// Rounds a number other than zero to the format.
template <class B, class W>
B round_and_pack(const Number<W>& number, std::uint8_t rm, std::uint8_t& flags) {
    using F = Format<B>;
    const int top = number.top();
    if (top > F::emax) return overflow<B>(number.negative, rm, flags);

    const int last_place = std::max(top, F::emin) - (F::precision - 1);  // subnormals share that of the smallest normal
    const W quarters = scale(number.significand, number.exponent - last_place + 2);
    const W rounded = round(number.negative, quarters, rm);
    // The exponent's field is one more than `top - emin`, and the hidden bit, if there, adds that. If the significand
    // was rounded up to the next power of two, its carry adds one likewise, up to infinity.
    const B packed = (static_cast<B>(std::max(top, F::emin) - F::emin) << (F::precision - 1)) + static_cast<B>(rounded);
    if (packed >= F::infinity) return overflow<B>(number.negative, rm, flags);

    if (quarters & 3) {
        flags |= nx;
        if (top < F::emin) {
            // Tininess after rounding: would it be below the smallest normal if the exponent had no lower limit?
            const W unlimited = scale(number.significand, number.exponent - (top - (F::precision - 1)) + 2);
            const int carry = static_cast<int>(round(number.negative, unlimited, rm) >> F::precision);
            if (top + carry < F::emin) flags |= uf;
        }
    }
    return with_sign(number.negative, packed);
}

template <class B>
B invalid(std::uint8_t& flags) {
    flags |= nv;
    return Format<B>::canonical_nan;
}

// x + y of significands with at most twice the precision.
template <class B, class W = Wide<B>>
B round_sum(Number<W> x, Number<W> y, std::uint8_t rm, std::uint8_t& flags) {
    const bool opposite = x.negative != y.negative;
    const B zero = with_sign(opposite ? rm == rdn : x.negative, B{0});
    if (!x.significand && !y.significand) return zero;
    if (!y.significand) return round_and_pack<B>(x, rm, flags);
    if (!x.significand) return round_and_pack<B>(y, rm, flags);

    // The greater one's first bit goes as high as a carry allows. The lesser one loses bits only if its first bit is
    // more than ten places lower. Then the result, less the sticky bit, is still longer than twice the precision.
    if (x.top() < y.top()) std::swap(x, y);
    const int unit = x.top() - (bits_of<W> - 3);
    const W greater = scale(x.significand, x.exponent - unit);
    const W lesser = scale(y.significand, y.exponent - unit);
    if (!opposite) return round_and_pack<B>(Number<W>{x.negative, unit, greater + lesser}, rm, flags);
    if (greater == lesser) return zero;
    if (greater > lesser) return round_and_pack<B>(Number<W>{x.negative, unit, greater - lesser}, rm, flags);
    return round_and_pack<B>(Number<W>{y.negative, unit, lesser - greater}, rm, flags);
}

// The integer part of the square root, and in the last place whether anything is left: one binary digit at a time.
template <class W>
W sticky_root(W radicand) {
    W root = 0;
    for (W digit = W{1} << (bits_of<W> - 2); digit; digit >>= 2) {
        const bool fits = radicand >= root + digit;
        if (fits) radicand -= root + digit;
        root = (root >> 1) + (fits ? digit : 0);
    }
    return root | W{radicand != 0};
}

}  // namespace

template <class B>
B add(B a, B b, std::uint8_t rm, std::uint8_t& flags) {
    if (any_nan(flags, a, b)) return Format<B>::canonical_nan;
    if (is_infinite(a)) return is_infinite(b) && a != b ? invalid<B>(flags) : a;
    if (is_infinite(b)) return b;
    return round_sum<B>(unpack(a), unpack(b), rm, flags);
}

template <class B>
B mul(B a, B b, std::uint8_t rm, std::uint8_t& flags) {
    const bool negative = is_negative(a ^ b);
    if (any_nan(flags, a, b)) return Format<B>::canonical_nan;
    if (is_infinite(a) || is_infinite(b)) {
        return is_zero(a) || is_zero(b) ? invalid<B>(flags) : with_sign(negative, Format<B>::infinity);
    }
    if (is_zero(a) || is_zero(b)) return with_sign(negative, B{0});
    const auto x = unpack(a), y = unpack(b);
    return round_and_pack<B>(Number<Wide<B>>{negative, x.exponent + y.exponent, x.significand * y.significand}, rm,
                             flags);
}

template <class B>
B fma(B a, B b, B c, std::uint8_t rm, std::uint8_t& flags) {
    const bool negative = is_negative(a ^ b);
    const bool undefined = (is_infinite(a) && is_zero(b)) || (is_zero(a) && is_infinite(b));
    if (undefined) flags |= nv;  // whatever c is (unprivileged specification, section 20.6)
    if (any_nan(flags, a, b, c) || undefined) return Format<B>::canonical_nan;
    if (is_infinite(a) || is_infinite(b)) {
        return is_infinite(c) && is_negative(c) != negative ? invalid<B>(flags)
                                                            : with_sign(negative, Format<B>::infinity);
    }
    if (is_infinite(c)) return c;
    const auto x = unpack(a), y = unpack(b);
    return round_sum<B>({negative, x.exponent + y.exponent, x.significand * y.significand}, unpack(c), rm, flags);
}

template <class B>
B div(B a, B b, std::uint8_t rm, std::uint8_t& flags) {
    const bool negative = is_negative(a ^ b);
    if (any_nan(flags, a, b)) return Format<B>::canonical_nan;
    if ((is_infinite(a) && is_infinite(b)) || (is_zero(a) && is_zero(b))) return invalid<B>(flags);
    if (is_infinite(a)) return with_sign(negative, Format<B>::infinity);
    if (is_infinite(b) || is_zero(a)) return with_sign(negative, B{0});
    if (is_zero(b)) {
        flags |= dz;
        return with_sign(negative, Format<B>::infinity);
    }
    const auto x = unpack_normalised(a), y = unpack_normalised(b);
    constexpr int extra = Format<B>::precision + 2;  // of at least as many bits is the quotient then
    const auto dividend = x.significand << extra;
    const auto quotient = dividend / y.significand;
    const Wide<B> sticky{quotient * y.significand != dividend};
    return round_and_pack<B>(Number<Wide<B>>{negative, x.exponent - y.exponent - extra, quotient | sticky}, rm, flags);
}

template <class B>
B sqrt(B a, std::uint8_t rm, std::uint8_t& flags) {
    if (any_nan(flags, a)) return Format<B>::canonical_nan;
    if (is_zero(a)) return a;  // also -0
    if (is_negative(a)) return invalid<B>(flags);
    if (is_infinite(a)) return a;
    const auto x = unpack_normalised(a);
    int extra = Format<B>::precision + 3;  // the radicand has then twice `precision + 2` bits, or one less
    extra += (x.exponent - extra) & 1;     // and an even exponent
    const auto root = sticky_root(x.significand << extra);
    return round_and_pack<B>(Number<Wide<B>>{false, (x.exponent - extra) / 2, root}, rm, flags);
}

template <class I, class B>
I to_integer(B a, std::uint8_t rm, std::uint8_t& flags) {
    using Limits = std::numeric_limits<I>;
    const bool negative = is_negative(a) && !is_nan(a);
    const auto out_of_range = [&] {
        flags |= nv;
        return negative ? Limits::min() : Limits::max();
    };
    if (is_nan(a) || is_infinite(a)) return out_of_range();
    const auto x = unpack<B, Uint128>(a);
    if (!x.significand) return 0;
    if (x.top() > 64) return out_of_range();
    const Uint128 quarters = scale(x.significand, x.exponent + 2);
    const Uint128 rounded = round(negative, quarters, rm);
    const Uint128 greatest = negative ? Uint128{0} - static_cast<Uint128>(Limits::min()) : Uint128{Limits::max()};
    if (rounded > greatest) return out_of_range();
    if (quarters & 3) flags |= nx;
    const auto value = static_cast<std::uint64_t>(rounded);
    return static_cast<I>(negative ? 0 - value : value);
}

template <class B, class I>
B from_integer(I value, std::uint8_t rm, std::uint8_t& flags) {
    if (value == 0) return 0;
    const bool negative = value < 0;
    const auto bits = static_cast<std::uint64_t>(value);
    return round_and_pack<B>(Number<Uint128>{negative, 0, negative ? 0 - bits : bits}, rm, flags);
}

template <class B>
B to_integral(B a, std::uint8_t rm, std::uint8_t& flags) {
    using F = Format<B>;
    if (any_nan(flags, a)) return F::canonical_nan;
    constexpr B no_fraction = static_cast<B>(F::bias + F::precision - 1) << (F::precision - 1);
    if (is_zero(a) || magnitude(a) >= no_fraction) return a;  // also infinities
    const auto x = unpack(a);
    const auto quarters = scale(x.significand, x.exponent + 2);
    const auto rounded = round(x.negative, quarters, rm);
    if (quarters & 3) flags |= nx;
    if (!rounded) return with_sign(x.negative, B{0});
    return round_and_pack<B>(Number<Wide<B>>{x.negative, 0, rounded}, rm, flags);  // which is exact
}

template <class To, class From>
To convert(From a, std::uint8_t rm, std::uint8_t& flags) {
    if (any_nan(flags, a)) return Format<To>::canonical_nan;
    if (is_infinite(a)) return with_sign(is_negative(a), Format<To>::infinity);
    if (is_zero(a)) return with_sign(is_negative(a), To{0});
    return round_and_pack<To>(unpack(a), rm, flags);
}

#define INSTANTIATE_CONVERSIONS(B, I)                            \
    template I to_integer<I, B>(B, std::uint8_t, std::uint8_t&); \
    template B from_integer<B, I>(I, std::uint8_t, std::uint8_t&);
#define INSTANTIATE(B)                                         \
    template B add<B>(B, B, std::uint8_t, std::uint8_t&);      \
    template B mul<B>(B, B, std::uint8_t, std::uint8_t&);      \
    template B div<B>(B, B, std::uint8_t, std::uint8_t&);      \
    template B sqrt<B>(B, std::uint8_t, std::uint8_t&);        \
    template B fma<B>(B, B, B, std::uint8_t, std::uint8_t&);   \
    template B to_integral<B>(B, std::uint8_t, std::uint8_t&); \
    INSTANTIATE_CONVERSIONS(B, std::int32_t)                   \
    INSTANTIATE_CONVERSIONS(B, std::uint32_t)                  \
    INSTANTIATE_CONVERSIONS(B, std::int64_t)                   \
    INSTANTIATE_CONVERSIONS(B, std::uint64_t)
INSTANTIATE(std::uint32_t)
INSTANTIATE(std::uint64_t)
template std::uint64_t convert(std::uint32_t, std::uint8_t, std::uint8_t&);
template std::uint32_t convert(std::uint64_t, std::uint8_t, std::uint8_t&);
template std::uint64_t convert(std::uint16_t, std::uint8_t, std::uint8_t&);
template std::uint32_t convert(std::uint16_t, std::uint8_t, std::uint8_t&);
template std::uint16_t convert(std::uint64_t, std::uint8_t, std::uint8_t&);
template std::uint16_t convert(std::uint32_t, std::uint8_t, std::uint8_t&);

}  // namespace croftsim::fp::exact
