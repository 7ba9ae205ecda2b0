// To nearest, ties away from zero (RMM), which the usual hosts cannot do. Exact arithmetic in a wider format finds the
// expected result. The two candidates are the results of rounding down and up, which other tests compare with the
// host's. The exact value is compared with the middle between them.

#include <bit>
#include <cmath>
#include <utility>

#include "floating_point_helpers.hpp"

using namespace floating_point_test;

namespace {

float real(std::uint32_t bits) { return std::bit_cast<float>(bits); }

constexpr int trials = 200'000;

struct Tally {
    int compared = 0, ties = 0;
};

// `side` compares the exact result with a number of at most 25 bits: its sign is that of (exact result - number).
// Overflows are left to the table of tests.
template <class Operation, class Side>
void check(Tally& tally, Operation operation, Side side) {
    const auto down = outcome([&](std::uint8_t& flags) { return operation(fp::rdn, flags); });
    const auto up = outcome([&](std::uint8_t& flags) { return operation(fp::rup, flags); });
    if ((down.flags | up.flags) & ~unsigned{fp::nx | fp::uf}) return;
    const double middle = (double{real(down.value)} + double{real(up.value)}) / 2;  // exact: neighbours
    const int where = down.flags & fp::nx ? side(middle) : 1;                       // +0 if the exact result is zero
    const auto& away = fp::is_negative(down.value) ? down : up;
    const std::uint32_t expected = where < 0 ? down.value : where > 0 ? up.value : away.value;
    const auto found = outcome([&](std::uint8_t& flags) { return operation(fp::rmm, flags); });
    const auto nearest_even = outcome([&](std::uint8_t& flags) { return operation(fp::rne, flags); });
    ++tally.compared;
    tally.ties += where == 0;
    if (found.value != expected || (found.flags & fp::nx) != (down.flags & fp::nx)) {
        FAIL_CHECK("between ", down, " and ", up, " expected ", expected, ", found ", found);
    }
    if (where != 0 && !(found == nearest_even)) FAIL_CHECK("no tie, yet ", found, " is not ", nearest_even);
}

int sign(double value) { return (value > 0) - (value < 0); }

}  // namespace

TEST_CASE("products round ties away from zero") {
    Operands<std::uint32_t> random(1);
    Tally tally;
    for (int i = 0; i < trials; ++i) {
        const std::uint32_t a = random(), b = random();
        const double exact = double{real(a)} * double{real(b)};  // 48 bits, exponents from -298 to 256
        check(
            tally, [&](std::uint8_t rm, std::uint8_t& flags) { return fp::mul(a, b, rm, flags); },
            [&](double middle) { return sign(exact - middle); });  // the sign of a difference is always right
    }
    CHECK(tally.compared > trials / 2);
    CHECK(tally.ties > 100);
}

TEST_CASE("sums round ties away from zero") {
    Operands<std::uint32_t> random(2);
    Tally tally;
    for (int i = 0; i < trials; ++i) {
        const std::uint32_t a = random(), b = random();
        const double x = real(a), y = real(b), exact = x + y;
        if (!(exact - x == y && exact - y == x)) continue;  // too far apart for binary64
        check(
            tally, [&](std::uint8_t rm, std::uint8_t& flags) { return fp::add(a, b, rm, flags); },
            [&](double middle) { return sign(exact - middle); });
    }
    CHECK(tally.compared > trials / 8);
    CHECK(tally.ties > 100);
}

TEST_CASE("fused sums of products round ties away from zero") {
    Operands<std::uint32_t> random(3);
    Tally tally;
    for (int i = 0; i < trials; ++i) {
        const std::uint32_t a = random(), b = random(), c = random();
        const double product = double{real(a)} * double{real(b)}, z = real(c), exact = product + z;
        if (!(exact - product == z && exact - z == product)) continue;
        check(
            tally, [&](std::uint8_t rm, std::uint8_t& flags) { return fp::fma(a, b, c, rm, flags); },
            [&](double middle) { return sign(exact - middle); });
    }
    CHECK(tally.compared > trials / 16);
    CHECK(tally.ties > 100);
}

TEST_CASE("quotients round ties away from zero: only subnormal ones can be ties") {
    Operands<std::uint32_t> random(4);
    Tally tally;
    for (int i = 0; i < trials; ++i) {
        const std::uint32_t a = random(), b = random();
        const double x = real(a), y = real(b);
        check(
            tally, [&](std::uint8_t rm, std::uint8_t& flags) { return fp::div(a, b, rm, flags); },
            [&](double middle) { return sign(x - middle * y) * sign(y); });  // 25 + 24 bits
    }
    CHECK(tally.compared > trials / 2);
    CHECK(tally.ties > 100);
}

TEST_CASE("square roots have no ties") {
    Operands<std::uint32_t> random(5);
    Tally tally;
    for (int i = 0; i < trials; ++i) {
        const std::uint32_t a = fp::magnitude(random());
        check(
            tally, [&](std::uint8_t rm, std::uint8_t& flags) { return fp::sqrt(a, rm, flags); },
            [&](double middle) { return sign(double{real(a)} - middle * middle); });  // 50 bits
    }
    CHECK(tally.compared > trials / 2);
    CHECK(tally.ties == 0);
}

TEST_CASE("narrowing and integers round ties away from zero") {
    Operands<std::uint64_t> random(6);
    Tally narrowed, converted, rounded;
    for (int i = 0; i < trials; ++i) {
        const std::uint64_t a = random();
        const double exact = std::bit_cast<double>(a);
        check(
            narrowed, [&](std::uint8_t rm, std::uint8_t& flags) { return fp::narrow(a, rm, flags); },
            [&](double middle) { return sign(exact - middle); });
        const std::int64_t integer = static_cast<std::int64_t>(a) >> (10 + a % 54);  // at most 54 bits with its sign
        check(
            converted,
            [&](std::uint8_t rm, std::uint8_t& flags) { return fp::from_integer<std::uint32_t>(integer, rm, flags); },
            [&](double middle) { return sign(static_cast<double>(integer) - middle); });
        if (!(std::abs(exact) < 0x1p62)) continue;
        ++rounded.compared;
        rounded.ties += exact - std::floor(exact) == 0.5;
        const auto found =
            outcome([&](std::uint8_t& flags) { return fp::to_integer<std::int64_t>(a, fp::rmm, flags); });
        const Outcome<std::int64_t> expected{std::llround(exact),
                                             std::round(exact) != exact ? fp::nx : 0u};  // ties away
        if (!(found == expected)) FAIL_CHECK(exact, " expected ", expected, ", found ", found);
    }
    for (const auto& tally : {narrowed, converted, rounded}) {
        CHECK(tally.compared > trials / 8);
        CHECK(tally.ties > 20);
    }
}

// The error of a sum or product of binary64 is itself a number, which tells ties (Knuth's TwoSum; fma).
TEST_CASE("sums and products of binary64 round ties away from zero") {
    Operands<std::uint64_t> random(7);
    Tally tally;
    const auto check = [&](auto operation, double nearest_even, double error) {
        if (!(std::abs(nearest_even) > 0x1p-900 && std::abs(nearest_even) < 0x1p1000)) return;  // else it may be none
        const double neighbour = std::nextafter(nearest_even, error > 0 ? HUGE_VAL : -HUGE_VAL);
        const bool tie = error != 0 && 2 * error == neighbour - nearest_even;
        const double expected = tie && std::abs(neighbour) > std::abs(nearest_even) ? neighbour : nearest_even;
        const auto found = outcome([&](std::uint8_t& flags) { return operation(flags); });
        ++tally.compared;
        tally.ties += tie;
        if (!(found == Outcome<std::uint64_t>{std::bit_cast<std::uint64_t>(expected), error != 0 ? fp::nx : 0u})) {
            FAIL_CHECK(nearest_even, " + ", error, " expected ", expected, ", found ", found);
        }
    };
    for (int i = 0; i < trials; ++i) {
        const std::uint64_t a = random(), b = random();
        const double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b);
        const double sum = x + y, y_part = sum - x, x_part = sum - y_part;
        check([&](std::uint8_t& flags) { return fp::add(a, b, fp::rmm, flags); }, sum, (x - x_part) + (y - y_part));
        check([&](std::uint8_t& flags) { return fp::mul(a, b, fp::rmm, flags); }, x * y, std::fma(x, y, -(x * y)));
    }
    CHECK(tally.compared > trials / 2);
    CHECK(tally.ties > 100);
}
