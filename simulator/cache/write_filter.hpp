#pragma once
// Lines to which this core may store at once: homed at its own tile, in its L2, with no copy anywhere else. Such a
// store concerns nobody else. It is a small direct-mapped table beside the caches, for the interpreter's fast path. It
// costs no simulated time and holds no state of the machine. (A store takes no cycles of its own whether its line is in
// the write-through L1 or not. A run of stores counts as one use of the line for the L2's replacement.)

#include <array>
#include <cstdint>

#include "base/archive.hpp"
#include "cache/l1_filter.hpp"
#include "cache/line_cache.hpp"

namespace croftsim {

class WriteFilter {
public:
    static constexpr std::uint64_t nothing = ~std::uint64_t{0};
    static constexpr std::size_t entries = 256;

    struct Entry {
        std::uint64_t line = nothing;
        std::uintptr_t addend = 0;  // host address of a byte = its address + addend
    };

    Entry& at(std::uint64_t address) { return entries_[(address / line_bytes) % entries]; }
    Entry* data() { return entries_.data(); }

    bool permits(std::uint64_t line) const { return entries_[(line / line_bytes) % entries].line == line; }
    template <class Line>
    void permit(Line& line) {
        at(line.address) = {line.address, line.addend()};
    }
    template <class AddendOf>
    void serialise(Archive& archive, AddendOf addend_of) {
        for (Entry& entry : entries_) serialise_shown(archive, entry, addend_of);
    }
    void clear() { entries_.fill({}); }
    template <class Which>
    void revoke_if(Which which) {
        for (Entry& entry : entries_)
            if (entry.line != nothing && which(entry.line)) entry.line = nothing;
    }
    void revoke(std::uint64_t line) {
        if (at(line).line == line) at(line).line = nothing;
    }

private:
    std::array<Entry, entries> entries_;
};

}  // namespace croftsim
