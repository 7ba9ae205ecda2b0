#pragma once
// A fixed number of objects, side by side: as many to a cache line as fit without crossing one, of one kind of lines
// (home.hpp). Larger objects than a line begin at one. The sibling, line_array.hpp, gives each object lines of its own.

#include <algorithm>
#include <cstddef>

#include <croft/memory/home.hpp>
#include <croft/memory/line_array.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

template <class Element, class Lines>
class packed_array {
public:
    static constexpr std::size_t per_line = std::max<std::size_t>(1, port::cache_line / sizeof(Element));

    packed_array(std::size_t size, Lines kind) : groups_((size + per_line - 1) / per_line, kind) {}

    Element& operator[](std::size_t index) { return groups_[index / per_line].elements[index % per_line]; }
    const Element& operator[](std::size_t index) const { return groups_[index / per_line].elements[index % per_line]; }
    const Lines& kind() const { return groups_.kind(); }

private:
    struct group {
        Element elements[per_line];
    };
    line_array<group, Lines> groups_;
};

}  // namespace croft::detail
