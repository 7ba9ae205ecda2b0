#pragma once
// One tile: a core, its private caches with both sides of the coherence protocol, and the messages that are on their
// way to it.

#include "coherence/ddc.hpp"
#include "coherence/home.hpp"
#include "core/core.hpp"
#include "core/interpreter.hpp"
#include "machine/event_queue.hpp"

namespace croftsim {

struct Tile {
    Tile(std::uint32_t id, const MachineDescription& machine, BlockCache& blocks, Post& post)
        : caches(machine), core(id, blocks, caches.l1, caches.writable), home(id, machine, caches, core, post),
          requester(id, machine, caches, home, core, post) {
        core.requester = &requester;
    }
    Tile(const Tile&) = delete;

    PrivateCaches caches;
    Core core;
    Home home;
    Ddc requester;
    EventQueue events;

    std::uint64_t core_next() const {
        if (core.state == CoreState::runs) return core.time();
        return core.state == CoreState::waits_line ? core.wait_limit : never;
    }
    // When this tile does something next, if nothing new reaches it.
    std::uint64_t next() const { return std::min({core_next(), events.next(), requester.deadline()}); }
};

}  // namespace croftsim
