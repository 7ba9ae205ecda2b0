#include "machine/fast_forward.hpp"

#include <algorithm>

#include "base/one_of.hpp"
#include "machine/tile.hpp"

namespace croftsim {
namespace {

// What one core's uses can fill: its own caches, and all that it shares with others.
std::size_t lines_reached(const MachineDescription& machine, const CoreKind& kind) {
    std::size_t lines = kind.l1d.size / line_bytes;
    if (kind.l2) lines += kind.l2->size / line_bytes * (machine.shared ? 1 : machine.tiles());
    if (machine.shared) lines += machine.shared->size / line_bytes * machine.shared->places.size();
    return lines;
}

// Programs measure whether a core is wide (port::is_wide_core()), and do so before their regions.
CoreDescription in_order(const CoreKind& kind) {
    constexpr std::uint32_t widest = 3;  // that issues in order
    CoreDescription core = kind.core;
    core.issue_width = std::min(kind.out_of_order->width, widest);
    return core;
}

}  // namespace

FastForward::FastForward(const MachineDescription& machine, AddressSpace& memory,
                         std::vector<std::unique_ptr<Tile>>& tiles)
    : machine_(machine), memory_(memory), tiles_(tiles), blocks_(machine.kinds.size()) {
    for (auto& tile : tiles) {
        Core& core = tile->core;
        const CoreKind& kind = machine.kind_of(core.id);
        held_.push_back({core.blocks, std::move(core.model), CoreState::idle, {}});
        if (kind.out_of_order) {
            auto& blocks = blocks_[static_cast<std::size_t>(&kind - machine.kinds.data())];
            if (!blocks)
                blocks = std::make_unique<BlockCache>(in_order(kind), kind.l1d, memory, 48, kind.l1i.has_value());
            core.blocks = blocks.get();
        }
        core.model = std::make_unique<FunctionalCore>(core);
        memories_.push_back(
            std::make_unique<FunctionalMemory>(core, kind.l1d.line, lines_reached(machine, kind), memory, order_));
    }
}

// Whoever waits for something tries again: all that cores wait for, but the kernel, permits that.
void FastForward::give_back() {
    for (std::size_t id = 0; id < tiles_.size(); ++id) {
        Core& core = tiles_[id]->core;
        Held& held = held_[id];
        held.state = core.state;
        held.instructions = core.instructions;
        if (core.op) {
            core.blocks->count_up_to(*core.block, core.op, core.statistics.instructions, core.statistics.loads,
                                     core.statistics.stores);
            core.hart.pc = core.pc();
        }
        core.op = nullptr;
        core.block = nullptr;
        core.blocks = held.blocks;
        core.model = std::move(held.model);
        core.state = CoreState::idle;
        memories_[id]->give_back();
    }
}

std::vector<FastForward::Warming> FastForward::warming() {
    struct Ordered : FunctionalMemory::Use {
        std::uint32_t core;
    };
    std::vector<Ordered> all;
    for (std::uint32_t id = 0; id < memories_.size(); ++id)
        for (const FunctionalMemory::Use& use : memories_[id]->uses()) all.push_back({use, id});
    std::ranges::sort(all, {}, &Ordered::order);
    std::vector<Warming> accesses;
    for (const Ordered& use : all) {
        const Page* const page = memory_.find(use.line);
        if (!page || !page->permission) continue;
        const Protocol protocol = machine_.kind_of(use.core).protocol;
        const bool may_be_dirty =
            protocol == Protocol::gpu_wb || protocol == Protocol::gpu_wb_fetch || page->home == Page::incoherent;
        const bool writes = use.writes && !may_be_dirty && page->permission & Permission::write;
        const bool reads = page->permission & Permission::read && (use.reads || (use.writes && !writes));
        accesses.push_back({use.core, use.line, reads, writes, use.executes});
    }
    return accesses;
}

void FastForward::resume(std::uint64_t now) {
    for (std::size_t id = 0; id < tiles_.size(); ++id) {
        Core& core = tiles_[id]->core;
        core.state = held_[id].state;
        core.instructions = std::move(held_[id].instructions);
        core.op = nullptr;
        core.block = nullptr;
        if (!is_one_of(core.state, {CoreState::idle, CoreState::in_kernel, CoreState::trapped})) core.go(now);
    }
}

}  // namespace croftsim
