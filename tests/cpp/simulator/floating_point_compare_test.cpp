// Comparisons, minimum, maximum and classes; unprivileged specification, sections 20.6, 20.8 and 20.9.

#include <algorithm>
#include <array>

#include "floating_point_helpers.hpp"

using namespace floating_point_test;
using fp::nv;

namespace {

// Minus infinity first; both zeros have rank 4.
template <class B>
struct Ranked {
    B value;
    int rank;
};
template <class B>
auto ascending() {
    using V = Values<B>;
    return std::array<Ranked<B>, 10>{{{V::infinity | V::sign, 0},
                                      {V::greatest | V::sign, 1},
                                      {V::one | V::sign, 2},
                                      {V::least_subnormal | V::sign, 3},
                                      {V::sign, 4},
                                      {V::zero, 4},
                                      {V::least_subnormal, 5},
                                      {V::least_normal, 6},
                                      {V::one, 7},
                                      {V::infinity, 8}}};
}

}  // namespace

TEST_CASE_TEMPLATE("numbers are ordered, zeros are equal", B, std::uint32_t, std::uint64_t) {
    for (const auto& [a, a_rank] : ascending<B>()) {
        for (const auto& [b, b_rank] : ascending<B>()) {
            EXPECT_OF(fp::eq, (a, b), 0, a_rank == b_rank, none);
            EXPECT_OF(fp::lt, (a, b), 0, a_rank < b_rank, none);
            EXPECT_OF(fp::le, (a, b), 0, a_rank <= b_rank, none);
        }
    }
}

TEST_CASE_TEMPLATE("minimum and maximum take -0 for less than +0", B, std::uint32_t, std::uint64_t) {
    const auto values = ascending<B>();
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t j = 0; j < values.size(); ++j) {
            EXPECT_OF(fp::min, (values[i].value, values[j].value), 0, values[std::min(i, j)].value, none);
            EXPECT_OF(fp::max, (values[i].value, values[j].value), 0, values[std::max(i, j)].value, none);
        }
    }
}

TEST_CASE_TEMPLATE("NaNs are unordered, and lose against a number", B, std::uint32_t, std::uint64_t) {
    using V = Values<B>;
    for (const B nan : {V::quiet_nan, V::canonical_nan, V::signalling_nan, V::other_signalling_nan}) {
        const unsigned flags = nan == V::quiet_nan || nan == V::canonical_nan ? none : nv;
        for (const auto& [number, rank] : ascending<B>()) {
            EXPECT_OF(fp::eq, (nan, number), 0, false, flags);
            EXPECT_OF(fp::eq, (number, nan), 0, false, flags);
            EXPECT_OF(fp::lt, (nan, number), 0, false, nv);
            EXPECT_OF(fp::lt, (number, nan), 0, false, nv);
            EXPECT_OF(fp::le, (nan, number), 0, false, nv);
            EXPECT_OF(fp::le, (number, nan), 0, false, nv);
            EXPECT_OF(fp::min, (nan, number), 0, number, flags);
            EXPECT_OF(fp::min, (number, nan), 0, number, flags);
            EXPECT_OF(fp::max, (nan, number), 0, number, flags);
            EXPECT_OF(fp::max, (number, nan), 0, number, flags);
        }
        EXPECT_OF(fp::eq, (nan, nan), 0, false, flags);
        EXPECT_OF(fp::le, (nan, nan), 0, false, nv);
        EXPECT_OF(fp::min, (nan, V::quiet_nan), 0, V::canonical_nan, flags);
        EXPECT_OF(fp::max, (V::quiet_nan, nan), 0, V::canonical_nan, flags);
    }
}

TEST_CASE_TEMPLATE("the ten classes", B, std::uint32_t, std::uint64_t) {
    using V = Values<B>;
    CHECK(fp::classify<B>(V::infinity | V::sign) == 1 << 0);
    CHECK(fp::classify<B>(V::greatest | V::sign) == 1 << 1);
    CHECK(fp::classify<B>(V::least_normal | V::sign) == 1 << 1);
    CHECK(fp::classify<B>(V::greatest_subnormal | V::sign) == 1 << 2);
    CHECK(fp::classify<B>(V::least_subnormal | V::sign) == 1 << 2);
    CHECK(fp::classify<B>(V::sign) == 1 << 3);
    CHECK(fp::classify<B>(V::zero) == 1 << 4);
    CHECK(fp::classify<B>(V::least_subnormal) == 1 << 5);
    CHECK(fp::classify<B>(V::greatest_subnormal) == 1 << 5);
    CHECK(fp::classify<B>(V::least_normal) == 1 << 6);
    CHECK(fp::classify<B>(V::greatest) == 1 << 6);
    CHECK(fp::classify<B>(V::infinity) == 1 << 7);
    CHECK(fp::classify<B>(V::signalling_nan) == 1 << 8);
    CHECK(fp::classify<B>(V::other_signalling_nan) == 1 << 8);
    CHECK(fp::classify<B>(V::quiet_nan) == 1 << 9);
    CHECK(fp::classify<B>(V::canonical_nan) == 1 << 9);
}
