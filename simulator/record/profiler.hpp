#pragma once
// Counts where every cycle goes: by core, stack of calls, instruction and cause (`croft run --profile`). It is exact.
// Nothing is sampled, and for each core the cycles add up to those of the statistics.
//
// Cores in order tell of whole blocks. A block's cycles are divided among its instructions when it has ended. Each has
// those until the next one issues, and the last one the rest, a taken branch's delay among them.

#include <array>
#include <cstdint>
#include <vector>

#include "contract/block.hpp"
#include "contract/simulation.hpp"
#include "contract/stall.hpp"
#include "record/call_tree.hpp"
#include "record/flat_map.hpp"

namespace croftsim {

class Profiler {
public:
    explicit Profiler(std::uint32_t cores) : cores_(cores) {}

    // All of the block, or its operations before `end`, in so many cycles.
    void executed(std::uint32_t core, std::uint32_t node, const Block& block, std::int64_t cycles) {
        OfCore& self = cores_[core];
        count_of(self.recent_blocks, self.blocks, late_blocks_, {&block, node}) += {cycles, 1};
    }
    void executed(std::uint32_t core, std::uint32_t node, const Block& block, const Op* end, std::int64_t cycles) {
        divide(cores_[core], node, block, end, {cycles, 1});
    }
    void executed(std::uint32_t core, std::uint32_t node, std::uint64_t pc, std::int64_t cycles, std::uint64_t times) {
        Count& count = recent_place(cores_[core], {pc, node, 0});
        count.cycles += cycles;
        count.times += times;
    }
    void waited(std::uint32_t core, std::uint32_t node, std::uint64_t pc, Stall why, std::int64_t cycles) {
        recent_place(cores_[core], {pc, node, 1 + static_cast<std::uint32_t>(why)}).cycles += cycles;
    }

    // The counts, in the order of cores, nodes, instructions and causes.
    std::vector<Profile::Row> rows();

private:
    struct Count {
        std::int64_t cycles = 0;
        std::uint64_t times = 0;
        Count& operator+=(const Count& more) {
            cycles += more.cycles;
            times += more.times;
            return *this;
        }
    };
    struct BlockKey {
        const Block* block = nullptr;
        std::uint32_t node = 0;
        bool operator==(const BlockKey&) const = default;
        std::uint64_t hash() const { return reinterpret_cast<std::uintptr_t>(block) / 32 + node * 61; }
    };
    struct PlaceKey {
        std::uint64_t pc = ~std::uint64_t{0};
        std::uint32_t node = 0, cause = 0;
        bool operator==(const PlaceKey&) const = default;
        std::uint64_t hash() const { return pc / 2 + node * 977 + cause * 131071; }
    };
    // A core's latest blocks, and the latest places where it waited. Its loops are here, in the host's nearer caches;
    // maps of all that 64 cores have ever done are not.
    template <class Key>
    struct Recent {
        Key key;
        Count count;
    };
    struct OfCore {
        std::array<Recent<BlockKey>, 256> recent_blocks;
        std::array<Recent<PlaceKey>, 128> recent_places;
        FlatMap<BlockKey, Count> blocks;
        FlatMap<PlaceKey, Count> places;
    };
    // What is about to be added to a map: the map's place for it is on its way through the host's memory.
    template <class Key>
    class Late {
    public:
        void put(FlatMap<Key, Count>& all, Recent<Key>& recent) {
            if (recent.key == Key{}) return;
            all.prefetch(recent.key);
            One& oldest = waiting_[next_++ % waiting_.size()];
            add(oldest);
            oldest = {&all, recent};
            recent = {};
        }
        void flush() {
            for (One& one : waiting_) add(one);
        }

    private:
        struct One {
            FlatMap<Key, Count>* to = nullptr;
            Recent<Key> what;
        };
        static void add(One& one) {
            if (one.to) (*one.to)[one.what.key] += one.what.count;
            one.to = nullptr;
        }
        std::array<One, 16> waiting_;
        std::size_t next_ = 0;
    };
    template <class Key, std::size_t size>
    static Count& count_of(std::array<Recent<Key>, size>& lately, FlatMap<Key, Count>& all, Late<Key>& late,
                           const Key& key) {
        Recent<Key>& recent = lately[key.hash() % size];
        if (!(recent.key == key)) {
            late.put(all, recent);
            recent.key = key;
        }
        return recent.count;
    }
    Count& recent_place(OfCore& core, const PlaceKey& key) {
        return count_of(core.recent_places, core.places, late_places_, key);
    }
    void divide(OfCore& core, std::uint32_t node, const Block& block, const Op* end, Count count);

    std::vector<OfCore> cores_;
    Late<BlockKey> late_blocks_;
    Late<PlaceKey> late_places_;
};

}  // namespace croftsim
