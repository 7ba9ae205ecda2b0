#pragma once
// One decoded instruction, and the vocabulary in which the tables (isa/*.inc) define all of them.
//
// Each line of a table is
//
//     INSTRUCTION(name, format, match, mask, cost, semantics)   // the sentence of the specification
//
// and is expanded several times: for the enumeration of opcodes below, for the decoder, and for the interpreter
// (core/interpreter.cpp). An encoding belongs to the instruction when (bits & mask) == match. `semantics` is the body
// that executes it. The body may use
//
//     RD            the integer destination, an uint64_t to assign to (a write to x0 is dropped)
//     RS1 RS2       the integer sources, uint64_t
//     IMM           the immediate, sign-extended to int64_t (shift amounts and CSR numbers too; formats below)
//     UIMM          the number in rs1's field (the operand of csrrwi, csrrsi, csrrci)
//     FD(bits)      write a 64-bit pattern to the floating-point destination; FS(bits) writes a NaN-boxed single
//     FH(bits)      the same of a half
//     FD1 FD2 FD3   the floating-point sources as 64-bit patterns
//     FS1 FS2 FS3   the same as singles: 32-bit patterns, canonical NaN when the source is not NaN-boxed
//     FH1           the first one as a half, likewise
//     RM            the rounding mode of this instruction, DYN resolved; FLAGS an uint8_t& that accrues exceptions
//     PC_RELATIVE   the address of this instruction plus IMM (auipc)
//     BRANCH(taken) JUMP() JUMP_REGISTER()      control transfers; these end a block
//     MORE(statement)                           for each of the following, which concern more than registers
//     LOAD(type) STORE(type)                    at RS1 + IMM; LOAD sign-extends a signed type
//     LOAD_HALF() LOAD_SINGLE() LOAD_DOUBLE() STORE_HALF() STORE_SINGLE() STORE_DOUBLE()
//     LOAD_RESERVED(type) STORE_CONDITIONAL(type) ATOMIC(operation, type)   operation: an AtomicOperation; what was
//                                               in memory goes to RD, sign-extended whatever the type
//     ATOMIC_COMPARE(type)                      a compare-and-swap, which reads RD, too; type may be RegisterPair
//     CSR(write|set|clear, operand)             read the CSR numbered IMM into RD, then change it
//     FENCE() FENCE_I() SYSTEM_CALL() BREAKPOINT() WAIT_RESERVATION(limited)
//     CACHE_ZERO()                              zeros to the block that holds RS1
//     WATCH(type)                               croft.watch: see isa/croft.inc
//     SEND() OPEN() PUSH() RECEIVE() WAITING() MAP()   the user network: see isa/croft.inc
//     RETURN_FROM_INTERRUPT() COPY(to, from, bytes) COPIED()
//     MARK(text, what)                          what: a Mark (record/execution_log.hpp)
//     LINE(operation, address, options)         a LineOperation (contract/requester.hpp)
//     ILLEGAL()                                 raise an illegal-instruction fault
//
// and the three views of a register at the end of this file. Every word but the values is a statement.

#include <array>
#include <cstdint>

namespace croftsim {

enum class Opcode : std::uint16_t {
    illegal,  // every encoding that no table knows
#define INSTRUCTION(name, format, match, mask, cost, ...) name,
#include "isa/instructions.inc"
#undef INSTRUCTION
    count,
};

// Where an instruction's fields are (unprivileged specification, section 2.3), and what Instruction::imm holds:
//   R: nothing                       I, S, B, U, J: the sign-extended immediate, in bytes (U: already shifted by 12)
//   shift: the shift amount          csr: the CSR number; for the immediate forms rs1 is the 5-bit operand
//   constant: the number in rs1's field, which names no register
//   atomic: aq in bit 1, rl in bit 0 fence: predecessor set in bits 7..4, successor set in bits 3..0, fm in 11..8
//   float_r: rm                      float_r4: rm in bits 2..0, rs3 in bits 7..3
// Opcode::illegal has no fields; its imm is the encoding, for messages.
enum class Format : std::uint8_t { R, I, S, B, U, J, shift, constant, csr, atomic, fence, float_r, float_r4, none };

// The machine file has a cost for each class of instructions.
enum class Cost : std::uint8_t {
    alu,
    multiply,
    divide,
    branch,
    jump,
    load,
    store,
    atomic,
    fence,
    csr,
    system,
    float_move,
    float_compare,
    float_add,
    float_multiply,
    float_fused,
    float_divide,
    float_sqrt,
    float_convert,
    send,
    push,
    receive,
    count,
};

enum class AtomicOperation : std::uint8_t {
    swap,
    add,
    exclusive_or,
    conjunction,
    disjunction,
    minimum,
    maximum,
    compare_and_swap,
};

struct Instruction {
    Opcode opcode = Opcode::illegal;
    std::uint8_t rd = 0, rs1 = 0, rs2 = 0;
    std::uint8_t length = 4;  // bytes: 2 or 4
    std::int32_t imm = 0;
};

// Decodes the instruction that starts with the low half-word of `bits`; a compressed one uses only that half.
Instruction decode(std::uint32_t bits);

// The 32-bit instruction that a compressed one stands for (chapter "C"), or 0 if it is reserved or illegal.
std::uint32_t expand_compressed(std::uint16_t bits);

// Which registers the fields of an instruction name, as its semantics use them (an x0 is a name like any other).
enum class Bank : std::uint8_t { none, integer, floating };
struct Registers {
    Bank rd = Bank::none, rs1 = Bank::none, rs2 = Bank::none, rs3 = Bank::none;
    bool reads_rd = false;  // it is a source, too; there is no rs3 then
};

// Registers of both files by one number: integer ones, and floating-point ones behind them. The last is always zero,
// and nobody writes it: it stands for x0 and for fields that name none.
constexpr std::uint8_t first_floating = 32, no_register = 64, register_count = 65;
struct Operands {
    std::uint8_t rd = no_register;
    std::array<std::uint8_t, 3> sources{no_register, no_register, no_register};
};
Operands operands_of(const Instruction& instruction);

Cost cost_of(Opcode opcode);
// Zihintntl's ntl.pall and ntl.all: the access behind it shall not bring its line into the own caches.
inline bool is_no_allocate_hint(const Instruction& one) {
    return one.opcode == Opcode::add && one.rd == 0 && one.rs1 == 0 && (one.rs2 == 3 || one.rs2 == 5);
}
Format format_of(Opcode opcode);
Registers registers_of(Opcode opcode);
const char* name_of(Opcode opcode);  // the assembler mnemonic: "amoadd.w", "fcvt.d.s"

constexpr std::int64_t as_signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }
constexpr std::int32_t as_word(std::uint64_t value) { return static_cast<std::int32_t>(value); }
constexpr std::uint32_t as_unsigned_word(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

}  // namespace croftsim
