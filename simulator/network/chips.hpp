#pragma once
// The routers of all chips and the links among them: a topology for each chip, and a link from each chip to each other.
//
// A message to another chip goes to the router of its own chip at which the links between chips begin. It takes the
// link to the other chip, and goes on from the router at that link's end.

#include <cstdint>

#include "contract/description.hpp"
#include "network/topologies.hpp"

namespace croftsim {

class Chips {
public:
    explicit Chips(const NetworkDescription& network);

    // The links of chip `c` have their numbers in its topology, plus c times as many as that has. Behind all of them
    // come the links between chips.
    std::uint32_t numbers() const { return between_chips() + (chips_ > 1 ? chips_ * chips_ : 0); }
    std::uint32_t between_chips() const { return chips_ * numbers_; }
    void for_each_link(const Topology::VisitLink& visit) const;
    // Adds to an empty route.
    void way(std::uint32_t from, std::uint32_t to, Route& route) const {
        if (chips_ == 1) return topology_.way(shape_, from, to, route);
        way_by_chip(from, to, route);
    }

private:
    void way_by_chip(std::uint32_t from, std::uint32_t to, Route& route) const;
    std::uint32_t link(std::uint32_t from, std::uint32_t to) const { return chips_ * (numbers_ + from) + to; }

    Topology topology_;
    Shape shape_;
    std::uint32_t chips_, routers_, numbers_, gate_ = 0;  // of a chip; its router with the links to others
};

}  // namespace croftsim
