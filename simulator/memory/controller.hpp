#pragma once
// A memory controller. Lines come through its port one after another, and each keeps it for `occupancy` cycles. Behind
// the port each line takes a fixed latency. If the machine says what DRAM there is, a rank of it is there instead
// (dram_rank.hpp). Then the latency is that of an idle rank with all banks closed. It is the time of DRAM only. The
// bytes move at the home (coherence/home.cpp), which is the only one to ask for them.
//
// With DRAM, requests wait in a queue and are served first ready, first come (FR-FCFS; Rixner et al., ISCA 2000). Among
// the oldest `queue` requests, that is the first whose row is open, or else the oldest. Nobody starves: a row ends, and
// rows are closed for refreshes. Nothing overtakes an earlier write of the same home. On the chip, too, a load waits
// for the flushes before it at the same controller (docs/evidence/tilepro64.md, 1.1). The controller sends itself an
// alarm for its next choice, and all that has come by then takes part.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/archive.hpp"
#include "contract/description.hpp"
#include "contract/message.hpp"
#include "memory/dram_rank.hpp"

namespace croftsim {

class Post;

class MemoryController {
public:
    struct Statistics {
        static constexpr bool is_plain = true;
        std::uint64_t reads = 0, writes = 0, busy = 0, waited = 0;  // cycles of the port, and before it
        // Of DRAM: lines by what they met, and cycles in the queue.
        std::uint64_t open_rows = 0, closed_banks = 0, other_rows = 0, queued = 0;
    };

    MemoryController(std::uint32_t node, const MemoryDescription& shape, double clock_mhz, Post& post);

    void receive(Message* message);
    const Statistics& statistics() const { return statistics_; }
    bool has_dram() const { return rank_.has_value(); }
    std::uint64_t refreshes() const { return rank_->refreshes(); }
    void serialise(Archive& archive);

private:
    struct Request {
        Message* message = nullptr;
        std::uint64_t entered = 0;  // when it is through the port
        void serialise(Archive& archive) { archive(message, entered); }
    };

    bool may_pass(std::size_t which) const;
    std::size_t choose(std::uint64_t time) const;
    void serve_next(std::uint64_t time);
    void plan_choice();
    DramRank::Place place_of(std::uint64_t line) const;
    void answer(Message* message, std::uint64_t read_done, std::uint64_t write_done);

    std::uint32_t node_;
    MemoryDescription shape_;
    Post& post_;
    std::optional<DramRank> rank_;
    std::uint64_t free_ = 0;
    std::vector<Request> queue_;  // in the order of their arrival
    bool will_choose_ = false;
    Statistics statistics_;
};
static_assert(is_listed<MemoryController, 464>);

}  // namespace croftsim
