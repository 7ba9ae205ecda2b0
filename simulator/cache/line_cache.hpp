#pragma once
// A set-associative cache of 64-byte lines that has their bytes. Its users decide what a line's state means
// (coherence/), and cache/replacement/ which line leaves a full set.
//
// It costs the host only the memory that the program uses. So a place that no line has had yet is zero bytes
// (zeroed_array.hpp). The tags are kept inverted, so that zero is the tag of no line, and victim() makes a line of such
// a place.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/archive.hpp"
#include "cache/replacement/lru.hpp"
#include "cache/replacement/table.hpp"
#include "cache/sharer_set.hpp"
#include "contract/description.hpp"
#include "memory/zeroed_array.hpp"

namespace croftsim {

constexpr std::uint32_t line_bytes = 64;
constexpr std::uint64_t line_of(std::uint64_t address) { return address & ~std::uint64_t{line_bytes - 1}; }

// The one of so many caches in which a line belongs by its address. This is Fibonacci hashing: the upper half of the
// product depends on every bit of the line's number.
constexpr std::uint32_t hash_of(std::uint64_t line, std::uint32_t caches) {
    const std::uint64_t hash = (line / line_bytes * 0x9e3779b97f4a7c15u) >> 32;
    return static_cast<std::uint32_t>(hash * caches >> 32);
}

// Calls visit(line, offset, bytes, done) for each line that the range touches.
template <class Visit>
void for_each_line(std::uint64_t address, std::size_t bytes, Visit visit) {
    for (std::size_t done = 0; done < bytes;) {
        const std::uint64_t at = address + done, line = line_of(at);
        const std::size_t count = std::min<std::size_t>(bytes - done, line + line_bytes - at);
        visit(line, at - line, count, done);
        done += count;
    }
}

// An operand of 1, 2, 4 or 8 bytes: without a call of memcpy, which a variable size would make.
inline void put_bytes(std::uint8_t* to, std::uint64_t value, unsigned size) {
    switch (size) {
        case 1:
            std::memcpy(to, &value, 1);
            break;
        case 2:
            std::memcpy(to, &value, 2);
            break;
        case 4:
            std::memcpy(to, &value, 4);
            break;
        case 8:
            std::memcpy(to, &value, 8);
            break;
        default:
            std::memcpy(to, &value, size);
            break;  // a part of an operand across two lines
    }
}
// Those of a line whose bits are set.
inline void put_masked(std::uint8_t* to, const std::uint8_t* from, std::uint64_t mask) {
    for (; mask; mask &= mask - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(mask));
        to[i] = from[i];
    }
}
inline std::uint64_t get_bytes(const std::uint8_t* from, unsigned size) {
    std::uint64_t value = 0;
    switch (size) {
        case 1:
            std::memcpy(&value, from, 1);
            break;
        case 2:
            std::memcpy(&value, from, 2);
            break;
        case 4:
            std::memcpy(&value, from, 4);
            break;
        default:
            std::memcpy(&value, from, 8);
            break;
    }
    return value;
}

// A line of any cache. A kind of cache adds its own state behind this. Both together take two lines of the host's, one
// of data and one of state.
struct AnyLine {
    static constexpr bool is_plain = true;
    static constexpr std::uint64_t nothing = ~std::uint64_t{0};
    static constexpr std::size_t host_bytes = 2 * line_bytes;  // to which each kind is aligned
    std::array<std::uint8_t, line_bytes> bytes{};
    std::uint64_t address = nothing;
    std::uint64_t sent = 0;  // when the last copy left for a sharer
    Sharers sharers;     // of a homed line: tiles that may hold a copy, this one excepted; see its cache's sharers()
    bool homed = false;  // this tile is its home: here is the directory entry and the valid copy
    bool dirty = false;  // newer than DRAM
    bool busy = false;   // in a transaction of its home: may not be replaced

    // Host address of a byte of this line = its address + addend.
    std::uintptr_t addend() { return reinterpret_cast<std::uintptr_t>(bytes.data()) - address; }
};

struct alignas(AnyLine::host_bytes) Line : AnyLine {};

template <class Line>
class BasicLineCache {
    static_assert(sizeof(Line) == AnyLine::host_bytes);

public:
    // `caches`: between how many like this one lines go round. The numbers of one cache's lines are alike in the lowest
    // bits, so the bits above choose the set. Otherwise only one set in `caches` would ever be used. `tiles`: how many
    // may share a line.
    explicit BasicLineCache(const CacheDescription& shape, std::size_t caches = 1, std::uint32_t tiles = 1)
        : ways_(shape.ways),
          further_words_(SharerSet::further_words(tiles)),
          shift_(static_cast<unsigned>(std::countr_zero(line_bytes) + std::bit_width(caches) - 1)),
          set_mask_(shape.size / (shape.line * shape.ways) - 1),
          policy_(replacement::row_of(shape.replacement.value_or(Replacement::lru)).policy),
          places_((set_mask_ + 1) * ways_),
          host_(places_ + (places_ * (2 + further_words_) * sizeof(std::uint64_t) + sizeof(Line) - 1) / sizeof(Line)),
          lines_(host_.data()),
          tags_(reinterpret_cast<std::uint64_t*>(lines_ + places_)),
          marks_(tags_ + places_),
          further_sharers_(marks_ + places_) {}

    Line* find(std::uint64_t address) {
        const auto base = base_of(address);
        for (std::uint32_t way = 0; way < ways_; ++way)
            if (tags_[base + way] == tag_of(address)) return &lines_[base + way];
        return nullptr;
    }
    // Two hints, which change nothing but the host's time. The entries at which find(address) looks will be
    // wanted.
    void expect_search(std::uint64_t address) const {
        const auto base = base_of(address);
        __builtin_prefetch(&tags_[base]);
        __builtin_prefetch(&marks_[base], 1);
        asm volatile("");  // else GCC takes this for a function without effect, and leaves it out
    }
    // The line, if it is here, will be: its bytes and its state, each in a line of the host's.
    void expect_use(std::uint64_t address) const {
        const auto base = base_of(address);
        for (std::uint32_t way = 0; way < ways_; ++way) {
            if (tags_[base + way] != tag_of(address)) continue;
            const Line* line = &lines_[base + way];
            __builtin_prefetch(&line->bytes, 1);
            __builtin_prefetch(&line->address, 1);
            asm volatile("");
            return;
        }
    }
    void touch(Line& line) {
        if (policy_) [[unlikely]]
            return policy_->is_used(set_of(index(line)), way_of(index(line)));
        replacement::Lru::is_used(marks_[index(line)], clock_);
    }
    SharerSet sharers(const Line& line) {
        const std::size_t at = index(line);
        return {lines_[at].sharers, further_sharers_ + at * further_words_};
    }

    // The line to give up for `address`: a free one, else by the policy one that is not busy; null if all are.
    Line* victim(std::uint64_t address) {
        Line* const line = leaving(address);
        if (policy_ && line && line->address != Line::nothing)
            policy_->leaves(set_of(index(*line)), way_of(index(*line)));
        return line;
    }
    // The same, but only to know.
    Line* leaving(std::uint64_t address) {
        const auto base = base_of(address);
        for (std::uint32_t way = 0; way < ways_; ++way) {
            if (tags_[base + way] != no_tag) continue;
            lines_[base + way].address = Line::nothing;
            return &lines_[base + way];
        }
        const BusyLines busy{lines_ + base};
        const std::uint32_t way =
            policy_ ? policy_->victim(set_of(base), busy) : replacement::Lru::victim(marks_ + base, ways_, busy);
        return way < ways_ ? &lines_[base + way] : nullptr;
    }
    // The caller has dealt with what was there. The bytes are left as they are.
    void assign(Line& line, std::uint64_t address) {
        tags_[index(line)] = tag_of(address);
        line.address = address;
        line.homed = line.dirty = line.busy = false;
        sharers(line).clear();
        line.sent = 0;
        if (!policy_) return touch(line);
        if (address != Line::nothing) policy_->arrives(set_of(index(line)), way_of(index(line)));
    }
    void free(Line& line) { assign(line, Line::nothing); }

    template <class Visit>
    void for_each(Visit visit) {
        for (std::size_t i = 0; i < places_; ++i)  // the tags lie close together, the lines do not
            if (tags_[i] != no_tag) visit(lines_[i]);
    }
    // The same of the lines that begin in [begin, end): no other is looked at.
    template <class Visit>
    void for_each_inside(std::uint64_t begin, std::uint64_t end, Visit visit) {
        const std::uint64_t first = line_of(begin + line_bytes - 1);
        if ((end - begin) / line_bytes < set_mask_) {  // fewer than sets: less to look at than all tags
            for (std::uint64_t line = first; line < end; line += line_bytes)
                if (Line* const found = find(line)) visit(*found);
            return;
        }
        for (std::size_t i = 0; i < places_; ++i)
            if (const std::uint64_t line = tag_of(tags_[i]); line >= first && line < end) visit(lines_[i]);
    }

    // The lines that are here. The old contents of free places do not matter, but for the marks of a policy that keeps
    // something of the whole set there.
    void serialise(Archive& archive) {
        archive(clock_);
        if (policy_) archive.bytes(marks_, places_ * sizeof *marks_);
        std::size_t here = 0;
        if (!archive.loads()) for_each([&](Line&) { ++here; });
        std::size_t left = archive.count(here);
        for (std::uint64_t at = 0; left > 0; ++at, --left) {
            while (!archive.loads() && tags_[at] == no_tag) ++at;
            at = archive.place(at, places_);
            if (at == Archive::nowhere) Archive::damaged();
            archive(tags_[at], marks_[at], lines_[at]);
            const std::uint32_t further = lines_[at].sharers.further();
            if (further > further_words_) Archive::damaged();
            archive.bytes(further_sharers_ + at * further_words_, further * sizeof(std::uint64_t));
        }
    }
    // A line of this cache, or none.
    void serialise_place(Archive& archive, Line*& line) {
        const std::uint64_t place = archive.place(line ? index(*line) : Archive::nowhere, places_);
        line = place == Archive::nowhere ? nullptr : &lines_[place];
    }

private:
    static constexpr std::uint64_t no_tag = 0;
    static constexpr std::uint64_t tag_of(std::uint64_t address) { return ~address; }
    static_assert(tag_of(Line::nothing) == no_tag);

    struct BusyLines final : replacement::Busy {
        explicit BusyLines(const Line* set) : set_(set) {}
        bool operator()(std::uint32_t way) const override { return set_[way].busy; }

    private:
        const Line* set_;
    };
    replacement::Set set_of(std::size_t place) { return {marks_ + place / ways_ * ways_, ways_, clock_}; }
    std::uint32_t way_of(std::size_t place) const { return static_cast<std::uint32_t>(place % ways_); }

    std::size_t base_of(std::uint64_t address) const { return ((address >> shift_) & set_mask_) * ways_; }
    std::size_t index(const Line& line) const { return static_cast<std::size_t>(&line - lines_); }

    std::uint32_t ways_;
    std::uint32_t further_words_;  // of sharers, of each line
    unsigned shift_;
    std::uint64_t set_mask_;
    const replacement::Policy* policy_;  // null: LRU
    std::size_t places_;
    ZeroedArray<Line> host_;  // the lines, and behind them the other three arrays, in one piece
    Line* lines_;
    std::uint64_t* tags_;
    std::uint64_t* marks_;  // of the policy
    std::uint64_t* further_sharers_;
    std::uint64_t clock_ = 0;
};

using LineCache = BasicLineCache<Line>;
static_assert(is_listed<LineCache, 96>);

}  // namespace croftsim
