#pragma once
// The memory system of big.TINY (paper 002, figure 1 and section V.A), and of every machine whose homes are caches
// behind the L1s. There are private L1s, each under the protocol of its core, and levels of caches behind them
// (cache_level.hpp). Every core shares the last level, whose lines go round its banks. Before it there may be an L2 of
// the tile, and caches that some tiles in a row share.
//
// A cache of the tile's own is in the tile: its messages to the L1 and from it take no network. Any other is a node
// attached to a router.

#include <deque>
#include <memory>
#include <vector>

#include "base/archive.hpp"
#include "coherence/cache_level.hpp"
#include "coherence/l1_requester.hpp"
#include "coherence/memory_system.hpp"
#include "core/core.hpp"

namespace croftsim {

class LevelSystem final : public MemorySystem {
public:
    LevelSystem(const MachineDescription& machine, Standstill& post, CoherenceCheck* check = nullptr);

    std::unique_ptr<TileMemory> make_tile(Core& core) override;
    std::uint32_t nodes() const override { return static_cast<std::uint32_t>(caches_.size()); }
    std::uint32_t tile_of(std::uint32_t index) const override { return places_[index].tile; }
    CacheLevel& cache(std::uint32_t index) { return caches_[index]; }  // the banks come first
    void receive(std::uint32_t index, Message* message) override { caches_[index].receive(message); }
    void sent_to(std::uint32_t index, std::uint64_t line) override { caches_[index].lines().expect_search(line); }
    void arrives_at(std::uint32_t index, std::uint64_t line) override { caches_[index].lines().expect_use(line); }
    std::uint32_t home_of(std::uint64_t line, std::uint32_t node) const override {
        const Caches& asked = node < asks_.size() ? asks_[node] : places_[node - first_node_].asks;
        return asked.count == 0 ? Post::no_home : first_node_ + index_of(asked, line);
    }
    bool is_spread(std::uint64_t) const override { return true; }
    void read(std::uint64_t line, std::size_t offset, std::span<std::uint8_t> to, std::uint32_t tile) override;
    void write(std::uint64_t address, std::span<const std::uint8_t> from, std::uint32_t tile) override;
    void drop(std::uint64_t address, std::uint64_t bytes, bool discard) override;
    bool holds(std::uint64_t address, std::uint64_t bytes) override;
    void update_memory() override;
    void statistics(std::uint32_t tile, bool holds_threads, const Row& row) const override;
    void statistics(const Row& row) const override;
    std::string violated_invariant() override;
    void serialise(Archive& archive) override { archive.each(caches_); }

private:
    // Caches of one level, among which lines are shared out.
    struct Caches {
        enum class By : std::uint8_t { hash, round, controller };
        std::uint32_t first = 0, count = 0;
        By by = By::hash;
    };
    std::uint32_t index_of(const Caches& caches, std::uint64_t line) const {
        if (caches.count == 1) return caches.first;
        if (caches.by == Caches::By::controller) return caches.first + post_.controller_of(line) - machine_.tiles();
        return caches.first + (caches.by == Caches::By::hash
                                   ? hash_of(line, caches.count)
                                   : static_cast<std::uint32_t>(line / line_bytes % caches.count));
    }
    struct Place {
        std::string level;   // of its statistics
        std::uint32_t tile;  // or no_tile
        Caches asks;         // none: memory
    };
    static Caches last_of(const SharedCacheDescription& shared);
    // The next cache, of these tiles from `first` on; it asks what they have asked so far, and they ask it.
    void add(const LevelDescription& level, std::uint32_t first, std::uint32_t tiles, std::uint32_t tile);
    template <class Inside>
    bool is_under_way(Inside inside);
    // The line as its latest words are, wherever they are.
    std::array<std::uint8_t, line_bytes> latest(std::uint64_t line);
    void write_back(std::uint64_t begin, std::uint64_t end);
    // Only one of the banks may have the line.
    bool may_hold(std::uint32_t index, std::uint64_t line) const {
        return index >= last_level_.count || index_of(last_level_, line) == index;
    }

    const MachineDescription& machine_;
    Standstill& post_;
    CoherenceCheck* const check_;
    const std::uint32_t first_node_;
    const std::uint32_t children_;  // every child's node is below that
    const Caches last_level_;
    std::deque<CacheLevel> caches_;  // which do not move: the banks, other shared ones, then those of tiles
    std::vector<Place> places_;
    std::vector<Caches> asks_;  // of each tile's L1
    std::vector<HomeTimes> times_;
    std::vector<ProtocolTraits> traits_;  // of each node below children_
    bool owners_answer_ = false;          // somewhere
    std::vector<L1Requester*> l1s_;
    std::vector<Core*> cores_;
};
static_assert(is_listed<LevelSystem, 288>);

}  // namespace croftsim
