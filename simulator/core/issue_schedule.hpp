#pragma once
// When each instruction of a block issues on an in-order core, and how much of a load's wait the block hides. Both are
// properties of the block alone, found once, when it is decoded: they cost the interpreter nothing.
//
// A core issues up to `issue_width` instructions a cycle, in order. An instruction joins its predecessor's cycle unless
//
//   - all slots of that cycle are taken;
//   - its unit is. There is one memory unit (loads, stores, atomics, messages) and one complex unit (all but these,
//     simple arithmetic and control transfers). Each takes one operation a cycle. Fences, csr and system operations
//     order everything before and behind them, so they have a cycle to themselves;
//   - a register that it reads or writes is not ready, because an instruction of that cycle or an earlier one writes
//     it. A load's result is ready l1d.hit cycles after its issue, any other when the instruction's cost is over;
//   - an earlier instruction costs several cycles and these are not over. Multiplication alone is pipelined: it lets
//     others issue while its result is on its way;
//   - an earlier one lies across two words of four bytes, which takes it core.split_fetch cycles longer.
//
// A control transfer ends the block, and the next one begins in a cycle of its own, with every register ready.
//
// A core of width 1 is simpler: only the instruction right behind a load waits, if it reads the result. Multiplication
// holds the core up like everything else that costs several cycles.
//
// Loads block at first use, or at once: then their slack is their cost. A load's slack is the time from its issue to
// that of the first instruction that needs it to be over. That is one that reads or writes its register, any other
// memory operation, a csr or system operation, or the block's end. (Csr and system operations may show the time or
// leave the program.)
//
// A load that misses the L1 stalls the core for the time beyond the slack. The instructions that issue in between touch
// nothing but registers, so it does not matter that the whole stall is booked in front of them. No memory operation
// issues before the data of an earlier load has arrived. (machine/window.md relies on that: a core that goes on at the
// arrival of a message must not act before it.) A load that reserves its line has the slack of its cost: everything
// behind it waits.
//
// The block's end needs the load, though a branch reads other registers. A core may stop there, for its horizon or an
// interrupt, and its clock then orders whatever reaches it. Were the wait booked beyond the end, that clock would stand
// before the message for which the core has just gone on. It would also hide little. On tilepro64, with slacks that
// reach into the blocks that follow, five serial kernels of cilk5 took 0.00 to 0.03% fewer cycles.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "contract/description.hpp"
#include "isa/instruction.hpp"

namespace croftsim {

class IssueSchedule {
public:
    IssueSchedule(const CoreDescription& core, const CacheDescription& l1) : core_(core), l1_hit_(l1.hit) {}

    // Puts the next instruction of the block, at this address, into its cycle, counted from the block's first one.
    std::uint32_t place(const Instruction& instruction, std::uint64_t address);

    // The first cycle in which the next instruction could issue, and the first behind all cycles used so far.
    std::uint32_t next() const { return next_; }
    std::uint32_t end() const { return next_ > cycle_ ? next_ : cycle_ + 1; }

    // The slack of each instruction placed, if what follows the block issues at `end`. Means something for loads only.
    std::vector<std::uint16_t> slacks(std::uint32_t end);

private:
    // The latest one, as long as nothing has needed it to be over.
    struct Load {
        std::size_t index;    // among the instructions placed
        std::uint8_t result;  // its register
        std::uint32_t cycle;  // in which it issued
    };
    void close_load(std::uint32_t cycle);

    const CoreDescription& core_;
    std::uint32_t l1_hit_;
    std::uint32_t cycle_ = 0, next_ = 0;                 // the latest instruction's; the next one's, at the earliest
    std::uint32_t slots_ = 0, units_ = 0;                // taken in cycle_: how many, and a bit for each unit
    std::array<std::uint32_t, register_count> ready_{};  // when each register can be read; no_register always
    std::vector<std::uint16_t> slacks_;
    std::optional<Load> load_;
};

}  // namespace croftsim
