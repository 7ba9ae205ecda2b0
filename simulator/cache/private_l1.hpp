#pragma once
// An L1 data cache that has its lines' bytes. For each byte it knows whether the core may read it, whether this cache
// owns it, and whether the home has an older one. Each protocol uses these masks in its own way (coherence/mesi.hpp,
// denovo.hpp, denovo_line.hpp, gpu_wt.cpp, gpu_wb.cpp, gpu_wb_fetch.cpp).
//
// Replacement is exact LRU. As in l1_filter.hpp the most recently used line of each set doubles as the interpreter's
// fast path: a hit there changes nothing. If some bytes of a line may not be read now, its entry has a bit that no
// aligned access has. So it never matches.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "cache/l1_filter.hpp"
#include "cache/line_cache.hpp"

namespace croftsim {

constexpr std::uint64_t whole_line = ~std::uint64_t{0};  // a mask: one bit per byte

// All bytes of every 32-bit word that the mask touches.
constexpr std::uint64_t words_of(std::uint64_t mask) {
    constexpr std::uint64_t lowest = 0x1111111111111111u;
    return ((mask | mask >> 1 | mask >> 2 | mask >> 3) & lowest) * 15;
}

struct L1Line {
    static constexpr bool is_plain = true;
    static constexpr std::uint64_t nothing = Line::nothing;
    std::uint64_t address = nothing;
    std::uint64_t valid = 0, owned = 0, dirty = 0;
    std::uint64_t kept_until = 0;  // from others: it has been reserved (reservation_hold)
    bool prefetched = false;       // and not used yet
    bool awaits_store = false;     // its own core has stored to it, and waits for the bytes: loads must not look yet
    alignas(64) std::array<std::uint8_t, line_bytes> bytes{};

    std::uintptr_t addend() { return reinterpret_cast<std::uintptr_t>(bytes.data()) - address; }
    void put(std::uint64_t mask, const std::uint8_t* from) {
        if (mask == whole_line) {
            std::memcpy(bytes.data(), from, line_bytes);
            return;
        }
        put_masked(bytes.data(), from, mask);
    }
};

class PrivateL1 {
public:
    explicit PrivateL1(const CacheDescription& shape)
        : set_mask(shape.size / (line_bytes * shape.ways) - 1),
          fast(set_mask + 1),
          ways_(shape.ways),
          lines_((set_mask + 1) * ways_),
          order_(((set_mask + 1) * ways_ + 7) / 8 * 8) {
        for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<std::uint8_t>(i % ways_);
    }

    const std::uint64_t set_mask;
    std::vector<L1Filter::Fast> fast;

    L1Line* find(std::uint64_t line) {
        const std::size_t base = base_of(line);
        for (std::uint32_t way = 0; way < ways_; ++way)
            if (lines_[base + way].address == line) return &lines_[base + way];
        return nullptr;
    }
    // Calls note(word) for every word of the host that touching the line, and showing it, may change. Touching changes
    // nothing if it is the most recently used line.
    template <class Note>
    void note_touch(const L1Line& line, Note note) {
        const std::size_t base = base_of(line.address);
        if (&lines_[base + order_[base]] == &line) return;
        for (std::size_t at = base / 8 * 8; at < base + ways_; at += 8) note(order_.data() + at);
        note_show(line, note);
    }
    template <class Note>
    void note_show(const L1Line& line, Note note) {
        L1Filter::Fast& shown = fast[base_of(line.address) / ways_];
        note(&shown.line);
        note(&shown.addend);
    }
    // The most recently used place of that line's set; perhaps it is free.
    L1Line& most_recent(std::uint64_t line) {
        const std::size_t base = base_of(line);
        return lines_[base + order_[base]];
    }
    // It becomes the most recently used of its set.
    void touch(L1Line& line) {
        const std::size_t base = base_of(line.address);
        const auto way = static_cast<std::uint8_t>(&line - &lines_[base]);
        const auto first = order_.begin() + static_cast<std::ptrdiff_t>(base);
        const auto at = std::find(first, first + ways_, way);
        std::rotate(first, at, at + 1);
        show(line);
    }
    // The line whose place a new one of that address would take: a free one, or the least recently used.
    L1Line& victim(std::uint64_t address) {
        const std::size_t base = base_of(address);
        for (std::uint32_t way = 0; way < ways_; ++way)
            if (lines_[base + way].address == L1Line::nothing) return lines_[base + way];
        return lines_[base + order_[base + ways_ - 1]];
    }
    // The caller has dealt with what was there. No byte is valid yet.
    void assign(L1Line& line, std::uint64_t address) {
        if (line.address != L1Line::nothing) free(line);
        line.address = address;
        touch(line);
    }
    void free(L1Line& line) {
        const std::size_t base = base_of(line.address);
        const auto way = static_cast<std::uint8_t>(&line - &lines_[base]);
        const auto first = order_.begin() + static_cast<std::ptrdiff_t>(base);
        const auto at = std::find(first, first + ways_, way);
        std::rotate(at, at + 1, first + ways_);  // the least recently used
        line.address = L1Line::nothing;
        line.valid = line.owned = line.dirty = 0;
        line.awaits_store = line.prefetched = false;
        line.kept_until = 0;
        show(lines_[base + *first]);
    }
    // Its masks have changed.
    void show(L1Line& line) {
        if (line.address == L1Line::nothing) {  // only of an empty set: free() has put it in front
            fast[static_cast<std::size_t>(&line - lines_.data()) / ways_] = {};
            return;
        }
        const std::size_t base = base_of(line.address);
        if (&lines_[base + order_[base]] != &line) return;
        const bool readable = line.valid == whole_line && !line.awaits_store && !line.prefetched;
        fast[base / ways_] = {readable ? line.address : line.address | hidden, line.addend()};
    }
    // Whether the core may read it by itself.
    bool shows(std::uint64_t line) const { return fast[(line / line_bytes) & set_mask].line == line; }

    template <class Visit>
    void for_each(Visit visit) {
        for (L1Line& line : lines_)
            if (line.address != L1Line::nothing) visit(line);
    }

    void serialise(Archive& archive) {
        archive.each(lines_);
        archive.each(order_);
        for (const std::uint8_t way : order_)
            if (way >= ways_) Archive::damaged();
        for (std::size_t set = 0; set < fast.size(); ++set)
            serialise_shown(archive, fast[set],
                            [&](std::uint64_t) { return lines_[set * ways_ + order_[set * ways_]].addend(); });
    }

private:
    static constexpr std::uint64_t hidden = 32;
    std::size_t base_of(std::uint64_t address) const { return ((address / line_bytes) & set_mask) * ways_; }

    std::uint32_t ways_;
    std::vector<L1Line> lines_;
    std::vector<std::uint8_t> order_;  // of each set: its ways, the most recently used first
};
static_assert(is_listed<PrivateL1, 88>);

}  // namespace croftsim
