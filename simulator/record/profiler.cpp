#include "record/profiler.hpp"

#include <algorithm>
#include <tuple>

namespace croftsim {

void Profiler::divide(OfCore& core, std::uint32_t node, const Block& block, const Op* end, Count count) {
    // The last operation of a block that has been cut is no instruction: its cycles are those of the one before.
    const Op* const first = block.ops.data();
    const Op* last = std::min(end, first + block.instructions);
    last = last == first ? first : last - 1;
    std::int64_t left = count.cycles;
    for (const Op* op = first; op < last; ++op) {
        const auto cycles = static_cast<std::int64_t>((op[1].offset - op->offset) * count.times);
        core.places[{block.pc_of(op), node, 0}] += {cycles, count.times};
        left -= cycles;
    }
    core.places[{block.pc_of(last), node, 0}] += {left, end != first ? count.times : 0};
}

std::vector<Profile::Row> Profiler::rows() {
    std::vector<Profile::Row> rows;
    for (std::uint32_t number = 0; number < cores_.size(); ++number) {
        OfCore& core = cores_[number];
        for (auto& recent : core.recent_blocks) late_blocks_.put(core.blocks, recent);
        late_blocks_.flush();
        core.blocks.for_each([&](const BlockKey& key, const Count& count) {
            divide(core, key.node, *key.block, key.block->end(), count);
        });
        core.blocks = {};
        for (auto& recent : core.recent_places) late_places_.put(core.places, recent);
        late_places_.flush();
        const std::size_t begin = rows.size();
        core.places.for_each([&](const PlaceKey& key, const Count& count) {
            if (count.cycles || count.times)
                rows.push_back({number, key.node, key.pc, key.cause, 0, count.cycles, count.times});
        });
        std::sort(rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.end(),
                  [](const Profile::Row& one, const Profile::Row& other) {
                      return std::tie(one.node, one.pc, one.cause) < std::tie(other.node, other.pc, other.cause);
                  });
    }
    return rows;
}

}  // namespace croftsim
