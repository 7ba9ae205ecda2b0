#pragma once
// How often a core looks for a line of the program in its L1 instruction cache, and how often the line is not there. An
// in-order core looks for the lines of a block when it enters it. An out-of-order core looks for the line of an
// instruction if it is another than that of the instruction before.
//
// Whoever misses a line looks again when it has come, which is the same look. So looks are counted when the block, or
// the instruction, has all of its lines. Until then the lines that were missed are *under way*. They are so for as long
// as `looks` is what it was at the first of them. That costs the interpreter one addition a block, and a core that is
// taken back to its checkpoint gets both right by getting `looks` back.

#include <algorithm>
#include <cstdint>

namespace croftsim {

struct FetchCount {
    static constexpr bool is_plain = true;
    std::uint64_t looks = 0, misses = 0;

    std::uint64_t hits() const { return looks + under_way() - misses; }

    // One of `lines` that are looked for together. One that came and left again before the others were there is not
    // counted twice.
    void missed(std::uint64_t lines) {
        if (missed_at_ != looks) {
            missed_at_ = looks;
            missed_ = 0;
        }
        if (missed_ == lines) return;
        ++missed_;
        ++misses;
    }
    // All of them are there.
    void found(std::uint64_t lines) { looks += lines; }
    // The core goes on elsewhere. So many of the lines that it looked for had been there or come.
    void leave(std::uint64_t lines) { looks += std::max(lines, under_way()); }

private:
    std::uint64_t under_way() const { return missed_at_ == looks ? missed_ : 0; }

    std::uint64_t missed_at_ = 0, missed_ = 0;
};

}  // namespace croftsim
