// Random operands. The reference has the results and exceptions of the host's floating-point unit, in each of its
// rounding modes. The simulator's functions have those of the reference.

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>

#include "floating_point_helpers.hpp"

using namespace floating_point_test;

namespace {

constexpr int host_modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};  // indexed by rm

class RoundingMode {
public:
    explicit RoundingMode(std::uint8_t rm) { std::fesetround(host_modes[rm]); }
    ~RoundingMode() { std::fesetround(FE_TONEAREST); }
};

unsigned host_flags() {
    const int raised = std::fetestexcept(FE_ALL_EXCEPT);
    return (raised & FE_INVALID ? fp::nv : 0u) | (raised & FE_DIVBYZERO ? fp::dz : 0u) |
           (raised & FE_OVERFLOW ? fp::of : 0u) | (raised & FE_UNDERFLOW ? fp::uf : 0u) |
           (raised & FE_INEXACT ? fp::nx : 0u);
}

template <class T>
auto canonical_pattern(T value) {
    if constexpr (std::is_floating_point_v<T>) {
        using B = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        return value != value ? fp::Format<B>::canonical_nan : std::bit_cast<B>(value);
    } else {
        return value;
    }
}

template <class T>
T through_memory(T value) {
    volatile T copy = value;
    return copy;
}

// The outcome of an operation of the host in the mode that is set. Volatile accesses stay between the calls that clear
// and read the exceptions. With them stays the operation, which lies between its operands' and its result's.
template <class F, class... Ts>
auto host_outcome(F operation, Ts... operands) {
    std::feclearexcept(FE_ALL_EXCEPT);
    const auto result = through_memory(operation(through_memory(operands)...));
    const unsigned flags = host_flags();
    const auto pattern = canonical_pattern(result);
    return Outcome<std::remove_const_t<decltype(pattern)>>{pattern, flags};
}

// ARM, for one, detects tininess before rounding; RISC-V and x86 after it.
bool host_detects_tininess_after_rounding() {
    const auto product = host_outcome([](float a, float b) { return a * b; }, 0x1.0008p-126f, 0x1.fff0p-1f);
    return !(product.flags & fp::uf);
}

template <class... Bs>
std::string text(Bs... operands) {
    std::ostringstream out;
    ((out << std::hex << " 0x" << +operands), ...);
    return out.str();
}

constexpr int trials = 20'000;  // of each operation in each rounding mode

template <class B, class Exact, class Host>
void compare_with_host(const char* name, Exact exact, Host host) {
    const bool same_tininess = host_detects_tininess_after_rounding();
    for (std::uint8_t rm = 0; rm < 4; ++rm) {
        const RoundingMode mode(rm);
        Operands<B> random(rm);
        for (int i = 0; i < trials; ++i) {
            const B a = random(), b = random(), c = random();
            auto expected = host(a, b, c);
            auto found = outcome([&](std::uint8_t& flags) { return exact(a, b, c, rm, flags); });
            if (!same_tininess) expected.flags &= ~unsigned{fp::uf}, found.flags &= ~unsigned{fp::uf};
            if (!(found == expected)) {
                FAIL_CHECK(name, text(a, b, c), " mode ", int{rm}, ": host ", expected, ", reference ", found);
                return;
            }
        }
    }
}

}  // namespace

TEST_CASE_TEMPLATE("the reference agrees with the host's unit", B, std::uint32_t, std::uint64_t) {
    using R = fp::host::Real<B>;
    using Flags = std::uint8_t&;
    const auto real = [](B a) { return std::bit_cast<R>(a); };

    compare_with_host<B>(
        "add", [](B a, B b, B, std::uint8_t rm, Flags flags) { return fp::exact::add(a, b, rm, flags); },
        [&](B a, B b, B) { return host_outcome([](R x, R y) { return x + y; }, real(a), real(b)); });
    compare_with_host<B>(
        "mul", [](B a, B b, B, std::uint8_t rm, Flags flags) { return fp::exact::mul(a, b, rm, flags); },
        [&](B a, B b, B) { return host_outcome([](R x, R y) { return x * y; }, real(a), real(b)); });
    compare_with_host<B>(
        "div", [](B a, B b, B, std::uint8_t rm, Flags flags) { return fp::exact::div(a, b, rm, flags); },
        [&](B a, B b, B) { return host_outcome([](R x, R y) { return x / y; }, real(a), real(b)); });
    compare_with_host<B>(
        "sqrt", [](B a, B, B, std::uint8_t rm, Flags flags) { return fp::exact::sqrt(a, rm, flags); },
        [&](B a, B, B) { return host_outcome([](R x) { return std::sqrt(x); }, real(a)); });
    compare_with_host<B>(
        "fma", [](B a, B b, B c, std::uint8_t rm, Flags flags) { return fp::exact::fma(a, b, c, rm, flags); },
        [&](B a, B b, B c) {
            auto host = host_outcome([](R x, R y, R z) { return std::fma(x, y, z); }, real(a), real(b), real(c));
            // Whether infinity × 0 plus a quiet NaN is invalid, IEEE 754 leaves to the implementation (section 7.2).
            if ((fp::is_infinite(a) && fp::is_zero(b)) || (fp::is_zero(a) && fp::is_infinite(b))) host.flags |= fp::nv;
            return host;
        });
}

TEST_CASE("the reference agrees with the host's conversions between the formats") {
    compare_with_host<std::uint64_t>(
        "narrow",
        [](std::uint64_t a, auto, auto, std::uint8_t rm, auto& flags) { return fp::exact::narrow(a, rm, flags); },
        [](std::uint64_t a, auto, auto) {
            return host_outcome([](double x) { return static_cast<float>(x); }, std::bit_cast<double>(a));
        });
    compare_with_host<std::uint32_t>(
        "widen", [](std::uint32_t a, auto, auto, std::uint8_t, auto& flags) { return fp::exact::widen(a, flags); },
        [](std::uint32_t a, auto, auto) {
            return host_outcome([](float x) { return static_cast<double>(x); }, std::bit_cast<float>(a));
        });
}

TEST_CASE_TEMPLATE("the reference agrees with the host's rounding to integers", I, std::int32_t, std::uint32_t,
                   std::int64_t, std::uint64_t) {
    using Limits = std::numeric_limits<I>;
    const auto check = [](auto format) {
        using B = decltype(format);
        using R = fp::host::Real<B>;
        compare_with_host<B>(
            "to integer",
            [](B a, B, B, std::uint8_t rm, auto& flags) { return fp::exact::to_integer<I>(a, rm, flags); },
            [](B a, B, B) -> Outcome<I> {
                // The host rounds to an integer of the same format; the range is what the specification's table says.
                const volatile R value = std::bit_cast<R>(a);
                const volatile R rounded = std::nearbyint(value);
                const R end = std::ldexp(R{1}, Limits::digits);  // one more than the greatest
                if (std::isnan(value) || rounded >= end) return {Limits::max(), fp::nv};
                if (rounded < static_cast<R>(Limits::min())) return {Limits::min(), fp::nv};
                return {static_cast<I>(rounded), rounded != value ? fp::nx : 0u};
            });
    };
    check(std::uint32_t{});
    check(std::uint64_t{});
}

TEST_CASE_TEMPLATE("the reference agrees with the host's conversions of integers", I, std::int32_t, std::uint32_t,
                   std::int64_t) {
    const auto check = [](auto format) {
        using B = decltype(format);
        compare_with_host<std::uint64_t>(
            "from integer",
            [](std::uint64_t a, std::uint64_t b, auto, std::uint8_t rm, auto& flags) {
                return fp::exact::from_integer<B>(static_cast<I>(static_cast<std::int64_t>(a) >> (b % 64)), rm, flags);
            },
            [](std::uint64_t a, std::uint64_t b, auto) {
                // By way of int64_t, for which there is one instruction: it is a sequence for unsigned ones.
                const auto integer = static_cast<I>(static_cast<std::int64_t>(a) >> (b % 64));
                return host_outcome([](std::int64_t x) { return static_cast<fp::host::Real<B>>(x); },
                                    static_cast<std::int64_t>(integer));
            });
    };
    check(std::uint32_t{});
    check(std::uint64_t{});
}

namespace {

// Compares what the simulator calls with the reference, with nothing accrued and with NX accrued.
template <class B, class Fast, class Exact>
void compare_with_reference(const char* name, Fast fast, Exact exact) {
    for (const std::uint8_t rm : rounding_modes) {
        Operands<B> random(100 + rm);
        for (int i = 0; i < trials / 2; ++i) {
            const B a = random(), b = random(), c = random();
            for (const std::uint8_t before : {none, fp::nx}) {
                const auto expected = outcome([&](std::uint8_t& flags) { return exact(a, b, c, rm, flags); }, before);
                const auto found = outcome([&](std::uint8_t& flags) { return fast(a, b, c, rm, flags); }, before);
                if (!(found == expected)) {
                    FAIL_CHECK(name, text(a, b, c), " mode ", int{rm}, " accrued ", int{before}, ": reference ",
                               expected, ", fast path ", found);
                    return;
                }
            }
        }
    }
}

}  // namespace

#define COMPARE(B, call)                                                                             \
    compare_with_reference<B>(                                                                       \
        #call, [](B a, B b, B c, std::uint8_t rm, std::uint8_t& flags) { return UNUSED, fp::call; }, \
        [](B a, B b, B c, std::uint8_t rm, std::uint8_t& flags) { return UNUSED, fp::exact::call; })
#define UNUSED static_cast<void>(a), static_cast<void>(b), static_cast<void>(c), static_cast<void>(rm)

TEST_CASE_TEMPLATE("the fast path agrees with the reference", B, std::uint32_t, std::uint64_t) {
    COMPARE(B, add(a, b, rm, flags));
    COMPARE(B, mul(a, b, rm, flags));
    COMPARE(B, div(a, b, rm, flags));
    COMPARE(B, sqrt(a, rm, flags));
    COMPARE(B, sqrt(fp::exact::mul(a, a, rm, flags), rm, flags));
    COMPARE(B, fma(a, b, c, rm, flags));
    COMPARE(B, fma(a, b, fp::exact::mul(a, b, rm, flags) ^ Values<B>::sign, rm, flags));  // what rounding left over
    COMPARE(B, div(fp::exact::mul(a, b, rm, flags), b, rm, flags));
}

TEST_CASE("the fast conversions agree with the reference") {
    const auto check = [](auto format, auto integer) {
        using B = decltype(format);
        using I = decltype(integer);
        COMPARE(B, to_integer<I>(a, rm, flags));
        COMPARE(std::uint64_t, from_integer<B>(static_cast<I>(static_cast<std::int64_t>(a) >> (b % 64)), rm, flags));
    };
    check(std::uint32_t{}, std::int32_t{});
    check(std::uint32_t{}, std::uint32_t{});
    check(std::uint32_t{}, std::int64_t{});
    check(std::uint32_t{}, std::uint64_t{});
    check(std::uint64_t{}, std::int32_t{});
    check(std::uint64_t{}, std::uint32_t{});
    check(std::uint64_t{}, std::int64_t{});
    check(std::uint64_t{}, std::uint64_t{});
    COMPARE(std::uint64_t, narrow(a, rm, flags));
    COMPARE(std::uint32_t, widen(a, flags));
}
