#pragma once
// Which whole numbers a key may have, and their unit.

#include <cstdint>
#include <string>

namespace croftsim {

struct Range {
    std::uint32_t least = 0, most = 0;
    const char* unit = "";
    std::uint32_t multiple_of = 1;
    bool power_of_two = false;

    bool holds(std::int64_t value) const { return value >= least && value <= most; }
    // A further rule that a number from `least` to `most` breaks; empty if it breaks none.
    std::string violated(std::int64_t value) const;
    std::string text() const;     // "integer from 1 to 3"
    std::string counted() const;  // "1 to 3 tables"
};

constexpr Range any_cycles{0, 1'000'000, "cycles"};
constexpr Range some_cycles{1, 2'000, "cycles"};
constexpr Range bytes(std::uint32_t least, std::uint32_t most) { return {least, most, "bytes"}; }
constexpr Range power_of_two(Range range) {
    range.power_of_two = true;
    return range;
}
constexpr Range multiple_of(std::uint32_t number, Range range) {
    range.multiple_of = number;
    return range;
}

// With commas between thousands.
std::string grouped(std::uint64_t number);

}  // namespace croftsim
