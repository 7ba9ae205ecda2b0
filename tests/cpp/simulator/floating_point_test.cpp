// Arithmetic at its edges; expectations from IEEE 754-2019 and the unprivileged specification, chapters "F" and "D".

#include <cfenv>

#include "floating_point_helpers.hpp"
#include "isa/floating_point_environment.hpp"
#ifdef __SSE__
#include <xmmintrin.h>
#endif

using namespace floating_point_test;
using fp::dz, fp::nv, fp::nx, fp::of, fp::uf, fp::rdn, fp::rmm, fp::rne, fp::rtz, fp::rup;

TEST_CASE_TEMPLATE("a NaN gives the canonical NaN; a signalling one is invalid", B, std::uint32_t, std::uint64_t) {
    using V = Values<B>;
    for (const std::uint8_t rm : rounding_modes) {
        for (const B nan : {V::quiet_nan, V::canonical_nan, V::signalling_nan, V::other_signalling_nan}) {
            const unsigned flags = nan == V::quiet_nan || nan == V::canonical_nan ? none : nv;
            for (const B other : {V::zero, V::one, V::infinity, V::least_subnormal, V::quiet_nan}) {
                EXPECT(add, (nan, other, rm), V::canonical_nan, flags);
                EXPECT(add, (other, nan, rm), V::canonical_nan, flags);
                EXPECT(mul, (nan, other, rm), V::canonical_nan, flags);
                EXPECT(mul, (other, nan, rm), V::canonical_nan, flags);
                EXPECT(div, (nan, other, rm), V::canonical_nan, flags);
                EXPECT(div, (other, nan, rm), V::canonical_nan, flags);
                EXPECT(fma, (nan, V::one, other, rm), V::canonical_nan, flags);
                EXPECT(fma, (other, nan, V::one, rm), V::canonical_nan, flags);
                EXPECT(fma, (V::one, other, nan, rm), V::canonical_nan, flags);
                EXPECT_OF(fp::sub, (nan, other, rm), 0, V::canonical_nan, flags);
                EXPECT_OF(fp::sub, (other, nan, rm), 0, V::canonical_nan, flags);
            }
            EXPECT(sqrt, (nan, rm), V::canonical_nan, flags);
        }
    }
}

TEST_CASE_TEMPLATE("infinities, and divisions by zero", B, std::uint32_t, std::uint64_t) {
    using V = Values<B>;
    constexpr B infinity = V::infinity, minus = V::sign;
    for (const std::uint8_t rm : rounding_modes) {
        EXPECT(add, (infinity, infinity, rm), infinity, none);
        EXPECT(add, (infinity, infinity | minus, rm), V::canonical_nan, nv);
        EXPECT(add, (V::greatest, infinity | minus, rm), infinity | minus, none);
        EXPECT_OF(fp::sub, (infinity, infinity, rm), 0, V::canonical_nan, nv);
        EXPECT_OF(fp::sub, (infinity, infinity | minus, rm), 0, infinity, none);
        EXPECT(mul, (infinity, V::two | minus, rm), infinity | minus, none);
        EXPECT(mul, (infinity | minus, infinity | minus, rm), infinity, none);
        EXPECT(mul, (infinity, V::zero, rm), V::canonical_nan, nv);
        EXPECT(mul, (minus, infinity, rm), V::canonical_nan, nv);
        EXPECT(div, (infinity, infinity, rm), V::canonical_nan, nv);
        EXPECT(div, (V::zero, minus, rm), V::canonical_nan, nv);
        EXPECT(div, (infinity, V::zero, rm), infinity, none);
        EXPECT(div, (V::zero, infinity | minus, rm), minus, none);
        EXPECT(div, (V::greatest, infinity, rm), V::zero, none);
        EXPECT(div, (V::one, V::zero, rm), infinity, dz);
        EXPECT(div, (V::least_subnormal, minus, rm), infinity | minus, dz);
        EXPECT(sqrt, (infinity, rm), infinity, none);
        EXPECT(sqrt, (infinity | minus, rm), V::canonical_nan, nv);
        EXPECT(sqrt, (V::least_subnormal | minus, rm), V::canonical_nan, nv);
        EXPECT(fma, (infinity, V::zero, V::one, rm), V::canonical_nan, nv);
        EXPECT(fma, (V::zero, infinity, V::quiet_nan, rm), V::canonical_nan, nv);
        EXPECT(fma, (infinity | minus, V::zero, V::signalling_nan, rm), V::canonical_nan, nv);
        EXPECT(fma, (infinity, V::one, infinity | minus, rm), V::canonical_nan, nv);
        EXPECT(fma, (infinity, V::one | minus, infinity | minus, rm), infinity | minus, none);
        EXPECT(fma, (V::greatest, V::greatest, infinity | minus, rm), infinity | minus, none);
    }
}

TEST_CASE_TEMPLATE("the sign of zero", B, std::uint32_t, std::uint64_t) {
    using V = Values<B>;
    constexpr B minus = V::sign;
    for (const std::uint8_t rm : rounding_modes) {
        const B cancelled = rm == rdn ? minus : V::zero;  // IEEE 754, section 6.3
        EXPECT(add, (V::one, V::one | minus, rm), cancelled, none);
        EXPECT(add, (V::zero, minus, rm), cancelled, none);
        EXPECT(add, (minus, minus, rm), minus, none);
        EXPECT(add, (V::zero, V::zero, rm), V::zero, none);
        EXPECT(add, (minus, V::least_subnormal, rm), V::least_subnormal, none);
        EXPECT_OF(fp::sub, (V::zero, V::zero, rm), 0, cancelled, none);
        EXPECT_OF(fp::sub, (minus, V::zero, rm), 0, minus, none);
        EXPECT(mul, (minus, V::one, rm), minus, none);
        EXPECT(mul, (minus, V::greatest | minus, rm), V::zero, none);
        EXPECT(div, (V::zero, V::one | minus, rm), minus, none);
        EXPECT(sqrt, (minus, rm), minus, none);
        EXPECT(fma, (V::one, V::one, V::one | minus, rm), cancelled, none);
        EXPECT(fma, (V::zero, V::one | minus, V::zero, rm), cancelled, none);
        EXPECT(fma, (V::zero, V::one | minus, minus, rm), minus, none);
        EXPECT(fma, (V::zero, V::zero, V::three, rm), V::three, none);
    }
}

TEST_CASE_TEMPLATE("exact results raise nothing, also subnormal ones", B, std::uint32_t, std::uint64_t) {
    using V = Values<B>;
    for (const std::uint8_t rm : rounding_modes) {
        EXPECT(add, (V::one, V::two, rm), V::three, none);
        EXPECT(add, (V::greatest_subnormal, V::least_subnormal, rm), V::least_normal, none);
        EXPECT(add, (V::least_normal, V::least_subnormal | V::sign, rm), V::greatest_subnormal, none);
        EXPECT(mul, (V::three, V::three, rm), V::nine, none);
        EXPECT(mul, (V::least_normal, V::half, rm), V::least_normal / 2, none);
        EXPECT(mul, (V::least_subnormal, V::two, rm), B{2}, none);
        EXPECT(div, (V::nine, V::three, rm), V::three, none);
        EXPECT(div, (V::least_normal, V::two, rm), V::least_normal / 2, none);
        EXPECT(div, (V::greatest_subnormal, V::greatest_subnormal, rm), V::one, none);
        EXPECT(sqrt, (V::nine, rm), V::three, none);
        EXPECT(sqrt, (V::four, rm), V::two, none);
        EXPECT(fma, (V::three, V::two, V::three, rm), V::nine, none);
        EXPECT(fma, (V::least_subnormal, V::two, V::least_subnormal, rm), B{3}, none);
    }
}

namespace {

// One rounding in all five modes: what is expected of the number, and of its opposite (with the sign left off).
template <class B>
struct Rounded {
    Outcome<B> to_nearest, down, up, nearest_away;

    Outcome<B> of(bool negative, std::uint8_t rm) const {
        if (rm == rne) return to_nearest;
        if (rm == rmm) return nearest_away;
        return rm == (negative ? rdn : rup) ? up : down;
    }
};

template <class B>
void check_product(B a, B b, const Rounded<B>& expected) {
    for (const std::uint8_t rm : rounding_modes) {
        for (const B sign : {B{0}, Values<B>::sign}) {
            const auto [value, flags] = expected.of(sign, rm);
            INFO("rounding mode ", int{rm});
            EXPECT(mul, (a ^ sign, b, rm), value | sign, flags);
            EXPECT(fma, (a ^ sign, b, sign, rm), value | sign, flags);  // adds a zero of the product's sign
        }
    }
}

template <class B>
void check_sum(B a, B b, const Rounded<B>& expected) {
    for (const std::uint8_t rm : rounding_modes) {
        for (const B sign : {B{0}, Values<B>::sign}) {
            const auto [value, flags] = expected.of(sign, rm);
            INFO("rounding mode ", int{rm});
            EXPECT(add, (a ^ sign, b ^ sign, rm), value | sign, flags);
            EXPECT(add, (b ^ sign, a ^ sign, rm), value | sign, flags);
            EXPECT(fma, (Values<B>::one | sign, a, b ^ sign, rm), value | sign, flags);
        }
    }
}

}  // namespace

TEST_CASE_TEMPLATE("overflow", B, std::uint32_t, std::uint64_t) {
    using V = Values<B>;
    const Outcome<B> infinity{V::infinity, of | nx}, clipped{V::greatest, of | nx}, greatest{V::greatest, nx};
    const Rounded<B> beyond{infinity, clipped, infinity, infinity};
    check_sum(V::greatest, V::greatest, beyond);
    check_product(V::greatest, V::two, beyond);
    check_product(V::greatest, V::greatest, beyond);
    for (const std::uint8_t rm : rounding_modes) {
        const auto [value, flags] = beyond.of(false, rm);
        EXPECT(div, (V::greatest, V::half, rm), value, flags);
        EXPECT(div, (V::one, V::least_subnormal, rm), value, flags);
        EXPECT(fma, (V::greatest, V::greatest, V::greatest | V::sign, rm), value, flags);
    }
    // Half a place above the greatest number is a tie. A sum that rounds down to that number has not overflowed
    // (section 7.4).
    constexpr B half_place = V::half_last_place_of_greatest;
    check_sum<B>(V::greatest, half_place, {infinity, greatest, infinity, infinity});
    check_sum<B>(V::greatest, half_place - 1, {greatest, greatest, infinity, greatest});
    check_sum<B>(V::greatest, half_place + 1, {infinity, greatest, infinity, infinity});
    check_sum<B>(V::greatest, V::least_subnormal, {greatest, greatest, infinity, greatest});
}

TEST_CASE_TEMPLATE("underflow: below the least subnormal number", B, std::uint32_t, std::uint64_t) {
    using V = Values<B>;
    const Outcome<B> zero{V::zero, uf | nx}, least{V::least_subnormal, uf | nx}, two{2, uf | nx};
    check_product<B>(V::least_subnormal, V::half, {zero, zero, least, least});
    check_product<B>(V::least_subnormal, V::half + 1, {least, zero, least, least});
    check_product<B>(V::least_subnormal, V::half - 1, {zero, zero, least, zero});
    check_product<B>(B{3}, V::half, {two, least, two, two});
    check_product<B>(V::least_subnormal, V::least_subnormal, {zero, zero, least, zero});
    for (const std::uint8_t rm : rounding_modes) {
        const auto [value, flags] = Rounded<B>{zero, zero, least, least}.of(false, rm);
        EXPECT(div, (V::least_subnormal, V::two, rm), value, flags);
        EXPECT(div, (V::least_subnormal, V::infinity - 1, rm), (rm == rup ? least : zero).value, uf | nx);
    }
}

TEST_CASE_TEMPLATE("tininess is detected after rounding", B, std::uint32_t, std::uint64_t) {
    using V = Values<B>;
    // Below one, numbers of full precision are half_last_place_below_one apart; below the least normal number,
    // subnormals have one bit less. A result is tiny if it would round to less than the least normal number at full
    // precision.
    const Outcome<B> reached{V::least_normal, nx}, tiny_but_rounded_up{V::least_normal, uf | nx},
        subnormal{V::greatest_subnormal, uf | nx};
    const auto below = [](B part, const Rounded<B>& expected) {  // (1 - part) × the least normal number
        for (const std::uint8_t rm : rounding_modes) {
            for (const B sign : {B{0}, V::sign}) {
                const auto [value, flags] = expected.of(sign, rm);
                INFO("rounding mode ", int{rm});
                EXPECT(fma, (V::least_normal | sign, part | V::sign, V::least_normal | sign, rm), value | sign, flags);
            }
        }
    };
    constexpr B quarter = V::quarter_last_place_below_one, half = V::half_last_place_below_one;
    below(quarter - 1, {reached, subnormal, reached, reached});
    below(quarter, {reached, subnormal, reached, reached});  // a tie at full precision
    below(quarter + 1, {tiny_but_rounded_up, subnormal, reached, tiny_but_rounded_up});
    below(half - 1, {tiny_but_rounded_up, subnormal, reached, tiny_but_rounded_up});
    below(half, {tiny_but_rounded_up, subnormal, tiny_but_rounded_up, tiny_but_rounded_up});  // exact at full precision
    below(half + 1, {subnormal, subnormal, tiny_but_rounded_up, subnormal});

    // The same by products: half of the number before twice the least normal one; (1 + e)(1 - e) times the least one.
    check_product<B>(2 * V::least_normal - 1, V::half,
                     {tiny_but_rounded_up, subnormal, tiny_but_rounded_up, tiny_but_rounded_up});
    if constexpr (sizeof(B) == 4) {
        check_product<B>(0x00800400, 0x3f7ff800, {reached, subnormal, reached, reached});  // e = 2^-13
    } else {
        check_product<B>(0x0010000002000000, 0x3feffffffc000000, {reached, subnormal, reached, reached});  // e = 2^-27
    }
}

TEST_CASE_TEMPLATE("rounding to the nearest: ties", B, std::uint32_t, std::uint64_t) {
    using V = Values<B>;
    constexpr B half = V::half_last_place_below_one;  // half of the place above one
    const auto inexact = [](B value) { return Outcome<B>{value, nx}; };
    const auto one = inexact(V::one), next = inexact(V::one + 1), after = inexact(V::one + 2);
    check_sum<B>(V::one, half, {one, one, next, next});
    check_sum<B>(V::one + 1, half, {after, next, after, after});
    check_sum<B>(V::one, half - 1, {one, one, next, one});
    check_sum<B>(V::one, half + 1, {next, one, next, next});
    check_sum<B>(V::one, V::least_subnormal, {one, one, next, one});
}

// Volatile: neither the operands nor the time of the addition are known to the compiler.
TEST_CASE("the host's mode is the default one while the simulator computes, and then what it was") {
    volatile std::uint32_t one = Values<std::uint32_t>::one, little = 0x30000000, subnormal = 3;
    volatile std::uint32_t sum = 0, product = 0;
    std::uint8_t flags = fp::nx;
    std::fenv_t before;
    std::fegetenv(&before);
    std::fesetround(FE_UPWARD);
#ifdef __SSE__
    const unsigned flushing = _mm_getcsr() | 0x8040;  // subnormal operands and results are zero
    _mm_setcsr(flushing);
#endif
    {
        const fp::HostEnvironment environment;
        sum = fp::add<std::uint32_t>(one, little, rne, flags);
        product = fp::mul<std::uint32_t>(subnormal, 0x7f000000, rne, flags);  // 3 × 2^-149 × 2^127
    }
    const int mode = std::fegetround();
#ifdef __SSE__
    const unsigned control = _mm_getcsr() & 0xffc0;
#endif
    std::fesetenv(&before);
    CHECK(sum == one);
    CHECK(product == 0x35400000);  // 1.5 × 2^-21
    CHECK(mode == FE_UPWARD);
#ifdef __SSE__
    CHECK(control == (flushing & 0xffc0));
#endif
}
