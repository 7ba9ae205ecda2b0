#pragma once
// One tile: a core, its private caches with both sides of the coherence protocol, and the messages that are on their
// way to it.

#include "coherence/copy_engine.hpp"
#include "coherence/ddc.hpp"
#include "coherence/home.hpp"
#include "core/core.hpp"
#include "core/interpreter.hpp"
#include "machine/event_queue.hpp"
#include "network/user_port.hpp"

namespace croftsim {

struct Tile {
    Tile(std::uint32_t id, const MachineDescription& machine, BlockCache& blocks, Post& post)
        : caches(machine),
          no_lines(post.watcher() ? caches.l1.fast.size() : 0),
          core(id, blocks, caches.l1, caches.writable),
          home(id, machine, caches, core, post),
          requester(id, machine, caches, home, core, post),
          user_port(id, machine, core, post),
          copy_engine(id, home, core, post) {
        if (post.watcher()) {
            core.fast_lines = no_lines.data();
            core.fast_writes = no_writes.data();
        }
        core.requester = &requester;
        core.user_port = &user_port;
        core.copy_engine = &copy_engine;
        core.machine = &machine;
    }
    Tile(const Tile&) = delete;

    PrivateCaches caches;
    std::vector<L1Filter::Fast> no_lines;
    WriteFilter no_writes;
    Core core;
    Home home;
    Ddc requester;
    UserPort user_port;
    CopyEngine copy_engine;
    EventQueue events;

    // The pending source of interrupts that the core would take now, as its number; nothing if there is none.
    std::optional<std::uint64_t> interrupt() const {
        const Hart::Interrupts& state = core.hart.interrupts;
        if (!state.enabled || core.state != CoreState::runs) return std::nullopt;
        const std::uint64_t pending = state.sources & user_port.pending();
        if (pending == 0) return std::nullopt;
        return static_cast<std::uint64_t>(std::countr_zero(pending));
    }
    void receive(Message* message) {
        if (home.handles(message->kind))
            home.receive(message);
        else if (user_port.handles(message->kind))
            user_port.receive(message);
        else if (message->engine)
            copy_engine.receive(message);
        else
            requester.receive(message);
    }
    bool disturbs_core(const Message& message) {
        if (message.engine) return true;  // what comes next may be a write to any line homed here
        return user_port.handles(message.kind) ? user_port.disturbs_core(message) : home.disturbs_core(message);
    }

    std::uint64_t core_next() const {
        if (core.state == CoreState::runs) return core.time();
        return core.state == CoreState::waits_line ? core.wait_limit : never;
    }
    // When this tile does something next, if nothing new reaches it.
    std::uint64_t next() const { return std::min({core_next(), events.next(), requester.deadline()}); }
};

}  // namespace croftsim
