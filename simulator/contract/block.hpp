#pragma once
// A basic block, decoded once and shared by all cores of one kind: its operations, their costs, and where it leads. The
// interpreter runs it, and recorders divide its cycles among its instructions.

#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "isa/instruction.hpp"

namespace croftsim {

// Where control goes at a block's end, as far as calls are concerned. Which indirect jumps are calls and returns, their
// registers say (chapter 2, table 3).
enum class Linkage : std::uint8_t { none, call, back, jump };
constexpr bool is_link(std::uint8_t x) { return x == 1 || x == 5; }
inline Linkage linkage_of(const Instruction& instruction) {
    if (instruction.opcode == Opcode::uret) return Linkage::back;
    if (instruction.opcode != Opcode::jal && instruction.opcode != Opcode::jalr) return Linkage::none;
    if (is_link(instruction.rd)) return Linkage::call;
    if (instruction.opcode == Opcode::jal) return Linkage::none;
    return is_link(instruction.rs1) ? Linkage::back : Linkage::jump;
}

// In a store's rd: it is not to bring its line into the own caches (Zihintntl, ntl.pall and ntl.all before it).
constexpr std::uint8_t no_allocate = 33;

// One decoded instruction in 16 bytes, as the interpreter wants it.
struct Op {
    const void* handler;  // the label in the interpreter
    std::uint8_t rd;      // 32 instead of 0 for an integer destination: see Hart::x
    std::uint8_t rs1, rs2;
    std::uint8_t offset;  // cycles from the block's first issue to this one's, if nothing stalls
    std::int32_t imm;

    void serialise(Archive& archive) { archive(rd, rs1, rs2, offset, imm); }  // without its handler
};
static_assert(sizeof(Op) == 16);

struct Block {
    static constexpr std::uint64_t no_line = 1;
    std::uint64_t pc = 0;
    std::vector<Op> ops;                    // the last one transfers control
    std::vector<std::uint16_t> pc_offsets;  // of each operation, in bytes from pc
    std::vector<std::uint16_t> slacks;      // of each load: see core/issue_schedule.hpp
    std::uint32_t instructions = 0;
    std::uint32_t cycles = 0;  // from the first issue to the next block's, not taken
    std::uint32_t cycles_taken = 0;
    std::uint32_t lines = 0;     // from first_line to last_line
    std::uint64_t accesses = 0;  // loads in the low half, stores in the high half
    std::uint64_t next_pc = 0, taken_pc = 0;
    Linkage linkage = Linkage::none;
    // The lines that its instructions lie in; none if there is no such memory. If a block lies in more than two, its
    // second line is one that no cache has, so that a closer look is always taken.
    std::uint64_t first_line = no_line, second_line = no_line, last_line = 0;
    Block* next = nullptr;  // linked at first use
    Block* taken = nullptr;

    const Op* end() const { return ops.data() + ops.size(); }
    std::uint64_t pc_of(const Op* op) const { return pc + pc_offsets[index_of(op)]; }
    std::uint32_t slack_of(const Op* load) const { return slacks[index_of(load)]; }
    void serialise(Archive& archive) {
        archive(pc, ops, pc_offsets, slacks, instructions, cycles, cycles_taken, lines, accesses, next_pc, taken_pc,
                linkage, first_line, second_line, last_line);
    }

private:
    std::size_t index_of(const Op* op) const { return static_cast<std::size_t>(op - ops.data()); }
};
static_assert(is_listed<Block, 168>);

}  // namespace croftsim
