#pragma once
// A two-dimensional mesh with dimension-ordered (XY) wormhole routing, one flit a cycle on each directed link.
//
// A message's head goes from router to router in `hop` cycles and waits at each link until the link is free. The link
// then carries its flits one a cycle. Messages must be sent in the order of their injection times, and a link serves
// them in that order. That is the order of the heads' arrival, except where a message from afar and one from nearby
// meet within a few cycles. In return two messages between the same nodes never overtake each other. The coherence
// protocols rely on that.

#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "contract/description.hpp"

namespace croftsim {

class Mesh {
public:
    explicit Mesh(const MachineDescription& machine);

    // Sends `flits`, which enter the sender's router at `time`, from one node to another (tiles, memory controllers,
    // banks); returns when the last leaves the last router.
    std::uint64_t send(std::uint32_t from, std::uint32_t to, std::uint32_t flits, std::uint64_t time);

    std::uint32_t hops(std::uint32_t from, std::uint32_t to) const;
    // From router to router without contention, and without a flit: what a link's own signals take.
    std::uint64_t bare_latency(std::uint32_t from, std::uint32_t to) const {
        return std::uint64_t{hops(from, to)} * network_.hop;
    }

    struct Statistics {
        static constexpr bool is_plain = true;
        std::uint64_t messages = 0, flits = 0, hops = 0, waited = 0;
        std::uint64_t busy = 0;  // cycles, of each link between routers, together
    };
    const Statistics& statistics() const { return statistics_; }
    // From now on each link's share of `busy` is counted, too; `kept`: for the results and in checkpoints.
    void watch_links(bool kept) {
        carried_.resize(std::size_t{network_.columns} * network_.rows * ways);
        keeps_carried_ = kept;
    }
    // By router * 4 + direction, which is 0 east, 1 west, 2 north, 3 south; 0 where there is no link.
    const std::vector<std::uint64_t>& carried() const { return carried_; }
    // visit(router * 4 + direction, cycles) of each link between routers, if they are kept.
    template <class Visit>
    void each_kept_link(Visit visit) const {
        for (std::uint32_t link = 0; keeps_carried_ && link < carried_.size(); ++link) {
            const std::uint32_t column = link / ways % network_.columns, row = link / ways / network_.columns;
            const bool exists[] = {column + 1 < network_.columns, column > 0, row > 0, row + 1 < network_.rows};
            if (exists[link % ways]) visit(link, carried_[link]);
        }
    }
    void serialise(Archive& archive) {
        archive.each(free_);
        std::vector<std::uint64_t> none;  // a run that is only watched has the checkpoints of one that is not
        archive.each(keeps_carried_ ? carried_ : none);
        archive(statistics_);
    }
    // Links between routers, one for each direction.
    std::uint32_t links() const {
        return 2 * ((network_.columns - 1) * network_.rows + network_.columns * (network_.rows - 1));
    }

private:
    enum Direction : std::uint32_t { east, west, north, south, attach, detach, directions };
    static constexpr std::uint32_t ways = attach;  // to another router
    struct Position {
        std::int32_t column, row;
    };
    std::uint64_t pass(std::uint32_t link, std::uint64_t head, std::uint32_t flits) {
        const std::uint64_t start = head > free_[link] ? head : free_[link];
        statistics_.waited += start - head;
        free_[link] = start + flits;
        return start + network_.hop;
    }

    void watch(Position at, Position end, std::uint32_t flits);

    NetworkDescription network_;
    std::uint32_t tiles_;
    std::vector<Position> positions_;     // of each node's router
    std::vector<std::uint64_t> free_;     // when each link has carried what was sent so far
    std::vector<std::uint64_t> carried_;  // flits over each link to another router; empty: not watched
    bool keeps_carried_ = false;
    Statistics statistics_;
};
static_assert(is_listed<Mesh, 152>);

}  // namespace croftsim
