// Items of the sizes and types that are not in library/content_test.cpp arrive as they were sent, too.

#include <cstdint>

#include <doctest/doctest.h>

#include "sized_items.hpp"

TEST_CASE("items of further sizes and types arrive as they were sent") {
    check_order<std::int16_t>([](int i) { return static_cast<std::int16_t>(-i); });
    check_order<float>([](int i) { return static_cast<float>(i) / 3; });
    check_order<long double>([](int i) { return static_cast<long double>(i) / 3; });
    check_order<sized<1>>(filled<1>);
    check_order<sized<5>>(filled<5>);
    check_order<sized<16>>(filled<16>);
    check_order<sized<64>>(filled<64>);
}
