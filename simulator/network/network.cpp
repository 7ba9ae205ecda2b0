#include "network/network.hpp"

#include <limits>

namespace croftsim {
namespace {

// Of the ways from node to node that there are. A way to another router takes a link between routers, and one to
// another node of the same router the links of both nodes.
std::uint64_t least_latency(const std::vector<Place>& places, std::uint64_t hop, std::uint64_t link) {
    std::uint64_t least_end = hop, least = std::numeric_limits<std::uint64_t>::max();
    std::vector<std::uint64_t> ends;  // of each router, its node that is least away
    for (const Place& place : places) {
        const std::uint64_t end = place.by_link ? hop : 0;
        least_end = std::min(least_end, end);
        if (place.router >= ends.size()) ends.resize(place.router + 1, std::numeric_limits<std::uint64_t>::max());
        std::uint64_t& other = ends[place.router];
        if (other <= hop) least = std::min(least, other + end);
        other = std::min(other, end);
    }
    return ends.size() > 1 ? std::min(least, 2 * least_end + link) : least;
}

}  // namespace

Network::Network(const MachineDescription& machine)
    : chips_(machine.network), places_(places_of(machine)), paces_{{machine.network.hop, 1}, {}} {
    const NetworkDescription& network = machine.network;
    if (network.chip_link) paces_[1] = {network.chip_link->latency, network.chip_link->cycles_per_flit};
    chips_.for_each_link([this](std::uint32_t, std::uint32_t, std::uint32_t) { ++links_; });
    free_.resize(chips_.numbers() + 2 * places_.size());
    least_latency_ = croftsim::least_latency(
        places_, network.hop, network.chips > 1 ? std::min(network.hop, paces_[1].latency) : network.hop);
}

Network::Passage Network::send(std::uint32_t from, std::uint32_t to, std::uint32_t flits, std::uint64_t time) {
    // When the message's head comes to the next link, and when its last flit does.
    std::uint64_t head = time, tail = time + (flits - 1), waited = 0;
    std::uint32_t hops = 0;
    const auto pass = [&](std::uint32_t first, std::uint32_t links, std::int32_t step, Pace pace) {
        std::uint64_t* free = free_.data() + first;
        const std::uint64_t behind = std::uint64_t{flits - 1} * pace.cycles_per_flit;
        for (; links > 0; --links, free += step) {
            const std::uint64_t start = std::max(head, *free), last = std::max(start + behind, tail);
            waited += start - head;
            *free = last + pace.cycles_per_flit;
            head = start + pace.latency;
            tail = last + pace.latency;
        }
    };
    if (places_[from].by_link) pass(attaching(from), 1, 0, paces_[0]), ++hops;
    for (const Route::Stretch& stretch : way(from, to).stretches()) {
        const Pace pace = paces_[stretch.between_chips];
        const std::uint64_t cycles = std::uint64_t{flits} * pace.cycles_per_flit;
        pass(stretch.first, stretch.links, stretch.step, pace);
        hops += stretch.links;
        statistics_.busy += cycles * stretch.links;
        if (!carried_.empty()) [[unlikely]]
            watch(stretch, cycles);
    }
    if (places_[to].by_link) pass(detaching(to), 1, 0, paces_[0]), ++hops;
    ++statistics_.messages;
    statistics_.flits += flits;
    statistics_.hops += hops;
    statistics_.waited += waited;
    return {tail, hops};
}

// Beside the way that send() takes and not in it, where every link would ask whether anybody wants to know.
void Network::watch(const Route::Stretch& stretch, std::uint64_t cycles) {
    std::uint32_t link = stretch.first;
    for (std::uint32_t i = 0; i < stretch.links; ++i, link += static_cast<std::uint32_t>(stretch.step))
        carried_[link] += cycles;
}

Network::Passage Network::signal(std::uint32_t from, std::uint32_t to, std::uint64_t time) {
    const std::uint32_t attached = (places_[from].by_link ? 1 : 0) + (places_[to].by_link ? 1 : 0);
    Passage passage{time + std::uint64_t{attached} * paces_[0].latency, attached};
    for (const Route::Stretch& stretch : way(from, to).stretches()) {
        passage.arrival += std::uint64_t{stretch.links} * paces_[stretch.between_chips].latency;
        passage.hops += stretch.links;
    }
    return passage;
}

}  // namespace croftsim
