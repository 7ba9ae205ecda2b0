#include "network/chips.hpp"

#include <stdexcept>

namespace croftsim {
namespace {

const Topology& topology_of(const NetworkDescription& network) {
    const std::string name = network.topology.value_or("mesh");
    const Topology* found = find_topology(name);
    if (!found) throw std::invalid_argument("there is no topology \"" + name + "\"");
    return *found;
}

}  // namespace

Chips::Chips(const NetworkDescription& network)
    : topology_(topology_of(network)),
      shape_(network.columns, network.rows),
      chips_(network.chips),
      routers_(shape_.routers()),
      numbers_(topology_.numbers(shape_)) {
    if (network.chip_link) gate_ = network.chip_link->row * network.columns + network.chip_link->column;
}

void Chips::for_each_link(const Topology::VisitLink& visit) const {
    for (std::uint32_t chip = 0; chip < chips_; ++chip)
        topology_.for_each_link(shape_, [&](std::uint32_t link, std::uint32_t from, std::uint32_t to) {
            visit(chip * numbers_ + link, chip * routers_ + from, chip * routers_ + to);
        });
    for (std::uint32_t from = 0; from < chips_; ++from)
        for (std::uint32_t to = 0; to < chips_; ++to)
            if (from != to) visit(link(from, to), from * routers_ + gate_, to * routers_ + gate_);
}

void Chips::way_by_chip(std::uint32_t from, std::uint32_t to, Route& route) const {
    const std::uint32_t own = from / routers_, other = to / routers_;
    route.set_base(own * numbers_);
    if (own == other) {
        topology_.way(shape_, from % routers_, to % routers_, route);
        return route.set_base(0);
    }
    topology_.way(shape_, from % routers_, gate_, route);
    route.set_base(0);
    route.add(link(own, other));
    route.set_base(other * numbers_);
    topology_.way(shape_, gate_, to % routers_, route);
    route.set_base(0);
}

}  // namespace croftsim
