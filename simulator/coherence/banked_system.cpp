#include "coherence/banked_system.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>

#include "coherence/private_caches.hpp"
#include "coherence/protocols.hpp"

namespace croftsim {
namespace {

class L1Tile final : public TileMemory {
public:
    L1Tile(std::unique_ptr<L1Requester> l1, std::unique_ptr<PrivateL2> l2) : l2_(std::move(l2)), l1_(std::move(l1)) {}
    Requester& requester() override { return *l1_; }
    void receive(Message* message) override { is_for_l1(*message) ? l1_->receive(message) : l2_->receive(message); }
    bool disturbs_core(const Message& message) override { return is_for_l1(message) && l1_->disturbs_core(message); }
    void serialise(Archive& archive) override {
        bool has_l2 = l2_ != nullptr;
        archive(has_l2);
        if (has_l2 != (l2_ != nullptr)) Archive::damaged();
        if (l2_) archive(*l2_);
        archive(*l1_);
    }

private:
    bool is_for_l1(const Message& message) const { return !l2_ || l2_->is_for_l1(message); }

    std::unique_ptr<PrivateL2> l2_;
    std::unique_ptr<L1Requester> l1_;
};

}  // namespace

BankedSystem::BankedSystem(const MachineDescription& machine, Standstill& post, CoherenceCheck* check)
    : machine_(machine),
      post_(post),
      first_node_(machine.tiles() + static_cast<std::uint32_t>(machine.memory.controllers.size())) {
    for (std::size_t i = 0; i < machine.shared->banks.size(); ++i)
        banks_.emplace_back(first_node_ + static_cast<std::uint32_t>(i), machine, post, check);
}

std::unique_ptr<TileMemory> BankedSystem::make_tile(Core& core) {
    const CoreKind& kind = machine_.kind_of(core.id);
    auto l2 = kind.l2 ? std::make_unique<PrivateL2>(machine_, kind, core.id, post_, core.check) : nullptr;
    const HomeTimes& times = l2 ? l2->times() : *machine_.shared;
    auto l1 = make_l1(machine_, kind, times, core, l2 ? *l2 : static_cast<Post&>(post_));
    core.acquires = !traits_of(kind.protocol).writers_invalidate;
    l1s_.push_back(l1.get());
    l2s_.push_back(l2.get());
    cores_.push_back(&core);
    return std::make_unique<L1Tile>(std::move(l1), std::move(l2));
}

// Where a word's latest value is: in its owner's private cache; on its way from there to the home; at the home; in
// memory. Words that are dirty in the L1 of a core that owns nothing are its own affair until it writes them back.
std::array<std::uint8_t, line_bytes> BankedSystem::latest(std::uint64_t line) {
    std::array<std::uint8_t, line_bytes> bytes;
    const std::uint32_t home = bank_of(line);
    if (const BankLine* found = banks_[home].lines().find(line))
        bytes = found->bytes;
    else
        post_.memory().read_dram(line, bytes.data(), line_bytes);
    const auto put = [&](std::uint64_t mask, const std::uint8_t* from) { put_masked(bytes.data(), from, mask); };
    const auto on_its_way = [&](Message& message) {
        const bool gives_up = message.kind == MessageKind::write_back || message.kind == MessageKind::recall_answer;
        if (gives_up && message.line == line) put(message.mask, message.bytes.data());
    };
    post_.for_each_arriving(first_node_ + home, on_its_way);
    post_.for_each_unrouted(on_its_way);
    for (L1Requester* l1 : l1s_)
        if (L1Line* copy = l1->l1.find(line); copy && copy->dirty) put(copy->owned & copy->dirty, copy->bytes.data());
    for (PrivateL2* l2 : l2s_)
        if (const PrivateLine* copy = l2 ? l2->find(line) : nullptr; copy && copy->owned) bytes = copy->bytes;
    return bytes;
}

void BankedSystem::read(std::uint64_t line, std::size_t offset, std::span<std::uint8_t> to, std::uint32_t) {
    std::memcpy(to.data(), latest(line).data() + offset, to.size());
}

// A kernel writes many lines at a time, and hardly any of them is in a core's caches. So each cache is gone through
// once for all lines, unless the lines are few.
void BankedSystem::write(std::uint64_t address, std::span<const std::uint8_t> from, std::uint32_t) {
    std::vector<std::uint64_t> lines;
    for_each_line(address, from.size(),
                  [&](std::uint64_t line, std::size_t offset, std::size_t count, std::size_t done) {
                      lines.push_back(line);
                      if (BankLine* found = banks_[bank_of(line)].lines().find(line)) {
                          std::memcpy(found->bytes.data() + offset, from.data() + done, count);
                          found->dirty = true;
                      } else {
                          post_.memory().write_dram(line + offset, from.data() + done, count);
                      }
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
        const bool holds_line = message.kind == MessageKind::data || message.kind == MessageKind::write_back ||
                                message.kind == MessageKind::recall_answer;
        if (holds_line) put(message.line, message.bytes.data());
    };
    post_.for_each_unrouted(patch);
    for (std::size_t i = 0; i < std::min(lines.size(), banks_.size()); ++i)  // lines go round the banks
        post_.for_each_arriving(first_node_ + bank_of(lines[i]), patch);
    for (std::size_t id = 0; id < l1s_.size(); ++id) {
        const auto node = static_cast<std::uint32_t>(id);
        post_.for_each_arriving(node, patch);
        put_in(l1s_[id]->l1);
        if (l2s_[id]) put_in(*l2s_[id]);
        cores_[id]->model->lines_lost(lines, post_.stands_at());
        if (cores_[id]->reservation.any(inside)) end_reservation(*cores_[id], post_.stands_at());
        post_.refresh(node);
    }
}

// Whether anyone waits for something about a line inside, or a line or a store is on its way.
template <class Inside>
bool BankedSystem::is_under_way(Inside inside) {
    bool found = is_on_its_way(post_, first_node_ + nodes(), inside);
    for (const L2Bank& bank : banks_) found |= bank.is_busy(inside);
    for (const PrivateL2* l2 : l2s_) found |= l2 && l2->is_busy(inside);
    return found;
}

void BankedSystem::drop(std::uint64_t address, std::uint64_t bytes, bool discard) {
    const std::uint64_t end = address + bytes;
    const auto inside = [&](std::uint64_t line) { return line >= address && line < end; };
    if (is_under_way(inside)) post_.settle();
    if (!discard) {  // memory gets the latest
        // Not before: a load that is under way would be answered from behind such a flush, and miss what it has stored.
        for (L1Requester* l1 : l1s_) l1->flush(inside, post_.stands_at());
        if (is_under_way(inside)) post_.settle();
        for (L2Bank& bank : banks_)
            bank.lines().for_each([&](BankLine& line) {
                if (inside(line.address))
                    post_.memory().write_dram(line.address, latest(line.address).data(), line_bytes);
            });
    }
    for (L2Bank& bank : banks_)
        bank.lines().for_each([&](BankLine& line) {
            if (inside(line.address)) bank.forget(line);
        });
    for (std::size_t id = 0; id < l1s_.size(); ++id) {
        l1s_[id]->forget(inside);
        if (PrivateL2* const l2 = l2s_[id])
            l2->for_each([&](PrivateLine& line) {
                if (inside(line.address)) l2->forget(line);
            });
        if (cores_[id]->reservation.any(inside)) {
            cores_[id]->reservation.lose();
            if (cores_[id]->state == CoreState::waits_line) cores_[id]->wake(post_.stands_at() + 1, Stall::line);
        }
        post_.refresh(static_cast<std::uint32_t>(id));
    }
}

bool BankedSystem::holds(std::uint64_t address, std::uint64_t bytes) {
    bool found = false;
    const auto look = [&](const auto& line) { found |= line.address - address < bytes; };
    for (L2Bank& bank : banks_) bank.lines().for_each(look);
    for (L1Requester* l1 : l1s_) l1->l1.for_each(look);
    for (PrivateL2* l2 : l2s_)
        if (l2) l2->for_each(look);
    return found;
}

void BankedSystem::update_memory() {
    for (L2Bank& bank : banks_)
        bank.lines().for_each([&](BankLine& line) {
            if (line.dirty || line.owned)
                post_.memory().write_dram(line.address, latest(line.address).data(), line_bytes);
        });
}

void BankedSystem::statistics(std::uint32_t id, bool holds_threads, const Row& row) const {
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
    if (const PrivateL2* const l2 = l2s_[id]) {
        row("l2", id, "hits", "accesses", l2->counts().hits);
        row("l2", id, "misses", "accesses", l2->counts().misses);
        row("l2", id, "evictions", "lines", l2->counts().evictions);
        row("l2", id, "write_backs", "lines", l2->counts().write_backs);
        row("l2", id, "invalidated", "lines", l2->counts().invalidated);
    }
}

void BankedSystem::statistics(const Row& row) const {
    for (std::size_t i = 0; i < banks_.size(); ++i) {
        const L2Bank::Statistics& bank = banks_[i].statistics();
        const L2Bank::Counts& more = banks_[i].counts();
        row("bank", i, "reads", "requests", bank.reads);
        row("bank", i, "owns", "requests", more.owns);
        row("bank", i, "writes", "requests", bank.writes);
        row("bank", i, "atomics", "requests", bank.atomics);
        row("bank", i, "write_backs", "requests", more.write_backs);
        row("bank", i, "hits", "accesses", more.hits);
        row("bank", i, "misses", "accesses", more.misses);
        row("bank", i, "evictions", "lines", more.evictions);
        row("bank", i, "recalls", "messages", more.recalls);
        row("bank", i, "invalidations", "messages", bank.invalidations);
        row("bank", i, "memory_reads", "lines", bank.memory_reads);
        row("bank", i, "memory_writes", "lines", bank.memory_writes);
        row("bank", i, "busy", "cycles", bank.busy);
        row("bank", i, "waited", "cycles", bank.waited);
    }
}

// When nothing is under way:
//   - a word has one owner at most, and the home knows it (single writer);
//   - a line that MESI's L1s or private L2s hold is at its home (inclusion), listed there, and has the home's bytes
//     unless owned;
//   - no line is busy, and no transaction open;
//   - a bank's table of owners has a row for each line whose words have several, and no other.
std::string BankedSystem::violated_invariant() {
    const auto at = [](const char* what, std::size_t tile, std::uint64_t line) {
        char text[120];
        std::snprintf(text, sizeof text, "%s: tile %zu, line 0x%llx", what, tile,
                      static_cast<unsigned long long>(line));
        return std::string(text);
    };
    std::string found;
    const auto look_at = [&](std::uint32_t id, const auto& line, std::uint64_t owned, bool mesi) {
        L2Bank& bank = banks_[bank_of(line.address)];
        const BankLine* home = bank.lines().find(line.address);
        const std::uint64_t known = home ? bank.owners().owned_by(*home, id) : 0;
        if (owned & ~known) found = at("a core owns words of which the home does not know", id, line.address);
        if (!mesi) return;
        if (!home)
            found = at("a MESI copy whose home does not hold the line", id, line.address);
        else if (!owned && !bank.lines().sharers(*home).contains(id))
            found = at("a MESI copy that the directory does not list", id, line.address);
        else if (!owned && home->owned)
            found = at("a MESI copy of a line that has an owner", id, line.address);
        else if (!owned && home->bytes != line.bytes)
            found = at("a MESI copy that differs from its home's", id, line.address);
    };
    for (std::uint32_t id = 0; id < l1s_.size() && found.empty(); ++id) {
        const bool mesi = machine_.kind_of(id).protocol == Protocol::mesi;
        l1s_[id]->l1.for_each([&](L1Line& line) { look_at(id, line, line.owned, mesi); });
        PrivateL2* const l2 = l2s_[id];
        if (!l2) continue;
        l2->for_each([&](PrivateLine& line) { look_at(id, line, line.owned ? whole_line : 0, true); });
        if (!l2->idle())
            found = "a private L2 has a transaction without messages under way: tile " + std::to_string(id);
    }
    for (std::size_t i = 0; i < banks_.size() && found.empty(); ++i) {
        if (!banks_[i].idle()) found = "a bank has a transaction without messages under way: bank " + std::to_string(i);
        std::size_t rows = 0;
        banks_[i].lines().for_each([&](BankLine& line) {
            if (line.busy) found = at("a line is busy without a transaction", i, line.address);
            rows += line.row != 0;
        });
        if (rows != banks_[i].owners().rows_in_use())
            found = "a row of owners is no line's, or two lines': bank " + std::to_string(i);
    }
    return found;
}

}  // namespace croftsim
