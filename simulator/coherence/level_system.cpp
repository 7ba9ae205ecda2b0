#include "coherence/level_system.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "coherence/private_caches.hpp"
#include "coherence/protocols.hpp"

namespace croftsim {
namespace {

class L1Tile final : public TileMemory {
public:
    explicit L1Tile(std::unique_ptr<L1Requester> l1) : l1_(std::move(l1)) {}
    Requester& requester() override { return *l1_; }
    void receive(Message* message) override { l1_->receive(message); }
    bool disturbs_core(const Message& message) override { return l1_->disturbs_core(message); }
    void serialise(Archive& archive) override { archive(*l1_); }

private:
    std::unique_ptr<L1Requester> l1_;
};

// The levels of a tile's own, from the core on. The first may be its kind's: it answers sooner by the time in which the
// L1 has been searched.
std::vector<LevelDescription> own_levels(const MachineDescription& machine, const CoreKind& kind) {
    std::vector<LevelDescription> levels;
    if (kind.l2) {
        LevelDescription& l2 = levels.emplace_back();
        static_cast<HomeTimes&>(l2) = {};
        l2.name = "l2";
        l2.size = kind.l2->size;
        l2.ways = kind.l2->ways;
        l2.replacement = kind.l2->replacement;
        l2.service = kind.l2->hit - kind.l1d.hit;
        l2.occupancy = l2.occupancy_word = 1;
        l2.store = kind.l2->store;
    }
    for (const LevelDescription& level : machine.levels)
        if (level.shared_by == 1) levels.push_back(level);
    return levels;
}

// The bytes that the message carries because their owner gives them up, or shows them. They go to the home or to their
// next owner, where they may look for their place.
std::uint64_t given_up(const Message& message) {
    if (message.kind == MessageKind::recall_answer) return message.no_payload ? 0 : message.mask;
    if (message.kind == MessageKind::write_back) return message.mask;
    return message.kind == MessageKind::own || message.dirty ? message.owned : 0;
}

bool only_tiles_ask_banks(const MachineDescription& machine) {
    return machine.levels.empty() &&
           std::ranges::none_of(machine.kinds, [](const CoreKind& kind) { return !!kind.l2; });
}

}  // namespace

// From the banks on towards the cores, so that each cache knows which it asks.
LevelSystem::LevelSystem(const MachineDescription& machine, Standstill& post, CoherenceCheck* check)
    : machine_(machine),
      post_(post),
      check_(check),
      first_node_(machine.tiles() + static_cast<std::uint32_t>(machine.memory.controllers.size())),
      children_(only_tiles_ask_banks(machine)
                    ? machine.tiles()
                    : static_cast<std::uint32_t>(machine.nodes() + machine.tiles() * (machine.levels.size() + 1))),
      last_level_(last_of(*machine.shared)) {
    const std::uint32_t tiles = machine.tiles();
    const SharedCacheDescription& shared = *machine.shared;
    for (std::uint32_t i = 0; i < last_level_.count; ++i) {
        const std::size_t go_round = last_level_.by == Caches::By::round ? last_level_.count : 1;
        caches_.emplace_back(first_node_ + i, shared, CacheLevel::Place{go_round, children_, nullptr, traits_}, post,
                             check);
        places_.push_back({shared.name, no_tile, {}});
    }
    traits_.resize(children_, traits_of(Protocol::mesi));
    for (std::uint32_t tile = 0; tile < tiles; ++tile) traits_[tile] = traits_of(machine.kind_of(tile).protocol);
    asks_.assign(tiles, last_level_);
    times_.assign(tiles, shared);
    machine.for_each_cluster(
        [&](const LevelDescription& level, std::uint32_t first, std::uint32_t of) { add(level, first, of, no_tile); });
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
        const std::vector<LevelDescription> levels = own_levels(machine, machine.kind_of(tile));
        for (auto level = levels.rbegin(); level != levels.rend(); ++level) add(*level, tile, 1, tile);
    }
    owners_answer_ = std::ranges::any_of(caches_, &CacheLevel::has_owners_answer);
}

LevelSystem::Caches LevelSystem::last_of(const SharedCacheDescription& shared) {
    const bool by_controller = shared.sliced_by == LevelDescription::SlicedBy::controller;
    return {0, static_cast<std::uint32_t>(shared.places.size()),
            by_controller   ? Caches::By::controller
            : shared.hashed ? Caches::By::hash
                            : Caches::By::round};
}

void LevelSystem::add(const LevelDescription& level, std::uint32_t first, std::uint32_t tiles, std::uint32_t tile) {
    const Caches slices{static_cast<std::uint32_t>(caches_.size()), level.slices};
    for (std::uint32_t index = slices.first; index < slices.first + slices.count; ++index) {
        traits_[first_node_ + index] = traits_of(level.protocol);
        caches_.emplace_back(first_node_ + index, level, CacheLevel::Place{1, children_, &times_[first], traits_},
                             post_, check_);
        places_.push_back({level.name, tile, asks_[first]});
    }
    for (std::uint32_t i = first; i < first + tiles; ++i) {
        asks_[i] = slices;
        times_[i] = level;
    }
}

std::unique_ptr<TileMemory> LevelSystem::make_tile(Core& core) {
    const CoreKind& kind = machine_.kind_of(core.id);
    auto l1 = make_l1(machine_, kind, times_[core.id], core, post_);
    core.acquires = !traits_of(kind.protocol).writers_invalidate;
    l1s_.push_back(l1.get());
    cores_.push_back(&core);
    return std::make_unique<L1Tile>(std::move(l1));
}

// A word's latest value is in that cache of those that own it which is nearest to the cores. Or it is on its way from
// there to the parent, or in memory. The caches lie in the order of their levels, the banks first. Words that are dirty
// in the L1 of a core that owns nothing are its own affair until it writes them back.
std::array<std::uint8_t, line_bytes> LevelSystem::latest(std::uint64_t line) {
    std::array<std::uint8_t, line_bytes> bytes;
    post_.memory().read_dram(line, bytes.data(), line_bytes);
    const auto put = [&](std::uint64_t mask, const std::uint8_t* from) { put_masked(bytes.data(), from, mask); };
    std::vector<Message*> sent;  // and in no queue of a node yet
    post_.for_each_unrouted([&](Message& message) {
        if (message.line == line && given_up(message)) sent.push_back(&message);
    });
    const auto put_arriving = [&](std::uint32_t node) {
        const auto take = [&](Message& message) {
            if (message.line == line && message.destination == node) put(given_up(message), message.bytes.data());
        };
        post_.for_each_arriving(node, take);
        for (Message* message : sent) take(*message);
        if (node >= first_node_) caches_[node - first_node_].for_each_waiting_line(take);
    };
    for (std::uint32_t index = 0; index < caches_.size(); ++index) {
        if (!may_hold(index, line)) continue;
        CacheLevel& cache = caches_[index];
        if (const LevelLine* copy = cache.lines().find(line); copy && cache.has_latest(*copy)) bytes = copy->bytes;
        put_arriving(first_node_ + index);
    }
    for (std::uint32_t id = 0; id < l1s_.size(); ++id) {
        if (owners_answer_) put_arriving(id);
        const L1Line* const copy = traits_of(machine_.kind_of(id).protocol).owns ? l1s_[id]->l1.find(line) : nullptr;
        if (copy) put(copy->dirty, copy->bytes.data());
    }
    return bytes;
}

void LevelSystem::read(std::uint64_t line, std::size_t offset, std::span<std::uint8_t> to, std::uint32_t) {
    std::memcpy(to.data(), latest(line).data() + offset, to.size());
}

// A kernel writes many lines at a time, and hardly any of them is in a core's caches. So each cache is gone through
// once for all lines, unless the lines are few.
void LevelSystem::write(std::uint64_t address, std::span<const std::uint8_t> from, std::uint32_t) {
    std::vector<std::uint64_t> lines;
    for_each_line(address, from.size(),
                  [&](std::uint64_t line, std::size_t offset, std::size_t count, std::size_t done) {
                      lines.push_back(line);
                      LevelLine* const found = caches_[index_of(last_level_, line)].lines().find(line);
                      if (found && !machine_.shared->is_filter())
                          found->dirty = true;
                      else
                          post_.memory().write_dram(line + offset, from.data() + done, count);
                  });
    const auto inside = [&](std::uint64_t line) { return line + line_bytes > address && line < address + from.size(); };
    const auto put = [&](std::uint64_t line, std::uint8_t* bytes) {
        if (!inside(line)) return;
        const std::uint64_t first = std::max(line, address), end = std::min(line + line_bytes, address + from.size());
        std::memcpy(bytes + (first - line), from.data() + (first - address), end - first);
    };
    constexpr std::size_t few = 8;
    const auto put_in = [&](auto& cache) {
        if (lines.size() > few) return cache.for_each([&](auto& copy) { put(copy.address, copy.bytes.data()); });
        for (const std::uint64_t line : lines)
            if (auto* const copy = cache.find(line)) put(line, copy->bytes.data());
    };
    const std::function<void(Message&)> patch = [&put](Message& message) {
        // An alarm may be a line that has come and looks for its place.
        const bool brings = message.kind == MessageKind::data || message.kind == MessageKind::alarm;
        if (brings || given_up(message)) put(message.line, message.bytes.data());
    };
    post_.for_each_unrouted(patch);
    for (std::uint32_t index = 0; index < caches_.size(); ++index) {
        if (std::ranges::none_of(lines, [&](std::uint64_t line) { return may_hold(index, line); })) continue;
        post_.for_each_arriving(first_node_ + index, patch);
        caches_[index].for_each_waiting_line(patch);
        put_in(caches_[index].lines());
    }
    for (std::size_t id = 0; id < l1s_.size(); ++id) {
        const auto node = static_cast<std::uint32_t>(id);
        post_.for_each_arriving(node, patch);
        put_in(l1s_[id]->l1);
        cores_[id]->model->lines_lost(lines, post_.stands_at());
        if (cores_[id]->reservation.any(inside)) end_reservation(*cores_[id], post_.stands_at());
        post_.refresh(node);
    }
}

// Whether anyone waits for something about a line inside, or a line or a store is on its way.
template <class Inside>
bool LevelSystem::is_under_way(Inside inside) {
    bool found = is_on_its_way(post_, first_node_ + nodes(), inside);
    for (const CacheLevel& cache : caches_) found |= cache.is_busy(inside);
    return found;
}

void LevelSystem::drop(std::uint64_t address, std::uint64_t bytes, bool discard) {
    const std::uint64_t end = address + bytes;
    const auto inside = [&](std::uint64_t line) { return line >= address && line < end; };
    for (L1Requester* l1 : l1s_) l1->send_collected(post_.stands_at());
    if (is_under_way(inside)) post_.settle();
    if (!discard) {  // memory gets the latest
        // Not before: a load that is under way would be answered from behind such a flush, and miss what it has stored.
        for (L1Requester* l1 : l1s_) l1->flush(inside, post_.stands_at());
        if (is_under_way(inside)) post_.settle();
        write_back(address, end);
    }
    for (CacheLevel& cache : caches_)
        cache.lines().for_each_inside(address, end, [&](LevelLine& line) { cache.forget(line); });
    for (std::size_t id = 0; id < l1s_.size(); ++id) {
        l1s_[id]->forget(inside);
        if (cores_[id]->reservation.any(inside)) end_reservation(*cores_[id], post_.stands_at());
        post_.refresh(static_cast<std::uint32_t>(id));
    }
}

// Memory gets the latest of every line inside that is newer in a cache: the last level knows of each.
void LevelSystem::write_back(std::uint64_t begin, std::uint64_t end) {
    for (std::uint32_t index = 0; index < last_level_.count; ++index)
        caches_[index].lines().for_each_inside(begin, end, [&](LevelLine& line) {
            if (line.dirty || line.owned)
                post_.memory().write_dram(line.address, latest(line.address).data(), line_bytes);
        });
}

bool LevelSystem::holds(std::uint64_t address, std::uint64_t bytes) {
    bool found = false;
    for (CacheLevel& cache : caches_)
        cache.lines().for_each_inside(address, address + bytes, [&](const LevelLine&) { found = true; });
    for (L1Requester* l1 : l1s_) l1->l1.for_each([&](const L1Line& line) { found |= line.address - address < bytes; });
    return found;
}

void LevelSystem::update_memory() { write_back(0, AnyLine::nothing); }

void LevelSystem::statistics(std::uint32_t id, bool holds_threads, const Row& row) const {
    if (!holds_threads) return;
    const L1Statistics& counts = l1s_[id]->statistics();
    const Core& core = *cores_[id];
    if (machine_.kind_of(id).l1i) {
        row("l1i", id, "hits", "accesses", core.fetches.hits());
        row("l1i", id, "misses", "accesses", core.fetches.misses);
    }
    row("l1d", id, "load_hits", "accesses", core.model->looks() + counts.looks - counts.load_misses);
    row("l1d", id, "load_misses", "accesses", counts.load_misses);
    row("l1d", id, "store_misses", "accesses", counts.store_misses);
    row("l1d", id, "evictions", "lines", counts.evictions);
    row("l1d", id, "write_backs", "lines", counts.write_backs);
    row("l1d", id, "invalidated", "lines", counts.invalidated);
    row("l1d", id, "acquires", "operations", counts.acquires);
    row("l1d", id, "acquire_invalidated", "lines", counts.acquire_invalidated);
    row("l1d", id, "release_flushed", "lines", counts.release_flushed);
    row("l1d", id, "invalidates", "operations", counts.invalidates);
    row("l1d", id, "invalidate_invalidated", "lines", counts.invalidate_invalidated);
    row("l1d", id, "flushes", "operations", counts.flushes);
    row("l1d", id, "flush_flushed", "lines", counts.flush_flushed);
    if (machine_.kind_of(id).prefetch) {
        row("l1d", id, "prefetches", "lines", counts.prefetches);
        row("l1d", id, "prefetches_used", "lines", counts.prefetches_used);
    }
    for (std::uint32_t index = 0; index < caches_.size(); ++index) {
        if (places_[index].tile != id) continue;
        const char* const level = places_[index].level.c_str();
        const CacheLevel::Counts& of = caches_[index].counts();
        row(level, id, "hits", "accesses", of.hits);
        row(level, id, "misses", "accesses", of.misses);
        row(level, id, "evictions", "lines", of.evictions);
        row(level, id, "write_backs", "lines", of.written_back);
        row(level, id, "invalidated", "lines", of.invalidated);
        if (!machine_.forwarding) continue;
        row(level, id, "pushed", "lines", of.pushed);
        row(level, id, "pushes_refused", "lines", of.pushes_refused);
    }
}

void LevelSystem::statistics(const Row& row) const {
    std::uint32_t of_level = 0;
    for (std::uint32_t index = 0; index < caches_.size(); ++index) {
        const Place& place = places_[index];
        if (place.tile != no_tile) return;  // the rest are tiles'
        of_level = index > 0 && place.level == places_[index - 1].level ? of_level + 1 : 0;
        const char* const level = place.level.c_str();
        const CacheLevel::Statistics& as_home = caches_[index].statistics();
        const CacheLevel::Counts& more = caches_[index].counts();
        row(level, of_level, "reads", "requests", as_home.reads);
        row(level, of_level, "owns", "requests", more.owns);
        row(level, of_level, "writes", "requests", as_home.writes);
        row(level, of_level, "atomics", "requests", as_home.atomics);
        row(level, of_level, "write_backs", "requests", more.write_backs);
        row(level, of_level, "hits", "accesses", more.hits);
        row(level, of_level, "misses", "accesses", more.misses);
        row(level, of_level, "evictions", "lines", more.evictions);
        row(level, of_level, "recalls", "messages", more.recalls);
        row(level, of_level, "invalidations", "messages", as_home.invalidations);
        if (machine_.forwarding) row(level, of_level, "pushed", "lines", more.pushed);
        if (caches_[index].has_owners_answer()) row(level, of_level, "by_owners", "requests", more.by_owners);
        if (place.asks.count > 0) {
            row(level, of_level, "written_back", "lines", more.written_back);
            row(level, of_level, "invalidated", "lines", more.invalidated);
        } else {
            row(level, of_level, "memory_reads", "lines", as_home.memory_reads);
            row(level, of_level, "memory_writes", "lines", as_home.memory_writes);
        }
        row(level, of_level, "busy", "cycles", as_home.busy);
        row(level, of_level, "waited", "cycles", as_home.waited);
    }
}

}  // namespace croftsim
