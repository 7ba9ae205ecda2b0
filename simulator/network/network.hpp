#pragma once
// A network of routers and links (topology.hpp, chips.hpp) with wormhole routing.
//
// A message's head goes from router to router in `hop` cycles, or in a link's own latency between chips. It waits at
// each link until the link is free. The link then carries the message's flits at its own pace. It is the message's own
// until it has taken the last flit. A message that comes over a slow link keeps the next links for as long as its flits
// take to arrive.
//
// Messages must be sent in the order of their injection times, and a link serves them in that order. That is the order
// of the heads' arrival, except where a message from afar and one from nearby meet within a few cycles. In return two
// messages between the same nodes never overtake each other. They take the same links. At each of them the second
// message's head waits for the first message's last flit. The coherence protocols rely on that.

#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "network/wiring.hpp"

namespace croftsim {

class Network {
public:
    explicit Network(const MachineDescription& machine) : wiring_(machine), free_(wiring_.numbers()) {}

    const Wiring& wiring() const { return wiring_; }

    struct Passage {
        std::uint64_t arrival;  // of the last flit, behind the last router
        std::uint32_t hops;
    };
    // Sends `flits`, which enter the sender's router at `time`, from one node to another (tiles, and what is attached).
    Passage send(std::uint32_t from, std::uint32_t to, std::uint32_t flits, std::uint64_t time);
    // A signal of the links' own, which is no message and waits for none.
    Passage signal(std::uint32_t from, std::uint32_t to, std::uint64_t time) const;
    std::uint32_t hops(std::uint32_t from, std::uint32_t to) const { return signal(from, to, 0).hops; }

    struct Statistics {
        static constexpr bool is_plain = true;
        std::uint64_t messages = 0, flits = 0, hops = 0, waited = 0;
        std::uint64_t busy = 0;  // cycles, of each link between routers, together
    };
    const Statistics& statistics() const { return statistics_; }
    // From now on each link's share of `busy` is counted, too; `kept`: for the results and in checkpoints.
    void watch_links(bool kept) {
        carried_.resize(wiring_.chips().numbers());
        keeps_carried_ = kept;
    }
    // By the link's number; 0 where there is no link.
    const std::vector<std::uint64_t>& carried() const { return carried_; }
    // visit(number, cycles) of each link between routers, if they are kept.
    template <class Visit>
    void each_kept_link(Visit visit) const {
        if (!keeps_carried_) return;
        wiring_.chips().for_each_link(
            [&](std::uint32_t link, std::uint32_t, std::uint32_t) { visit(link, carried_[link]); });
    }
    void serialise(Archive& archive) {
        archive.each(free_);
        std::vector<std::uint64_t> none;  // a run that is only watched has the checkpoints of one that is not
        archive.each(keeps_carried_ ? carried_ : none);
        archive(statistics_);
    }

private:
    template <class Pass>
    std::uint32_t walk(std::uint32_t from, std::uint32_t to, std::uint32_t flits, const Pass& pass);
    void watch(const Route& route, std::uint32_t flits);

    Wiring wiring_;
    std::vector<std::uint64_t> free_;     // when each link has carried what was sent so far
    std::vector<std::uint64_t> carried_;  // cycles of each link to another router; empty: not watched
    bool keeps_carried_ = false;
    Statistics statistics_;
};
static_assert(is_listed<Network, 224>);

}  // namespace croftsim
