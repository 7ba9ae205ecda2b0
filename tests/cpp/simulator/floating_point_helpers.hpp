#pragma once
// Helpers that the tests of the floating-point arithmetic share.

#include <doctest/doctest.h>

#include <cstdint>
#include <ios>
#include <iterator>
#include <ostream>
#include <random>
#include <type_traits>

#include "isa/floating_point.hpp"

namespace floating_point_test {

namespace fp = croftsim::fp;

inline constexpr std::uint8_t none = 0, rounding_modes[] = {fp::rne, fp::rtz, fp::rdn, fp::rup, fp::rmm};

// A result and the exceptions that came with it.
template <class T>
struct Outcome {
    T value;
    unsigned flags;
    bool operator==(const Outcome&) const = default;
};
template <class T>
std::ostream& operator<<(std::ostream& out, const Outcome<T>& outcome) {
    return out << std::hex << "0x" << +outcome.value << " flags 0x" << outcome.flags << std::dec;
}

// Of a call with accrued exceptions `before`: those it adds, those it leaves out being an error.
template <class F>
auto outcome(F&& call, std::uint8_t before = 0) {
    std::uint8_t flags = before;
    const auto value = call(flags);
    if ((flags & before) != before) FAIL("an accrued exception was cleared");
    return Outcome<std::remove_const_t<decltype(value)>>{value, flags};
}

template <class T, class E>
void expect(const Outcome<T>& found, E value, unsigned flags, int line, const char* what) {
    const Outcome<T> expected{static_cast<T>(value), flags};
    CHECK_MESSAGE(found == expected, "line ", line, ": ", what, " should be ", expected, " and is ", found);
}

// The operation on these operands gives this value and these exceptions, by the reference and by what the simulator
// calls. The simulator's is called once more, after an inexact operation, because it asks less of the host then.
#define EXPECT(function, operands, expected, exceptions)                            \
    do {                                                                            \
        EXPECT_OF(fp::exact::function, operands, 0, expected, exceptions);          \
        EXPECT_OF(fp::function, operands, 0, expected, exceptions);                 \
        EXPECT_OF(fp::function, operands, fp::nx, expected, (exceptions) | fp::nx); \
    } while (false)
#define EXPECT_OF(function, operands, before, expected, exceptions)                                            \
    expect(outcome([&](std::uint8_t& flags) { return function(OPERANDS operands, flags); }, before), expected, \
           exceptions, __LINE__, #function #operands)
#define OPERANDS(...) __VA_ARGS__

// Patterns by name.
template <class B>
struct Values;
template <>
struct Values<std::uint32_t> {
    static constexpr std::uint32_t sign = 0x80000000, zero = 0, half = 0x3f000000, one = 0x3f800000, two = 0x40000000,
                                   three = 0x40400000, four = 0x40800000, nine = 0x41100000, infinity = 0x7f800000,
                                   least_subnormal = 1, greatest_subnormal = 0x007fffff, least_normal = 0x00800000,
                                   greatest = 0x7f7fffff, canonical_nan = 0x7fc00000, quiet_nan = 0xffc12345,
                                   signalling_nan = 0x7f800001, other_signalling_nan = 0xffbfffff,
                                   half_last_place_of_greatest = 0x73000000,  // 2^103
        quarter_last_place_below_one = 0x33000000,                            // 2^-25
        half_last_place_below_one = 0x33800000;                               // 2^-24
};
template <>
struct Values<std::uint64_t> {
    static constexpr std::uint64_t sign = 0x8000000000000000, zero = 0, half = 0x3fe0000000000000,
                                   one = 0x3ff0000000000000, two = 0x4000000000000000, three = 0x4008000000000000,
                                   four = 0x4010000000000000, nine = 0x4022000000000000, infinity = 0x7ff0000000000000,
                                   least_subnormal = 1, greatest_subnormal = 0x000fffffffffffff,
                                   least_normal = 0x0010000000000000, greatest = 0x7fefffffffffffff,
                                   canonical_nan = 0x7ff8000000000000, quiet_nan = 0xfff8123456789abc,
                                   signalling_nan = 0x7ff0000000000001, other_signalling_nan = 0xfff7ffffffffffff,
                                   half_last_place_of_greatest = 0x7c90000000000000,  // 2^970
        quarter_last_place_below_one = 0x3c90000000000000,                            // 2^-54
        half_last_place_below_one = 0x3ca0000000000000;                               // 2^-53
};

// Random operands, most of them near something: the ends of the range, one, a power of two, each other, an integer.
template <class B>
class Operands {
public:
    explicit Operands(std::uint64_t seed) : random_(seed) {}

    B operator()() {
        using F = fp::Format<B>;
        const auto choice = random_() % 16;
        if (choice == 0) return previous_ ^ (random_() % 2 ? F::sign_bit : 0);
        if (choice == 1) return previous_ = special();
        return previous_ = fp::with_sign(random_() % 2, (exponent() << (F::precision - 1)) | fraction());
    }

private:
    B special() {
        using V = Values<B>;
        const B values[] = {V::zero,
                            V::one,
                            V::infinity,
                            V::least_subnormal,
                            V::greatest_subnormal,
                            V::least_normal,
                            V::greatest,
                            V::quiet_nan,
                            V::signalling_nan,
                            V::canonical_nan,
                            V::signalling_nan | V::sign,
                            V::half,
                            V::three};
        return values[random_() % std::size(values)] ^ (random_() % 2 ? V::sign : 0);
    }
    B exponent() {
        constexpr B greatest = fp::Format<B>::infinity >> (fp::Format<B>::precision - 1);
        const B near = random_() % 4, wide = random_() % (fp::Format<B>::precision + 4);
        const B last = (fp::magnitude(previous_) >> (fp::Format<B>::precision - 1)) % greatest;
        switch (random_() % 8) {
            case 0:
                return near;
            case 1:
                return wide;
            case 2:
                return greatest - 1 - near;
            case 3:
                return greatest / 2 + near;
            case 4:
                return greatest / 2 - wide;
            case 5:
                return last > wide ? last - wide : last;
            case 6:
                return (greatest + greatest / 2 - last - near) % greatest;  // a product near the least normal
            default:
                return static_cast<B>(random_()) % greatest;
        }
    }
    B fraction() {
        constexpr B mask = fp::Format<B>::fraction_mask;
        constexpr int width = fp::Format<B>::precision - 1;
        const B bits = static_cast<B>(random_()) & mask;
        const int shift = static_cast<int>(random_() % width);
        switch (random_() % 8) {
            case 0:
                return 0;
            case 1:
                return mask >> shift;
            case 2:
                return (mask << shift) & mask;
            case 3:
                return B{1} << shift;
            case 4:
                return bits & (mask << (width - 8));  // an integer of few bits
            case 5:
                return bits >> shift;
            case 6:
                return (bits << shift) & mask;
            default:
                return bits;
        }
    }

    std::mt19937_64 random_;
    B previous_ = 0;
};

}  // namespace floating_point_test
