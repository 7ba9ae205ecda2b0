#pragma once
// Which links join the routers of a chip, and which of them a message takes.
//
// Both are fixed: a message's way depends on its two ends alone. So two messages between the same nodes go the same
// way, on which they cannot overtake each other (network.hpp). A topology may let ways cross as it likes. Routers keep
// any number of flits, so no message waits until another one is read, and there is no deadlock to think of.

#include <cstdint>
#include <functional>

#include "network/route.hpp"

namespace croftsim {

// The routers of a chip, numbered row by row.
class Shape {
public:
    Shape(std::uint32_t columns, std::uint32_t rows)
        : columns_(columns), rows_(rows), reciprocal_(((std::uint64_t{1} << 32) + columns - 1) / columns) {}

    std::uint32_t columns() const { return columns_; }
    std::uint32_t rows() const { return rows_; }
    std::uint32_t routers() const { return columns_ * rows_; }
    // A quotient by multiplication. The reciprocal is too large by less than columns / 2^32, so the product is so by
    // less than router x columns / 2^32. That is less than 1 / columns, which a quotient has left to the next number.
    std::uint32_t row_of(std::uint32_t router) const { return static_cast<std::uint32_t>(router * reciprocal_ >> 32); }

private:
    std::uint32_t columns_, rows_;
    std::uint64_t reciprocal_;
};

// Functions and no class: all that the way of a message needs lies beside each other in its network.
struct Topology {
    using VisitLink = std::function<void(std::uint32_t link, std::uint32_t from, std::uint32_t to)>;

    const char* name;  // in machine files
    // All links have numbers below that. Not every number has to be a link's.
    std::uint32_t (*numbers)(const Shape& shape);
    // Those that there are, in the order of their numbers, each in one direction.
    void (*for_each_link)(const Shape& shape, const VisitLink& visit);
    // Adds the links from router to router, in their order; none if both are the same.
    void (*way)(const Shape& shape, std::uint32_t from, std::uint32_t to, Route& route);
};

}  // namespace croftsim
