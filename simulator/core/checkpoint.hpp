#pragma once
// The state to which a core that runs ahead is taken back. It has the registers and the place at a time that is final,
// and the words that stores have overwritten since. machine/window.md says when a core may run ahead and when it is
// taken back.
//
// Ahead of time a core does only the fast path's work: register arithmetic, loads that hit the L1, stores to lines of
// its own. So this is all its state that can have changed.
//
// Most programs compute little with floating point. The registers for it are kept only if they have been written since
// they were kept last, which `core.floating_changed` says.

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "contract/block.hpp"
#include "isa/hart.hpp"

namespace croftsim {

class Checkpoint {
public:
    // From now on stores are noted. `op` is the next operation. `in_passing`: the core goes on there at once, as far as
    // register arithmetic reaches; if not, it has stopped there.
    template <class Core>
    void take(Core& core, Block* block, const Op* op, std::uint64_t cycle, bool in_passing) {
        in_passing_ = in_passing;
        if (core.log) core.log->settle();
        copy(hart_, core.hart, without_floating);
        if (core.floating_changed) hart_.f = core.hart.f;
        core.floating_changed = false;
        assert(hart_.f == core.hart.f && "somebody wrote a register without a word");
        block_ = block;
        op_ = op;
        cycle_ = cycle;
        instructions_ = core.statistics.instructions;
        loads_ = core.statistics.loads + (core.accesses & 0xffffffffu);
        stores_ = core.statistics.stores + (core.accesses >> 32);
        atomics_ = core.statistics.atomics;
        fences_ = core.statistics.fences;
        looks_ = core.fetches.looks;
        noted_ = 0;
    }
    bool in_passing() const { return in_passing_; }
    const Block* block() const { return block_; }
    // Whether there is no room for all that one instruction changes.
    bool full() const { return noted_ > overwritten_.size() - most_changes; }
    // The aligned word at `host` is about to be overwritten, in part or wholly.
    void note(std::uintptr_t host) {
        auto* word = reinterpret_cast<std::uint8_t*>(host & ~std::uintptr_t{7});
        Overwritten& entry = overwritten_[noted_++];
        entry.word = word;
        std::memcpy(&entry.old, word, sizeof entry.old);
    }

    template <class Core>
    void restore(Core& core) {
        while (noted_ > 0) {
            const Overwritten& entry = overwritten_[--noted_];
            std::memcpy(entry.word, &entry.old, sizeof entry.old);
        }
        if (core.log) core.log->take_back();
        copy(core.hart, hart_, without_floating);
        if (core.floating_changed) core.hart.f = hart_.f;
        core.floating_changed = false;
        core.block = block_;
        core.op = op_;
        core.cycle = cycle_;
        core.statistics.instructions = instructions_;
        core.statistics.loads = loads_;
        core.statistics.stores = stores_;
        core.statistics.atomics = atomics_;
        core.statistics.fences = fences_;
        core.fetches.looks = looks_;
    }

private:
    // A line of the host's at a time. (Of so many bytes at once, compilers make a string instruction of the host's,
    // which begins slowly.)
    static constexpr std::size_t without_floating = offsetof(Hart, f);
    static void copy(Hart& to, const Hart& from, std::size_t bytes) {
        auto* const to_bytes = reinterpret_cast<std::uint8_t*>(&to);
        const auto* const from_bytes = reinterpret_cast<const std::uint8_t*>(&from);
        std::size_t done = 0;
        for (; done + 64 <= bytes; done += 64) std::memcpy(to_bytes + done, from_bytes + done, 64);
        std::memcpy(to_bytes + done, from_bytes + done, bytes % 64);
    }

    struct Overwritten {
        std::uint8_t* word;
        std::uint64_t old;
    };
    Hart hart_{};
    bool in_passing_ = false;
    Block* block_ = nullptr;
    const Op* op_ = nullptr;
    std::uint64_t cycle_ = 0, instructions_ = 0, loads_ = 0, stores_ = 0, atomics_ = 0, fences_ = 0, looks_ = 0;
    std::size_t noted_ = 0;
    static constexpr std::size_t most_changes = 40;
    std::array<Overwritten, 256 + most_changes> overwritten_;
};

}  // namespace croftsim
