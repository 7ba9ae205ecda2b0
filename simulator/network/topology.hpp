#pragma once
// Which links join the routers of a chip, and which of them a message takes.
//
// Both are fixed: a message's way depends on its two ends alone. So two messages between the same nodes go the same way,
// on which they cannot overtake each other (network.hpp). A topology may let ways cross as it likes: routers keep any
// number of flits, so none of them ever waits for another one's to be read, and there is no deadlock to think of.

#include <cstdint>
#include <functional>

#include "network/route.hpp"

namespace croftsim {

class Topology {
public:
    using VisitLink = std::function<void(std::uint32_t link, std::uint32_t from, std::uint32_t to)>;

    Topology() = default;
    Topology(const Topology&) = delete;
    Topology& operator=(const Topology&) = delete;
    virtual ~Topology() = default;

    // All links have numbers below that. Not every number has to be a link's.
    virtual std::uint32_t numbers() const = 0;
    // Those that there are, in the order of their numbers, each in one direction.
    virtual void for_each_link(const VisitLink& visit) const = 0;
    // Adds the links from router to router, in their order; none if both are the same.
    virtual void way(std::uint32_t from, std::uint32_t to, Route& route) const = 0;
};

}  // namespace croftsim
