#include "network/wiring.hpp"

#include <algorithm>
#include <limits>

namespace croftsim {
namespace {

// A way to another router takes a link between routers. A way to another node of the same router takes the links of
// both nodes.
std::uint64_t least_of_all(const std::vector<Place>& places, std::uint64_t hop, std::uint64_t link) {
    constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t least_end = none, least = none;
    std::vector<std::uint64_t> ends;  // of each router: how far its nearest node is
    for (const Place& place : places) {
        const std::uint64_t end = place.by_link ? hop : 0;
        least_end = std::min(least_end, end);
        if (place.router >= ends.size()) ends.resize(place.router + 1, none);
        std::uint64_t& other = ends[place.router];
        if (other != none) least = std::min(least, other + end);
        other = std::min(other, end);
    }
    return ends.size() > 1 ? std::min(least, 2 * least_end + link) : least;
}

}  // namespace

Wiring::Wiring(const MachineDescription& machine)
    : chips_(machine.network),
      places_(places_of(machine)),
      between_chips_from_(chips_.between_chips()),
      attached_from_(chips_.numbers()),
      on_chip_{machine.network.hop, 1},
      between_chips_(on_chip_) {
    if (const auto& link = machine.network.chip_link; link && !is_one_chip())
        between_chips_ = {link->latency, link->cycles_per_flit};
    chips_.for_each_link([this](std::uint32_t, std::uint32_t, std::uint32_t) { ++links_; });
    least_latency_ = least_of_all(places_, on_chip_.latency, std::min(on_chip_.latency, between_chips_.latency));
}

}  // namespace croftsim
