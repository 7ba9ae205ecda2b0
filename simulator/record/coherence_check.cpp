#include "record/coherence_check.hpp"

#include <algorithm>
#include <cstring>

#include "cache/line_cache.hpp"

namespace croftsim {
namespace {

// Calls visit(word address, the operand's bytes in it as a mask, those bytes in place) for each word of an access.
template <class Visit>
void for_each_word(std::uint64_t address, unsigned size, std::uint64_t value, Visit visit) {
    for (unsigned done = 0; done < size;) {
        const std::uint64_t at = address + done, word = at & ~std::uint64_t{3};
        const auto offset = static_cast<unsigned>(at - word);
        const unsigned count = std::min(size - done, 4 - offset);
        const auto ones = static_cast<std::uint32_t>((std::uint64_t{1} << (8 * count)) - 1);
        visit(word, ones << (8 * offset), (static_cast<std::uint32_t>(value >> (8 * done)) & ones) << (8 * offset));
        done += count;
    }
}

// A word's bytes, of which there is a bit for each, as the bits of its value.
constexpr std::uint32_t bytes_of(std::uint64_t mask) {
    std::uint32_t bits = 0;
    for (unsigned byte = 0; byte < 4; ++byte)
        if (mask >> byte & 1) bits |= 0xffu << (8 * byte);
    return bits;
}

}  // namespace

CoherenceCheck::CoherenceCheck(std::uint32_t tiles) : cores_(tiles) {
    for (CoreState& core : cores_) {
        core.clock.assign(tiles, 0);
        core.fences.push_back(core.clock);
    }
}

CoherenceCheck::Word* CoherenceCheck::find(std::uint64_t address) {
    const auto page = pages_.find(address / AddressSpace::page_bytes);
    return page == pages_.end() ? nullptr : &page->second->words[address % AddressSpace::page_bytes / 4];
}

CoherenceCheck::Word& CoherenceCheck::make(std::uint64_t address) {
    auto& page = pages_[address / AddressSpace::page_bytes];
    if (!page) page = std::make_unique<Page>();
    return page->words[address % AddressSpace::page_bytes / 4];
}

void CoherenceCheck::report(CoherenceReport report) {
    ++count_;
    if (reports_.size() < most_reports) reports_.push_back(report);
}

void CoherenceCheck::note_racing(const CoherenceReport& load) {
    const auto age = [](const CoherenceReport& one) { return one.time - std::min(one.time, one.writer_time); };
    if (racing_++ == 0 || age(load) > age(longest_racing_)) longest_racing_ = load;
}

void CoherenceCheck::settle(CoreState& core) {
    for (const CoherenceReport& stale : core.stale)
        stale.kind == CoherenceReport::Kind::racing_load ? note_racing(stale) : report(stale);
    core.stale.clear();
}

void CoherenceCheck::reads_anew(std::uint32_t core, std::uint64_t address) {
    CoreState& self = cores_[core];
    if (self.stale_address == address) self.stale.clear();
}

void CoherenceCheck::finish() {
    for (CoreState& core : cores_) settle(core);
}

void CoherenceCheck::loaded(std::uint32_t core, std::uint64_t address, unsigned size, std::uint64_t raw, Place at) {
    CoreState& self = cores_[core];
    settle(self);
    self.stale_address = address;
    for_each_word(address, size, raw, [&](std::uint64_t where, std::uint32_t mask, std::uint32_t got) {
        const Word* word = find(where);
        // Its own store, which no home has served yet, is what it sees, or a later one of another's.
        if (const auto own = self.own(where)) {
            const bool is_latest =
                !word || word->writer == nobody || word->writer == core || word->at.time < own->at.time;
            if (is_latest && (own->value ^ got) & own->mask & mask) {
                self.stale.push_back({CoherenceReport::Kind::lost_store, core, at.pc, at.time, where, got,
                                      ((got & ~own->mask) | own->value) & mask, core, own->at.pc, own->at.time});
                self.in_buffer.erase(where);  // it is told once
                self.pending.erase(where);
            }
            return;
        }
        if (!word || word->writer == nobody) return;
        if ((word->value & mask) == got) return learned(core, word->writer, word->epoch);
        const bool known = word->writer == core || self.clock[word->writer] > word->epoch;
        const bool own = word->writer == core && word->at.pc != 0;  // not the kernel for it, nor its DMA engine
        const auto kind = own     ? CoherenceReport::Kind::lost_store
                          : known ? CoherenceReport::Kind::stale_load
                                  : CoherenceReport::Kind::racing_load;
        self.stale.push_back(
            {kind, core, at.pc, at.time, where, got, word->value & mask, word->writer, word->at.pc, word->at.time});
    });
}

void CoherenceCheck::buffered(std::uint32_t core, std::uint64_t address, unsigned size, std::uint64_t value, Place at) {
    settle(cores_[core]);
    for_each_word(address, size, value, [&](std::uint64_t where, std::uint32_t mask, std::uint32_t bytes) {
        cores_[core].in_buffer[where].add({bytes, mask, at});
    });
}

void CoherenceCheck::sent(std::uint32_t core, std::uint64_t line, std::uint64_t mask) {
    CoreState& self = cores_[core];
    for (unsigned offset = 0; offset < line_bytes; offset += 4) {
        if (!(mask >> offset & 15)) continue;
        Pending& pending = self.pending[line + offset];
        ++pending.messages;
        if (const auto buffered = self.in_buffer.find(line + offset); buffered != self.in_buffer.end()) {
            pending.own.add(buffered->second);
            self.in_buffer.erase(buffered);
        }
    }
}

void CoherenceCheck::served(std::uint32_t writer, std::uint32_t epoch, std::uint64_t line, std::uint64_t mask,
                            const std::uint8_t* bytes, bool was_sent, Place at) {
    for (unsigned offset = 0; offset < line_bytes; offset += 4) {
        if (!(mask >> offset & 15)) continue;
        Word& word = make(line + offset);
        std::memcpy(&word.value, bytes + offset, 4);
        word.epoch = epoch;
        word.writer = static_cast<std::uint16_t>(writer);
        word.in_memory = false;
        word.at = at;
        if (!was_sent) continue;
        auto& pending = cores_[writer].pending;
        const auto mine = pending.find(line + offset);
        if (mine == pending.end()) continue;
        word.at = mine->second.own.at;
        if (--mine->second.messages == 0)
            pending.erase(mine);
        else  // another may have written these bytes since, before the rest is served
            mine->second.own.mask &= ~bytes_of(mask >> offset & 15);
    }
}

void CoherenceCheck::synchronised(std::uint32_t core, std::uint64_t address) {
    reads_anew(core, address);
    settle(cores_[core]);
    if (const Word* word = find(address); word && word->writer != nobody) learned(core, word->writer, word->epoch);
}

void CoherenceCheck::fenced(std::uint32_t core) {
    CoreState& self = cores_[core];
    self.clock[core] = ++self.epoch;
    self.fences.push_back(self.clock);
    if (self.fences.size() > remembered_fences) self.fences.pop_front();
}

void CoherenceCheck::learned(std::uint32_t core, std::uint32_t from, std::uint32_t epoch) {
    if (core == from) return;
    CoreState& self = cores_[core];
    if (self.clock[from] >= epoch) return;  // what it knew at that fence has been learned with a later one
    const CoreState& other = cores_[from];
    // For a fence of long ago only the oldest remembered one is left to learn from, and that may know too much. Then
    // the core learns only the writer's own epochs.
    const std::uint32_t back = other.epoch - epoch;
    if (back < other.fences.size()) {
        const Clock& then = other.fences[other.fences.size() - 1 - back];
        for (std::size_t i = 0; i < then.size(); ++i) self.clock[i] = std::max(self.clock[i], then[i]);
    }
    self.clock[from] = std::max(self.clock[from], epoch);
}

void CoherenceCheck::written_back(std::uint32_t core, std::uint64_t line) {
    for (unsigned offset = 0; offset < line_bytes; offset += 4)
        if (Word* word = find(line + offset); word && word->writer == core) word->in_memory = true;
}

void CoherenceCheck::dropped(std::uint32_t core, std::uint64_t line, Place at) {
    for (unsigned offset = 0; offset < line_bytes; offset += 4) {
        Word* word = find(line + offset);
        if (!word || word->writer != core || word->in_memory) continue;
        report({CoherenceReport::Kind::lost_write, core, at.pc, at.time, line + offset, 0, word->value, core,
                word->at.pc, word->at.time});
        word->writer = nobody;
    }
}

void CoherenceCheck::forget(std::uint64_t address, std::uint64_t bytes) {
    const auto inside = [&](const auto& word) { return word.first - address < bytes; };
    for (CoreState& core : cores_) {
        std::erase_if(core.in_buffer, inside);
        std::erase_if(core.pending, inside);
    }
    const std::uint64_t first = address / AddressSpace::page_bytes;
    const std::uint64_t end = (address + bytes + AddressSpace::page_bytes - 1) / AddressSpace::page_bytes;
    if (end - first > pages_.size())
        std::erase_if(pages_, [&](const auto& page) { return page.first >= first && page.first < end; });
    else
        for (std::uint64_t page = first; page < end; ++page) pages_.erase(page);
}

}  // namespace croftsim
