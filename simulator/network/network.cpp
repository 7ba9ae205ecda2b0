#include "network/network.hpp"

#include <algorithm>

namespace croftsim {

// Calls pass(first, links, step, pace) for each stretch of the way, and counts the message. Returns its hops.
template <class Pass>
std::uint32_t Network::walk(std::uint32_t from, std::uint32_t to, std::uint32_t flits, const Pass& pass) {
    const Place begin = wiring_.place(from), end = wiring_.place(to);
    Route route;
    wiring_.chips().way(begin.router, end.router, route);
    std::uint32_t hops = 0;
    std::uint64_t busy = 0;
    if (begin.by_link) pass(wiring_.attaching(from), 1, 0, wiring_.on_chip());
    for (const auto& [first, links, step] : route.stretches()) {
        const Wiring::Pace pace = wiring_.pace_of(first);
        pass(first, links, step, pace);
        hops += links;
        busy += std::uint64_t{links} * pace.cycles_per_flit;
    }
    if (end.by_link) pass(wiring_.detaching(to), 1, 0, wiring_.on_chip());
    if (!carried_.empty()) [[unlikely]]
        watch(route, flits);
    hops += begin.by_link + end.by_link;
    ++statistics_.messages;
    statistics_.flits += flits;
    statistics_.hops += hops;
    statistics_.busy += busy * flits;
    return hops;
}

Network::Passage Network::send(std::uint32_t from, std::uint32_t to, std::uint32_t flits, std::uint64_t time) {
    std::uint64_t* const free = free_.data();
    std::uint64_t head = time, waited = 0;
    if (wiring_.is_one_chip()) [[likely]] {
        // All links are alike, and the last flit is behind the head by the message's length. Nobody can
        // predict whether a link is free. Where a branch asks, a run with many messages takes 4% longer.
        const std::uint32_t hops =
            walk(from, to, flits, [&](std::uint32_t link, std::uint32_t links, std::int32_t step, Wiring::Pace pace) {
                for (; links > 0; --links, link += static_cast<std::uint32_t>(step)) {
                    const std::uint64_t begin = free[link];
                    const std::uint64_t start = __builtin_expect_with_probability(begin > head, 1, 0.5) ? begin : head;
                    waited += start - head;
                    free[link] = start + flits;
                    head = start + pace.latency;
                }
            });
        statistics_.waited += waited;
        return {head + (flits - 1), hops};
    }
    std::uint64_t tail = time + (flits - 1);
    const std::uint32_t hops =
        walk(from, to, flits, [&](std::uint32_t link, std::uint32_t links, std::int32_t step, Wiring::Pace pace) {
            for (; links > 0; --links, link += static_cast<std::uint32_t>(step)) {
                const std::uint64_t start = std::max(head, free[link]);
                const std::uint64_t last = std::max(start + std::uint64_t{flits - 1} * pace.cycles_per_flit, tail);
                waited += start - head;
                free[link] = last + pace.cycles_per_flit;
                head = start + pace.latency;
                tail = last + pace.latency;
            }
        });
    statistics_.waited += waited;
    return {tail, hops};
}

// Beside the way that send() takes and not in it, where every link would ask whether anybody wants to know.
void Network::watch(const Route& route, std::uint32_t flits) {
    for (const auto& [first, links, step] : route.stretches()) {
        std::uint32_t link = first;
        for (std::uint32_t i = 0; i < links; ++i, link += static_cast<std::uint32_t>(step))
            carried_[link] += std::uint64_t{flits} * wiring_.pace_of(link).cycles_per_flit;
    }
}

Network::Passage Network::signal(std::uint32_t from, std::uint32_t to, std::uint64_t time) const {
    const Place begin = wiring_.place(from), end = wiring_.place(to);
    Route route;
    wiring_.chips().way(begin.router, end.router, route);
    const std::uint32_t attached = begin.by_link + end.by_link;
    Passage passage{time + std::uint64_t{attached} * wiring_.on_chip().latency, attached};
    for (const auto& [first, links, step] : route.stretches()) {
        passage.arrival += std::uint64_t{links} * wiring_.pace_of(first).latency;
        passage.hops += links;
    }
    return passage;
}

}  // namespace croftsim
