#pragma once
// A 3 x 3 neighbourhood filter (paper 000, 7.2): every element becomes a weighted sum of itself and its eight
// neighbours. Elements are std::int32_t or float, in rows one after the other.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace programs {

template <class Element>
struct filter {
    std::array<Element, 9> weight;  // of the neighbours, row by row
    unsigned shift;                 // the sum is divided by 2 to this power; an int's quotient is rounded down
};

inline std::vector<std::string> filter_names() { return {"emboss", "sharpen", "blur", "edges"}; }

template <class Element>
filter<Element> make_filter(const std::string& name) {
    if (name == "sharpen") return {{0, -1, 0, -1, 5, -1, 0, -1, 0}, 0};
    if (name == "blur") return {{1, 2, 1, 2, 4, 2, 1, 2, 1}, 4};
    if (name == "edges") return {{-1, -1, -1, -1, 8, -1, -1, -1, -1}, 0};
    return {{-2, -1, 0, -1, 1, 1, 0, 1, 2}, 0};
}

// One element, in the columns left, here and right of three rows.
template <class Element>
Element convolve_one(const filter<Element>& by, const Element* above, const Element* row, const Element* below,
                     std::size_t left, std::size_t here, std::size_t right) {
    const Element sum = by.weight[0] * above[left] + by.weight[1] * above[here] + by.weight[2] * above[right] +
                        by.weight[3] * row[left] + by.weight[4] * row[here] + by.weight[5] * row[right] +
                        by.weight[6] * below[left] + by.weight[7] * below[here] + by.weight[8] * below[right];
    if constexpr (std::is_integral_v<Element>)
        return sum >> by.shift;
    else
        return sum * (Element{1} / static_cast<Element>(1u << by.shift));
}

// A matrix of size x size elements, size >= 2; outside it, its border repeats.
template <class Element>
void convolve_alone(const filter<Element>& by, const Element* in, Element* out, std::size_t size) {
    const std::size_t last = size - 1;
    for (std::size_t y = 0; y < size; ++y) {
        const Element* row = in + y * size;
        const Element* above = y == 0 ? row : row - size;
        const Element* below = y == last ? row : row + size;
        out[0] = convolve_one(by, above, row, below, 0, 0, 1);
        for (std::size_t x = 1; x < last; ++x) out[x] = convolve_one(by, above, row, below, x - 1, x, x + 1);
        out[last] = convolve_one(by, above, row, below, last - 1, last, last);
        out += size;
    }
}

// The inner size x size elements of a matrix that has a margin of one around them.
template <class Element>
void convolve_inner(const filter<Element>& by, const Element* in, Element* out, std::size_t size) {
    const std::size_t stride = size + 2;
    for (std::size_t y = 0; y < size; ++y) {
        const Element* row = in + (y + 1) * stride;
        for (std::size_t x = 0; x < size; ++x)
            out[x] = convolve_one(by, row - stride, row, row + stride, x, x + 1, x + 2);
        out += size;
    }
}

}  // namespace programs
