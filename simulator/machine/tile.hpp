#pragma once
// One tile: a core, its part of the memory system, its ports, and the messages that are on their way to it.

#include <bit>
#include <memory>

#include "base/archive.hpp"
#include "coherence/memory_system.hpp"
#include "core/core.hpp"
#include "core/core_model.hpp"
#include "device/uli_port.hpp"
#include "device/user_port.hpp"
#include "machine/event_queue.hpp"

namespace croftsim {

struct Tile {
    Tile(std::uint32_t id, const MachineDescription& machine, BlockCache& blocks, MemorySystem& system, Post& post,
         CoherenceCheck* check)
        : core(id, blocks, check),
          memory(system.make_tile(core)),
          requester(memory->requester()),
          user_port(id, machine, core, post),
          uli_port(id, machine, core, post) {
        core.user_port = &user_port;
        core.uli_port = &uli_port;
        core.machine = &machine;
    }
    Tile(const Tile&) = delete;

    Core core;
    std::unique_ptr<TileMemory> memory;
    Requester& requester;
    UserPort user_port;
    UliPort uli_port;
    EventQueue events;

    void serialise(Archive& archive) {
        memory->serialise(archive);  // first: what the core sees of its caches is there
        archive(core, user_port, uli_port, events);
    }

    // The pending source of interrupts that the core would take now, as its number; nothing if there is none.
    std::optional<std::uint64_t> interrupt() const {
        const Hart::Interrupts& state = core.hart.interrupts;
        if (!state.enabled || core.state != CoreState::runs) return std::nullopt;
        const std::uint64_t pending = state.sources & (user_port.pending() | uli_port.pending());
        if (pending == 0) return std::nullopt;
        return static_cast<std::uint64_t>(std::countr_zero(pending));
    }
    void receive(Message* message) {
        if (user_port.handles(message->kind))
            user_port.receive(message);
        else if (UliPort::handles(message->kind))
            uli_port.receive(message);
        else
            memory->receive(message);
    }
    bool disturbs_core(const Message& message) {
        if (user_port.handles(message.kind)) return user_port.disturbs_core(message);
        return UliPort::handles(message.kind) ? uli_port.disturbs_core(message) : memory->disturbs_core(message);
    }

    std::uint64_t core_next() const {
        if (core.state == CoreState::runs) return core.model->next();
        return core.state == CoreState::waits_line ? core.wait_limit : never;
    }
    // When this tile does something next, if nothing new reaches it.
    std::uint64_t next() const { return std::min({core_next(), events.next(), requester.deadline()}); }
};
static_assert(is_listed<Tile, 7480>);

// Those that the cores are inside, or may be taken back to.
inline std::vector<const Block*> blocks_in_use(const std::vector<std::unique_ptr<Tile>>& tiles) {
    std::vector<const Block*> blocks;
    for (const auto& tile : tiles) {
        const Core& core = tile->core;
        blocks.insert(blocks.end(), {core.block, core.checkpoint.block(), core.model->block()});
    }
    return blocks;
}

}  // namespace croftsim
