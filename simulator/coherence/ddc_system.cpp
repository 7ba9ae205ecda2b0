#include "coherence/ddc_system.hpp"

#include <algorithm>
#include <cstring>

namespace croftsim {

DdcTile::DdcTile(std::uint32_t id, const MachineDescription& machine, Core& core_, Post& post)
    : caches(machine.kind_of(id), machine.tiles()),
      core(core_),
      home(id, machine, caches, core, post),
      ddc(machine, caches, home, core, post),
      copy_engine(
          id, [this](Message* message) { home.receive(message); }, core, post),
      no_lines_(core.check ? caches.l1.fast.size() : 0) {
    core.requester = &ddc;
    core.loads = &ddc;
    core.copy_engine = &copy_engine;
    core.fast = {caches.l1.fast.data(), caches.l1.set_mask, caches.writable.data()};
    if (core.check) {
        core.fast.lines = no_lines_.data();
        core.fast.writes = no_writes_.data();
    }
}

std::unique_ptr<TileMemory> DdcSystem::make_tile(Core& core) {
    auto tile = std::make_unique<DdcTile>(core.id, machine_, core, post_);
    tiles_.push_back(tile.get());
    return tile;
}

DdcSystem::Homing DdcSystem::homing_of(std::uint64_t line, std::uint32_t tile) const {
    using Policy = HomeDescription::Policy;
    Policy policy = machine_.home->policy;
    if (!homes_.empty()) [[unlikely]] {
        const auto behind = std::ranges::upper_bound(homes_, line, {}, &HomeRange::begin);
        if (behind != homes_.begin() && line < std::prev(behind)->end) return {{}, std::prev(behind)->tile};
    }
    if (const Page* page = post_.memory().find(line); page && page->home != Page::default_home) {
        switch (page->home) {
            case Page::incoherent:
                return {{}, tile};
            case Page::hashed:
                policy = Policy::hashed;
                break;
            case Page::round_robin:
                policy = Policy::round_robin;
                break;
            default:
                return {{}, page->home};
        }
    }
    if (policy == Policy::fixed) return {{}, machine_.home->fixed_tile};
    return {policy, 0};
}

bool DdcSystem::is_spread(std::uint64_t line) const { return homing_of(line, 0).policy.has_value(); }

std::uint32_t DdcSystem::home_of(std::uint64_t line, std::uint32_t tile) const {
    const Homing homing = homing_of(line, tile);
    if (!homing.policy) return homing.tile;
    const std::uint64_t number = line / line_bytes;
    const std::uint32_t tiles = machine_.tiles();
    if (*homing.policy == HomeDescription::Policy::round_robin) return static_cast<std::uint32_t>(number % tiles);
    return hash_of(line, tiles);
}

void DdcSystem::read(std::uint64_t line, std::size_t offset, std::span<std::uint8_t> to, std::uint32_t tile) {
    const Line* found = tiles_[home_of(line, tile)]->caches.l2.find(line);
    if (found && found->homed)
        std::memcpy(to.data(), found->bytes.data() + offset, to.size());
    else
        post_.memory().read_dram(line + offset, to.data(), to.size());
}

// Whether the message's receiver will hold the line as the message has it.
static bool brings_copy(const Message& message) {
    return message.kind == MessageKind::data || message.kind == MessageKind::write_data;
}

void DdcSystem::write(std::uint64_t address, std::span<const std::uint8_t> from, std::uint32_t tile) {
    for_each_line(address, from.size(),
                  [&](std::uint64_t line, std::size_t offset, std::size_t count, std::size_t done) {
                      write_line(line, offset, from.subspan(done, count), tile);
                  });
}

void DdcSystem::write_line(std::uint64_t line, std::size_t offset, std::span<const std::uint8_t> from,
                           std::uint32_t tile) {
    const std::uint32_t home = home_of(line, tile);
    Line* homed = tiles_[home]->caches.l2.find(line);
    if (!homed || !homed->homed) return post_.memory().write_dram(line + offset, from.data(), from.size());
    std::memcpy(homed->bytes.data() + offset, from.data(), from.size());
    homed->dirty = true;
    const auto patch = [&](Message& message) {
        if (brings_copy(message) && message.line == line)
            std::memcpy(message.bytes.data() + offset, from.data(), from.size());
    };
    post_.for_each_unrouted(patch);
    const auto reach = [&](std::uint32_t id) {
        DdcTile& sharer = *tiles_[id];
        post_.for_each_arriving(id, patch);
        if (Line* copy = sharer.caches.l2.find(line); copy && !copy->homed)
            std::memcpy(copy->bytes.data() + offset, from.data(), from.size());
        lose_reservation(sharer.core, line, post_.stands_at());
        post_.refresh(id);
    };
    reach(home);
    tiles_[home]->caches.l2.sharers(*homed).for_each(reach);
}

void DdcSystem::drop(std::uint64_t address, std::uint64_t bytes, bool discard) {
    const std::uint64_t end = address + bytes;
    const auto inside = [&](std::uint64_t line) { return line >= address && line < end; };
    for (DdcTile* tile : tiles_) tile->ddc.flush(inside, post_.stands_at());
    bool waits = is_on_its_way(post_, machine_.tiles(), inside);
    for (const DdcTile* tile : tiles_) waits |= tile->home.is_busy(inside);
    if (waits) post_.settle();
    for (DdcTile* tile : tiles_) {
        const auto leave = [&](Line& line) {
            if (line.homed && line.dirty && !discard)
                post_.memory().write_dram(line.address, line.bytes.data(), line_bytes);
            tile->caches.drop(line);
        };
        tile->caches.l2.for_each_inside(address, end, leave);
        if (tile->core.reservation.any(inside)) end_reservation(tile->core, post_.stands_at());
        post_.refresh(tile->core.id);
    }
}

bool DdcSystem::holds(std::uint64_t address, std::uint64_t bytes) {
    bool found = false;
    for (DdcTile* tile : tiles_)
        tile->caches.l2.for_each_inside(address, address + bytes, [&](const Line&) { found = true; });
    return found;
}

void DdcSystem::update_memory() {
    for (DdcTile* tile : tiles_)
        tile->caches.l2.for_each([&](Line& line) {
            if (line.homed && line.dirty) post_.memory().write_dram(line.address, line.bytes.data(), line_bytes);
        });
}

void DdcSystem::statistics(std::uint32_t id, bool holds_threads, const Row& row) const {
    const DdcTile& tile = *tiles_[id];
    const CacheStatistics& cache = tile.caches.statistics;
    if (holds_threads) {
        row("l1d", id, "load_hits", "accesses", tile.core.model->looks() + cache.looks - cache.l1_misses);
        row("l1d", id, "load_misses", "accesses", cache.l1_misses);
    }
    const CoreKind& kind = machine_.kind_of(id);
    if (holds_threads && kind.l1i) {
        row("l1i", id, "hits", "accesses", tile.core.fetches.hits());
        row("l1i", id, "misses", "accesses", tile.core.fetches.misses);
    }
    if (holds_threads && kind.dtlb) row("dtlb", id, "misses", "accesses", tile.ddc.data_tlb_misses());
    if (holds_threads && kind.itlb) row("itlb", id, "misses", "accesses", tile.ddc.program_tlb_misses());
    row("l2", id, "hits", "accesses", cache.l2_hits);
    row("l2", id, "misses", "accesses", cache.l2_misses);
    row("l2", id, "evictions", "lines", cache.l2_evictions);
    row("l2", id, "invalidated", "lines", cache.invalidated);
    row("l2", id, "stores_sent", "instructions", cache.stores_sent);
    row("l2", id, "store_messages", "messages", cache.store_messages);
    const CopyEngine::Statistics& engine = tile.copy_engine.statistics();
    row("dma", id, "copies", "copies", engine.copies);
    row("dma", id, "bytes", "bytes", engine.bytes);
    const Home::Statistics& home = tile.home.statistics();
    row("home", id, "reads", "requests", home.reads);
    row("home", id, "writes", "requests", home.writes);
    row("home", id, "atomics", "requests", home.atomics);
    row("home", id, "invalidations", "messages", home.invalidations);
    row("home", id, "memory_reads", "lines", home.memory_reads);
    row("home", id, "memory_writes", "lines", home.memory_writes);
    row("home", id, "busy", "cycles", home.busy);
    row("home", id, "waited", "cycles", home.waited);
}

}  // namespace croftsim
