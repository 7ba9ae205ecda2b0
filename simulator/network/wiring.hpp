#pragma once
// Where a machine's nodes are, and the links between them.

#include <cstdint>
#include <vector>

#include "contract/description.hpp"
#include "contract/places.hpp"
#include "network/chips.hpp"

namespace croftsim {

class Wiring {
public:
    struct Pace {
        std::uint32_t latency, cycles_per_flit;
    };

    explicit Wiring(const MachineDescription& machine);

    const Chips& chips() const { return chips_; }
    const Place& place(std::uint32_t node) const { return places_[node]; }
    // The links of a node that is attached by a link: into its router, and back. Links between routers have lower
    // numbers.
    std::uint32_t attaching(std::uint32_t node) const { return attached_from_ + 2 * node; }
    std::uint32_t detaching(std::uint32_t node) const { return attaching(node) + 1; }
    std::uint32_t numbers() const { return attaching(static_cast<std::uint32_t>(places_.size())); }

    bool is_one_chip() const { return between_chips_from_ == attached_from_; }
    Pace on_chip() const { return on_chip_; }  // and of links that attach a node
    Pace pace_of(std::uint32_t link) const { return link < between_chips_from_ ? on_chip_ : between_chips_; }

    std::uint32_t links() const { return links_; }  // between routers, one for each direction
    // From router to router without contention, and without a flit. No message takes less from one node to another.
    std::uint64_t least_latency() const { return least_latency_; }

private:
    Chips chips_;
    std::vector<Place> places_;
    std::uint32_t between_chips_from_, attached_from_;  // the first such link
    Pace on_chip_, between_chips_;
    std::uint32_t links_ = 0;
    std::uint64_t least_latency_;
};

}  // namespace croftsim
