#pragma once
// Comparisons, minimum, maximum and classification: on the patterns, the same on every host.

#include <cstdint>
#include <type_traits>

#include "isa/floating_point_format.hpp"

namespace croftsim::fp {

namespace detail {
// An integer in the order of the numbers; both zeros become 0. Not for NaNs.
template <class B>
constexpr auto order(B a) {
    const auto size = static_cast<std::make_signed_t<B>>(magnitude(a));
    return is_negative(a) ? -size : size;
}

// Whether one of them is a NaN, which is an invalid operation, quiet or not.
template <class B>
constexpr bool unordered(B a, B b, std::uint8_t& flags) {
    if (!is_nan(a) && !is_nan(b)) [[likely]]
        return false;
    flags |= nv;
    return true;
}
}  // namespace detail

// a == b. Quiet: only a signalling NaN raises NV.
template <class B>
constexpr bool eq(B a, B b, std::uint8_t& flags) {
    return !any_nan(flags, a, b) && detail::order(a) == detail::order(b);
}

// a < b and a <= b. Signalling: any NaN raises NV.
template <class B>
constexpr bool lt(B a, B b, std::uint8_t& flags) {
    return !detail::unordered(a, b, flags) && detail::order(a) < detail::order(b);
}
template <class B>
constexpr bool le(B a, B b, std::uint8_t& flags) {
    return !detail::unordered(a, b, flags) && detail::order(a) <= detail::order(b);
}

// Quiet: only a signalling NaN raises NV.
template <class B>
constexpr bool quiet_lt(B a, B b, std::uint8_t& flags) {
    return !any_nan(flags, a, b) && detail::order(a) < detail::order(b);
}
template <class B>
constexpr bool quiet_le(B a, B b, std::uint8_t& flags) {
    return !any_nan(flags, a, b) && detail::order(a) <= detail::order(b);
}

// minimumNumber and maximumNumber of IEEE 754-2019, section 9.6, where -0 < +0. If only one is a NaN, the result is the
// number, even if the NaN is signalling, which raises NV. If both are, it is the canonical NaN.
template <class B>
constexpr B min(B a, B b, std::uint8_t& flags) {
    if (any_nan(flags, a, b)) [[unlikely]] {
        return !is_nan(a) ? a : !is_nan(b) ? b : Format<B>::canonical_nan;
    }
    if (detail::order(a) == detail::order(b)) return a | b;  // equal patterns, or zeros of which one may be negative
    return detail::order(a) < detail::order(b) ? a : b;
}
template <class B>
constexpr B max(B a, B b, std::uint8_t& flags) {
    if (any_nan(flags, a, b)) [[unlikely]] {
        return !is_nan(a) ? a : !is_nan(b) ? b : Format<B>::canonical_nan;
    }
    if (detail::order(a) == detail::order(b)) return a & b;
    return detail::order(a) < detail::order(b) ? b : a;
}

// If one is a NaN, the canonical NaN (minimum and maximum of IEEE 754-2019); a signalling one raises NV.
template <class B>
constexpr B min_or_nan(B a, B b, std::uint8_t& flags) {
    return any_nan(flags, a, b) ? Format<B>::canonical_nan : min(a, b, flags);
}
template <class B>
constexpr B max_or_nan(B a, B b, std::uint8_t& flags) {
    return any_nan(flags, a, b) ? Format<B>::canonical_nan : max(a, b, flags);
}

// fclass: exactly one of ten bits (unprivileged specification, section 20.9). From bit 0: -infinity, negative normal,
// negative subnormal, -0, +0, positive subnormal, positive normal, +infinity, signalling NaN, quiet NaN.
template <class B>
constexpr std::uint64_t classify(B a) {
    if (is_nan(a)) return is_signalling(a) ? 1 << 8 : 1 << 9;
    const int rank = is_infinite(a) ? 3 : magnitude(a) >= Format<B>::smallest_normal ? 2 : is_zero(a) ? 0 : 1;
    return is_negative(a) ? 1 << (3 - rank) : 1 << (4 + rank);
}

}  // namespace croftsim::fp
