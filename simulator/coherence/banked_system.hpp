#pragma once
// The memory system of big.TINY (paper 002, figure 1 and section V.A): private L1s at a shared L2 in banks. Each L1
// follows the protocol of its core. Lines go round the banks. Between an L1 and the banks there may be an L2 of its
// tile.

#include <deque>
#include <memory>
#include <vector>

#include "base/archive.hpp"
#include "coherence/l1_requester.hpp"
#include "coherence/l2_bank.hpp"
#include "coherence/memory_system.hpp"
#include "coherence/private_l2.hpp"
#include "core/core.hpp"

namespace croftsim {

class BankedSystem final : public MemorySystem {
public:
    BankedSystem(const MachineDescription& machine, Standstill& post, CoherenceCheck* check = nullptr);

    std::unique_ptr<TileMemory> make_tile(Core& core) override;
    std::uint32_t nodes() const override { return static_cast<std::uint32_t>(banks_.size()); }
    L2Bank& bank(std::uint32_t index) { return banks_[index]; }
    void receive(std::uint32_t index, Message* message) override { banks_[index].receive(message); }
    void sent_to(std::uint32_t index, std::uint64_t line) override { banks_[index].lines().expect_search(line); }
    void arrives_at(std::uint32_t index, std::uint64_t line) override { banks_[index].lines().expect_use(line); }
    std::uint32_t home_of(std::uint64_t line, std::uint32_t) const override { return first_node_ + bank_of(line); }
    bool is_spread(std::uint64_t) const override { return true; }
    void read(std::uint64_t line, std::size_t offset, std::span<std::uint8_t> to, std::uint32_t tile) override;
    void write(std::uint64_t address, std::span<const std::uint8_t> from, std::uint32_t tile) override;
    void drop(std::uint64_t address, std::uint64_t bytes, bool discard) override;
    bool holds(std::uint64_t address, std::uint64_t bytes) override;
    void update_memory() override;
    void statistics(std::uint32_t tile, bool holds_threads, const Row& row) const override;
    void statistics(const Row& row) const override;
    std::string violated_invariant() override;
    void serialise(Archive& archive) override { archive.each(banks_); }

private:
    std::uint32_t bank_of(std::uint64_t line) const {
        return static_cast<std::uint32_t>(line / line_bytes % banks_.size());
    }
    template <class Inside>
    bool is_under_way(Inside inside);
    // The line as its latest words are, wherever they are.
    std::array<std::uint8_t, line_bytes> latest(std::uint64_t line);

    const MachineDescription& machine_;
    Standstill& post_;
    const std::uint32_t first_node_;
    std::deque<L2Bank> banks_;  // which do not move
    std::vector<L1Requester*> l1s_;
    std::vector<PrivateL2*> l2s_;  // null where a tile has none
    std::vector<Core*> cores_;
};
static_assert(is_listed<BankedSystem, 184>);

}  // namespace croftsim
