#pragma once
// The lines of the program that a core's L1 instruction cache holds. It has no bytes: instructions are decoded from
// memory, and a core sees that they have changed only by fence.i and its system call.
//
// Replacement is exact LRU. The most recently used line of each set lies apart, for the interpreter's fast path: a
// fetch that finds its line there changes nothing. Any other hit moves lines. A core that runs ahead
// (machine/window.md) notes the words that it moves, so that it can be taken back.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "cache/line_cache.hpp"
#include "contract/description.hpp"

namespace croftsim {

class InstructionL1 {
public:
    static constexpr std::uint64_t nothing = ~std::uint64_t{0};
    static constexpr std::uint32_t most_ways = 8;

    InstructionL1() = default;
    explicit InstructionL1(const CacheDescription& shape)
        : ways_(shape.ways),
          set_mask_(shape.size / (line_bytes * shape.ways) - 1),
          first_(set_mask_ + 1, nothing),
          others_((set_mask_ + 1) * (ways_ - 1), nothing) {}

    // Whether a core has one.
    explicit operator bool() const { return ways_ > 0; }
    // The most recently used line of each set.
    const std::uint64_t* first() const { return first_.data(); }
    std::uint64_t set_mask() const { return set_mask_; }

    // Whether the line is here; if so it becomes the most recently used of its set. note(word): the word will change.
    template <class Note>
    bool touch(std::uint64_t line, Note note) {
        const std::uint64_t set = set_of(line);
        if (first_[set] == line) return true;
        std::uint64_t* const others = others_.data() + set * (ways_ - 1);
        for (std::uint32_t way = 0; way + 1 < ways_; ++way) {
            if (others[way] != line) continue;
            note(first_[set]);
            for (std::uint32_t moved = 0; moved <= way; ++moved) note(others[moved]);
            for (std::uint32_t moved = way; moved > 0; --moved) others[moved] = others[moved - 1];
            others[0] = first_[set];
            first_[set] = line;
            return true;
        }
        return false;
    }
    bool holds(std::uint64_t line) const {
        const std::uint64_t set = set_of(line);
        const auto others = others_.begin() + static_cast<std::ptrdiff_t>(set * (ways_ - 1));
        return first_[set] == line || std::find(others, others + (ways_ - 1), line) != others + (ways_ - 1);
    }
    // As the most recently used of its set; the least recently used one goes.
    void insert(std::uint64_t line) {
        if (holds(line)) return;
        const std::uint64_t set = set_of(line);
        std::uint64_t* const others = others_.data() + set * (ways_ - 1);
        for (std::uint32_t way = ways_ - 1; way > 1; --way) others[way - 1] = others[way - 2];
        if (ways_ > 1) others[0] = first_[set];
        first_[set] = line;
    }
    template <class Which>
    void drop_if(Which which) {
        const std::vector<std::uint64_t> firsts = first_, others = others_;
        clear();
        // Again in the order of their use.
        for (std::size_t set = 0; set < firsts.size(); ++set) {
            const auto keep = [&](std::uint64_t line) {
                if (line != nothing && !which(line)) insert(line);
            };
            for (std::uint32_t way = ways_ - 1; way-- > 0;) keep(others[set * (ways_ - 1) + way]);
            keep(firsts[set]);
        }
    }
    void clear() {
        std::fill(first_.begin(), first_.end(), nothing);
        std::fill(others_.begin(), others_.end(), nothing);
    }

    void serialise(Archive& archive) {
        archive.each(first_);
        archive.each(others_);
    }

private:
    std::uint64_t set_of(std::uint64_t line) const { return line / line_bytes & set_mask_; }

    std::uint32_t ways_ = 0;
    std::uint64_t set_mask_ = 0;
    std::vector<std::uint64_t> first_, others_;
};
static_assert(is_listed<InstructionL1, 64>);

}  // namespace croftsim
