#include "description/range.hpp"

#include <bit>

#include "description/joined.hpp"

namespace croftsim {

std::string Range::violated(std::int64_t value) const {
    const auto number = static_cast<std::uint64_t>(value);
    if (power_of_two && !std::has_single_bit(number)) return joined("must be a power of two, but is ", value);
    if (number % multiple_of) return joined("must be a multiple of ", multiple_of, ", but is ", value);
    return {};
}

std::string Range::text() const {
    std::string text = joined("integer from ", grouped(least), " to ", grouped(most));
    if (power_of_two) text += ", a power of two";
    if (multiple_of > 1) text += joined(", a multiple of ", grouped(multiple_of));
    return text;
}

std::string Range::counted() const { return joined(grouped(least), " to ", grouped(most), " tables"); }

std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
    return text;
}

}  // namespace croftsim
