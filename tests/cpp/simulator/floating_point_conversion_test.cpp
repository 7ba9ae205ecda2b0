// Conversions between the formats and to and from integers; unprivileged specification, section 20.7 and its table of
// the results out of range.

#include <bit>
#include <initializer_list>
#include <limits>

#include "floating_point_helpers.hpp"

using namespace floating_point_test;
using fp::nv, fp::nx, fp::of, fp::uf, fp::rdn, fp::rmm, fp::rne, fp::rtz, fp::rup;

namespace {

std::uint64_t pattern(double value) { return std::bit_cast<std::uint64_t>(value); }
std::uint32_t pattern(float value) { return std::bit_cast<std::uint32_t>(value); }

// In the order of the modes' numbers: RNE, RTZ, RDN, RUP, RMM.
template <class I>
struct Integers {
    Outcome<I> of_mode[5];
};
template <class I>
Integers<I> always(I value, unsigned flags) {
    const Outcome<I> outcome{value, flags};
    return {{outcome, outcome, outcome, outcome, outcome}};
}
template <class I, class R>
void check_to_integer(R value, const Integers<I>& expected) {
    for (const std::uint8_t rm : rounding_modes) {
        INFO(value, " in rounding mode ", int{rm});
        EXPECT(to_integer<I>, (pattern(value), rm), expected.of_mode[rm].value, expected.of_mode[rm].flags);
    }
}

template <class I>
constexpr I least_of = std::numeric_limits<I>::min();
template <class I>
constexpr I greatest_of = std::numeric_limits<I>::max();

}  // namespace

TEST_CASE_TEMPLATE("a NaN or an infinity as an integer", I, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
    const auto check = [](auto format) {
        using B = decltype(format);
        using V = Values<B>;
        for (const std::uint8_t rm : rounding_modes) {
            for (const B nan : {V::quiet_nan, V::canonical_nan, V::signalling_nan, V::other_signalling_nan}) {
                EXPECT(to_integer<I>, (nan, rm), greatest_of<I>, nv);
            }
            EXPECT(to_integer<I>, (V::infinity, rm), greatest_of<I>, nv);
            EXPECT(to_integer<I>, (V::infinity | V::sign, rm), least_of<I>, nv);
            EXPECT(to_integer<I>, (V::greatest, rm), greatest_of<I>, nv);
            EXPECT(to_integer<I>, (V::greatest | V::sign, rm), least_of<I>, nv);
            EXPECT(to_integer<I>, (V::zero, rm), 0, none);
            EXPECT(to_integer<I>, (V::sign, rm), 0, none);
            EXPECT(to_integer<I>, (V::least_subnormal, rm), rm == rup, nx);
        }
    };
    check(std::uint32_t{});
    check(std::uint64_t{});
}

TEST_CASE_TEMPLATE("fractions become integers by the rounding mode", R, float, double) {
    const auto inexact = [](std::initializer_list<int> values) {
        Integers<std::int32_t> result{};
        std::size_t mode = 0;
        for (const int value : values) result.of_mode[mode++] = {value, nx};
        return result;
    };
    check_to_integer(R{2.5}, inexact({2, 2, 2, 3, 3}));
    check_to_integer(R{3.5}, inexact({4, 3, 3, 4, 4}));
    check_to_integer(R{2.25}, inexact({2, 2, 2, 3, 2}));
    check_to_integer(R{2.75}, inexact({3, 2, 2, 3, 3}));
    check_to_integer(R{-2.5}, inexact({-2, -2, -3, -2, -3}));
    check_to_integer(R{-3.5}, inexact({-4, -3, -4, -3, -4}));
    check_to_integer(R{-0.25}, inexact({0, 0, -1, 0, 0}));
    check_to_integer(R{0.5}, inexact({0, 0, 0, 1, 1}));
    check_to_integer(R{-7}, always(-7, none));
}

TEST_CASE_TEMPLATE("negative fractions as unsigned integers", R, float, double) {
    const auto check = [](auto integer) {
        using I = decltype(integer);
        const Outcome<I> zero{0, nx}, below{0, nv};
        check_to_integer<I>(R{-0.25}, {{zero, zero, below, zero, zero}});
        check_to_integer<I>(R{-0.5}, {{zero, zero, below, zero, below}});
        check_to_integer<I>(R{-0.75}, {{below, zero, below, zero, below}});
        check_to_integer<I>(R{-1}, always(I{0}, nv));
        check_to_integer<I>(R{-1.5}, {{below, below, below, below, below}});
    };
    check(std::uint32_t{});
    check(std::uint64_t{});
}

TEST_CASE("the ends of the integers' ranges") {
    {
        using I = std::int32_t;
        const Outcome<I> most{greatest_of<I>, nx}, above{greatest_of<I>, nv}, fewest{least_of<I>, nx},
            below{least_of<I>, nv};
        check_to_integer(2147483647.0, always(greatest_of<I>, none));
        check_to_integer<I>(2147483647.25, {{most, most, most, above, most}});
        check_to_integer<I>(2147483647.5, {{above, most, most, above, above}});
        check_to_integer(2147483648.0, always(greatest_of<I>, nv));
        check_to_integer(-2147483648.0, always(least_of<I>, none));
        check_to_integer<I>(-2147483648.5, {{fewest, fewest, below, fewest, below}});
        check_to_integer<I>(-2147483648.75, {{below, fewest, below, fewest, below}});
        check_to_integer(-2147483649.0, always(least_of<I>, nv));
        check_to_integer(2147483520.0f, always(I{2147483520}, none));
        check_to_integer(2147483648.0f, always(greatest_of<I>, nv));
        check_to_integer(-2147483648.0f, always(least_of<I>, none));
        check_to_integer(-2147483904.0f, always(least_of<I>, nv));
    }
    {
        using I = std::uint32_t;
        const Outcome<I> most{greatest_of<I>, nx}, above{greatest_of<I>, nv};
        check_to_integer(4294967295.0, always(greatest_of<I>, none));
        check_to_integer<I>(4294967295.5, {{above, most, most, above, above}});
        check_to_integer(4294967296.0, always(greatest_of<I>, nv));
        check_to_integer(4294967040.0f, always(I{4294967040}, none));
        check_to_integer(4294967296.0f, always(greatest_of<I>, nv));
    }
    check_to_integer(9223372036854774784.0, always(std::int64_t{9223372036854774784}, none));
    check_to_integer(9223372036854775808.0, always(greatest_of<std::int64_t>, nv));
    check_to_integer(-9223372036854775808.0, always(least_of<std::int64_t>, none));
    check_to_integer(-9223372036854777856.0, always(least_of<std::int64_t>, nv));
    check_to_integer(-9223372036854775808.0f, always(least_of<std::int64_t>, none));
    check_to_integer(-9223373136366403584.0f, always(least_of<std::int64_t>, nv));
    check_to_integer(9223372036854775808.0, always(std::uint64_t{1} << 63, none));
    check_to_integer(18446744073709549568.0, always(std::uint64_t{18446744073709549568u}, none));
    check_to_integer(18446744073709551616.0, always(greatest_of<std::uint64_t>, nv));
    check_to_integer(18446742974197923840.0f, always(std::uint64_t{18446742974197923840u}, none));
    check_to_integer(18446744073709551616.0f, always(greatest_of<std::uint64_t>, nv));
}

TEST_CASE("integers become the nearest numbers") {
    const auto check = [](auto integer, auto format, auto down, auto up, int to_nearest, int nearest_away) {
        using B = decltype(pattern(format));
        for (const std::uint8_t rm : rounding_modes) {
            const bool goes_up = rm == rne ? to_nearest : rm == rmm ? nearest_away : rm == rup;
            const bool towards_zero_is_up = rm == rtz && integer < decltype(integer){0};
            const B expected = pattern(static_cast<decltype(format)>(goes_up || towards_zero_is_up ? up : down));
            INFO(integer, " in rounding mode ", int{rm});
            EXPECT(from_integer<B>, (integer, rm), expected, down == up ? none : nx);
        }
    };
    constexpr std::int32_t single = 1 << 24;  // from here on, every second integer is a binary32 number
    check(single + 1, 0.f, single * 1., single + 2., false, true);
    check(single + 3, 0.f, single + 2., single + 4., true, true);
    check(-single - 1, 0.f, -single - 2., -single * 1., true, false);
    check(std::uint32_t{single} + 1, 0.f, single * 1., single + 2., false, true);
    check(greatest_of<std::int32_t>, 0.f, 2147483520., 2147483648., true, true);
    check(greatest_of<std::uint32_t>, 0.f, 4294967040., 4294967296., true, true);
    check(greatest_of<std::int64_t>, 0.f, 9223371487098961920., 9223372036854775808., true, true);
    check(greatest_of<std::uint64_t>, 0.f, 18446742974197923840., 18446744073709551616., true, true);
    constexpr std::int64_t twice = std::int64_t{1} << 53;
    check(twice + 1, 0., 9007199254740992., 9007199254740994., false, true);
    check(-twice - 1, 0., -9007199254740994., -9007199254740992., true, false);
    check(std::uint64_t{twice} + 3, 0., 9007199254740994., 9007199254740996., true, true);
    check(greatest_of<std::int64_t>, 0., 9223372036854774784., 9223372036854775808., true, true);
    check(greatest_of<std::uint64_t>, 0., 18446744073709549568., 18446744073709551616., true, true);
    check(least_of<std::int64_t>, 0., -9223372036854775808., -9223372036854775808., false, false);
    check(least_of<std::int64_t>, 0.f, -9223372036854775808., -9223372036854775808., false, false);
    check(greatest_of<std::int32_t>, 0., 2147483647., 2147483647., false, false);
    check(least_of<std::int32_t>, 0., -2147483648., -2147483648., false, false);
    check(greatest_of<std::uint32_t>, 0., 4294967295., 4294967295., false, false);
    check(std::int32_t{0}, 0.f, 0., 0., false, false);  // +0, also when rounding down
    check(std::int64_t{-1}, 0.f, -1., -1., false, false);
}

TEST_CASE("binary32 to binary64 is exact") {
    using Single = Values<std::uint32_t>;
    using Double = Values<std::uint64_t>;
    const auto check = [](std::uint32_t from, std::uint64_t to, unsigned flags) { EXPECT(widen, (from), to, flags); };
    check(Single::one, Double::one, none);
    check(Single::sign, Double::sign, none);
    check(Single::infinity | Single::sign, Double::infinity | Double::sign, none);
    check(Single::least_subnormal, 0x36a0000000000000, none);     // 2^-149
    check(Single::greatest_subnormal, 0x380fffffc0000000, none);  // 2^-126 - 2^-149
    check(Single::greatest, 0x47efffffe0000000, none);            // 2^128 - 2^104
    check(Single::quiet_nan, Double::canonical_nan, none);
    check(Single::signalling_nan, Double::canonical_nan, nv);
}

TEST_CASE("binary64 to binary32 rounds") {
    using Single = Values<std::uint32_t>;
    using Double = Values<std::uint64_t>;
    // In the order RNE, RTZ, RDN, RUP, RMM, for the positive number.
    const auto check = [](std::uint64_t from, const Integers<std::uint32_t>& expected) {
        for (const std::uint8_t rm : rounding_modes) {
            INFO("rounding mode ", int{rm});
            const auto& positive = expected.of_mode[rm];
            EXPECT(narrow, (from, rm), positive.value, positive.flags);
            const auto& mirrored = expected.of_mode[rm == rdn ? rup : rm == rup ? rdn : rm];
            EXPECT(narrow, (from | Double::sign, rm), mirrored.value | Single::sign, mirrored.flags);
        }
    };
    check(Double::one, always(Single::one, none));
    check(Double::zero, always(Single::zero, none));
    check(Double::infinity, always(Single::infinity, none));
    check(0x36a0000000000000, always(Single::least_subnormal, none));
    const Outcome<std::uint32_t> infinity{Single::infinity, of | nx}, clipped{Single::greatest, of | nx},
        greatest{Single::greatest, nx};
    check(0x47efffffefffffff, {{greatest, greatest, greatest, infinity, greatest}});  // below 2^128 - 2^103
    check(0x47effffff0000000, {{infinity, greatest, greatest, infinity, infinity}});  // 2^128 - 2^103
    check(Double::greatest, {{infinity, clipped, clipped, infinity, infinity}});
    const Outcome<std::uint32_t> zero{0, uf | nx}, least{1, uf | nx}, reached{Single::least_normal, nx},
        rounded_up{Single::least_normal, uf | nx}, subnormal{Single::greatest_subnormal, uf | nx};
    check(Double::least_subnormal, {{zero, zero, zero, least, zero}});
    check(0x3690000000000000, {{zero, zero, zero, least, least}});                            // 2^-150
    check(0x380ffffff0000000, {{reached, subnormal, subnormal, reached, reached}});           // 2^-126 (1 - 2^-25)
    check(0x380fffffefffffff, {{rounded_up, subnormal, subnormal, reached, rounded_up}});     // a little less
    check(0x380fffffe0000000, {{rounded_up, subnormal, subnormal, rounded_up, rounded_up}});  // 2^-126 (1 - 2^-24)
    for (const std::uint8_t rm : rounding_modes) {
        EXPECT(narrow, (Double::quiet_nan, rm), Single::canonical_nan, none);
        EXPECT(narrow, (Double::signalling_nan, rm), Single::canonical_nan, nv);
    }
}
