#include "description/range.hpp"

#include <bit>

namespace croftsim {

std::string Range::violated(std::int64_t value) const {
    const auto number = static_cast<std::uint64_t>(value);
    if (power_of_two && !std::has_single_bit(number)) return "must be a power of two, but is " + std::to_string(value);
    if (number % multiple_of)
        return "must be a multiple of " + std::to_string(multiple_of) + ", but is " + std::to_string(value);
    return {};
}

std::string Range::text() const {
    std::string text = "integer from " + grouped(least) + " to " + grouped(most);
    if (power_of_two) text += ", a power of two";
    if (multiple_of > 1) text += ", a multiple of " + grouped(multiple_of);
    return text;
}

std::string Range::counted() const { return grouped(least) + " to " + grouped(most) + " tables"; }

std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
    return text;
}

}  // namespace croftsim
