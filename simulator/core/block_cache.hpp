#pragma once
// Finds the block that starts at an address; decodes it at first use.

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/archive.hpp"
#include "contract/block.hpp"
#include "contract/description.hpp"
#include "core/interpreter.hpp"
#include "memory/address_space.hpp"
#include "record/landmarks.hpp"

namespace croftsim {

class BlockCache {
public:
    // `longest`: instructions of a block at most. `fetches`: the interpreter sees to it that a block's lines are in the
    // core's L1 instruction cache. `logs`: it tells cores' logs what they do, and when they come to `landmarks`.
    BlockCache(const CoreDescription& core, const CacheDescription& l1, const AddressSpace& memory,
               std::size_t longest = 48, bool fetches = false, bool logs = false, const Landmarks* landmarks = nullptr);

    // The block at pc. If there is no executable memory or no instruction, it is a block with a single `illegal`
    // operation. The fault is raised when, and if, control gets there.
    Block* find(std::uint64_t pc) {
        const auto index = (pc >> 1) & (direct.size() - 1);
        if (direct[index] && direct[index]->pc == pc) [[likely]]
            return direct[index];
        return find_slowly(pc, index);
    }

    // Decode everything anew (fence.i). Blocks in use stay alive for as long as they are, or for ever if there are
    // logs, which name them. `in_use`: the blocks of all cores. Those of other caches are passed
    // over.
    void forget(const std::vector<const Block*>& in_use);

    // Adds what the operations of the block before `op` count.
    void count_up_to(const Block& block, const Op* op, std::uint64_t& instructions, std::uint64_t& loads,
                     std::uint64_t& stores) const;

    // The blocks that have been decoded, with those that would be others if they were decoded now (before a fence.i).
    // Links between blocks are not kept: they lead to what find() finds.
    void serialise(Archive& archive);
    // A block of this cache, or none.
    void serialise_place(Archive& archive, Block*& block);

    // The handlers of operations whose instructions are at landmarks, behind that.
    const void* handler_behind_landmark(const Op* op) const { return covered_.find(op)->second; }

    const AddressSpace& memory() const { return memory_; }
    InterpreterKind interpreter() const { return interpreter_; }

private:
    Block* find_slowly(std::uint64_t pc, std::size_t index);
    std::unique_ptr<Block> decode_block(std::uint64_t pc) const;
    void cover_landmarks(Block& block);
    void serialise_handlers(Archive& archive, Block& block) const;

    const CoreDescription core_;
    const CacheDescription& l1_;
    const AddressSpace& memory_;
    const std::size_t longest_;
    const InterpreterKind interpreter_;
    const Landmarks* const landmarks_;                    // null: none
    std::unordered_map<const Op*, const void*> covered_;  // not saved: a run that is recorded has no checkpoint
    std::vector<Block*> direct;                           // a direct-mapped index in front of the map
    std::unordered_map<std::uint64_t, std::unique_ptr<Block>> blocks_;
    std::vector<std::unique_ptr<Block>> retired_;  // and in use
    std::vector<std::unique_ptr<Block>> logged_;   // and in use by nothing but perhaps a log
};
static_assert(is_listed<BlockCache, 344>);

}  // namespace croftsim
