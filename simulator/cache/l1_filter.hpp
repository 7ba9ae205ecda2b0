#pragma once
// The L1 data cache of a tile whose L2 is inclusive and takes every write. Its contents are always those of the L2, so
// it needs no data of its own. It says which lines hit, and where in the L2 their bytes are.
//
// Each set keeps its lines in order of use. The entry of the most recently used one doubles as the interpreter's fast
// path: one comparison checks line and alignment at once. (A page that loses its permission loses its lines.) A hit
// there changes no state, because the line is the most recently used one already. A hit on another way takes the slow
// path and moves the line up.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "contract/description.hpp"

namespace croftsim {

// A line that is shown at a place of the host, {line, addend}: the place is another one in each process.
template <class Entry, class AddendOf>
void serialise_shown(Archive& archive, Entry& entry, AddendOf addend_of) {
    archive(entry.line);
    if (entry.line == ~std::uint64_t{0}) return;
    const std::uintptr_t addend = addend_of(entry.line);
    if (!archive.loads() && entry.addend != addend) throw std::logic_error("a line is shown where it is not");
    entry.addend = addend;
}

class L1Filter {
public:
    static constexpr std::uint64_t nothing = ~std::uint64_t{0};

    struct Fast {
        std::uint64_t line = nothing;  // the most recently used of its set
        std::uintptr_t addend = 0;     // host address of a byte = its address + addend
    };

    explicit L1Filter(const CacheDescription& shape)
        : line_bytes(shape.line),
          shift(static_cast<std::uint32_t>(std::countr_zero(shape.line))),
          ways_(shape.ways),
          sets_(shape.size / (shape.line * shape.ways)),
          set_mask(sets_ - 1),
          fast(sets_),
          others_(sets_ * (shape.ways - 1)) {}

    const std::uint32_t line_bytes;
    const std::uint32_t shift;

private:
    struct Other {
        std::uint64_t line = nothing;
        std::uintptr_t addend = 0;
    };
    std::uint32_t ways_, sets_;

public:
    const std::uint64_t set_mask;
    std::vector<Fast> fast;

    std::uint64_t line_of(std::uint64_t address) const { return address & ~std::uint64_t{line_bytes - 1}; }
    Fast& set_of(std::uint64_t address) { return fast[(address >> shift) & set_mask]; }

    // Whether the line is here; if so it becomes the most recently used of its set.
    bool touch(std::uint64_t address) {
        const auto line = line_of(address);
        Fast& first = set_of(address);
        if (first.line == line) return true;
        Other* others = others_of(address);
        for (std::uint32_t way = 0; way + 1 < ways_; ++way) {
            if (others[way].line != line) continue;
            const Other found = others[way];
            for (std::uint32_t later = way; later > 0; --later) others[later] = others[later - 1];
            others[0] = {first.line, first.addend};
            first = {line, found.addend};
            return true;
        }
        return false;
    }

    // Whether any line of [first, first + bytes) is here.
    bool holds(std::uint64_t first, std::uint32_t bytes) const {
        for (auto at = first; at < first + bytes; at += line_bytes) {
            const std::uint64_t set = (at >> shift) & set_mask;
            if (fast[set].line == at) return true;
            for (std::uint32_t way = 0; way + 1 < ways_; ++way)
                if (others_[set * (ways_ - 1) + way].line == at) return true;
        }
        return false;
    }

    // Brings a line in as the most recently used; the least recently used one of its set leaves.
    void insert(std::uint64_t address, std::uintptr_t addend) {
        Fast& first = set_of(address);
        Other* others = others_of(address);
        for (std::uint32_t way = ways_ - 1; way-- > 1;) others[way] = others[way - 1];
        if (ways_ > 1 && first.line != nothing) others[0] = {first.line, first.addend};
        first = {line_of(address), addend};
    }

    void clear() {
        std::fill(fast.begin(), fast.end(), Fast{});
        std::fill(others_.begin(), others_.end(), Other{});
    }

    template <class Visit>
    void for_each(Visit visit) const {  // line, addend
        for (const Fast& entry : fast)
            if (entry.line != nothing) visit(entry.line, entry.addend);
        for (const Other& other : others_)
            if (other.line != nothing) visit(other.line, other.addend);
    }

    // Every line of [first, first + bytes) leaves.
    void drop(std::uint64_t first, std::uint32_t bytes) {
        for (auto at = first; at < first + bytes; at += line_bytes) {
            Fast& entry = set_of(at);
            Other* others = others_of(at);
            if (entry.line == at) {
                entry = {};
                if (ways_ > 1 && others[0].line != nothing) {
                    entry = {others[0].line, others[0].addend};
                    for (std::uint32_t way = 1; way + 1 < ways_; ++way) others[way - 1] = others[way];
                    others[ways_ - 2] = {};
                }
            } else {
                for (std::uint32_t way = 0; way + 1 < ways_; ++way) {
                    if (others[way].line != at) continue;
                    for (std::uint32_t later = way; later + 2 < ways_; ++later) others[later] = others[later + 1];
                    others[ways_ - 2] = {};
                    break;
                }
            }
        }
    }

    // addend_of(line): of what the line is, where it is.
    template <class AddendOf>
    void serialise(Archive& archive, AddendOf addend_of) {
        for (Fast& entry : fast) serialise_shown(archive, entry, addend_of);
        for (Other& other : others_) serialise_shown(archive, other, addend_of);
    }

private:
    Other* others_of(std::uint64_t address) { return others_.data() + ((address >> shift) & set_mask) * (ways_ - 1); }
    std::vector<Other> others_;
};
static_assert(is_listed<L1Filter, 72>);

}  // namespace croftsim
