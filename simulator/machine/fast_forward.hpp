#pragma once
// Carries out a program functionally before its first region, and begins the region in exact time with warm caches
// (docs/decisions/fast-forward.md).
//
// Until then every core runs in order and has memory itself instead of its caches (core/functional_memory.hpp), which
// are empty. The user network, interrupts and the kernel are the machine's own. But everything between two parts of the
// machine takes `slack` cycles more. So windows are as long as that, and cores that share nothing but memory take turns
// that are worth it.
//
// When the region begins the machine stands still, and each core's caches get back the lines that it has used last.
// They get them by the accesses that bring them there: through the protocol, in the order of their last uses, one after
// the other. So caches and directories are then in a state that the protocol allows. Caches have the bytes that memory
// has, so nothing is stale under any protocol. Nothing is dirty where no owner is known (GPU-WB): a line that a core
// has written is loaded there instead.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "contract/description.hpp"
#include "core/block_cache.hpp"
#include "core/functional_memory.hpp"
#include "memory/address_space.hpp"

namespace croftsim {

struct Tile;

class FastForward {
public:
    static constexpr std::uint32_t slack = 1000;  // cycles

    // Takes all cores over.
    FastForward(const MachineDescription& machine, AddressSpace& memory, std::vector<std::unique_ptr<Tile>>& tiles);

    void pages_changed() {
        for (auto& memory : memories_) memory->forget();
    }
    void program_changed(const std::vector<const Block*>& in_use) {
        for (auto& blocks : blocks_)
            if (blocks) blocks->forget(in_use);
    }

    // The program has begun a region, at `place`.
    void ask_for_region(std::uint64_t place) { place_ = place; }
    bool is_over() const { return place_.has_value(); }
    std::uint64_t place() const { return *place_; }

    // Gives the cores back to their caches and models; each goes on where it is once its caches are warm (resume).
    void give_back();
    struct Warming {
        std::uint32_t core;
        std::uint64_t line;
        bool reads, writes, executes;
    };
    // The accesses that warm the caches, in their order.
    std::vector<Warming> warming();
    void resume(std::uint64_t now);

private:
    struct Held {
        BlockCache* blocks;
        std::unique_ptr<CoreModel> model;
        CoreState state = CoreState::idle;
        InstructionL1 instructions;  // as the program left them
    };

    const MachineDescription& machine_;
    AddressSpace& memory_;
    std::vector<std::unique_ptr<Tile>>& tiles_;
    std::uint64_t order_ = 0;
    std::vector<std::unique_ptr<BlockCache>> blocks_;  // of each kind of core that issues out of order otherwise
    std::vector<std::unique_ptr<FunctionalMemory>> memories_;
    std::vector<Held> held_;
    std::optional<std::uint64_t> place_;  // of the region that has begun
};

}  // namespace croftsim
