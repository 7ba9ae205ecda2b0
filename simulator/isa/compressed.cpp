// RV64C, Zcb, Zcmop: what each 16-bit instruction stands for (unprivileged specification, chapters "C", "Zc", "Zimop").
// Hints and c.mop stand for the base instruction that has no effect; reserved code points for nothing. Sections and
// field names as there; a primed register (rs1', rs2') is one of x8..x15.

#include "isa/instruction.hpp"
#include "isa/sign_extend.hpp"

namespace croftsim {
namespace {

// The half-word's bits [high, low], moved to start at bit `to`.
constexpr std::uint32_t at(std::uint32_t half, int high, int low, int to = 0) {
    return (half >> low & ((2u << (high - low)) - 1)) << to;
}

// Major opcodes, and the four 32-bit formats (section 2.2).
enum : std::uint32_t {
    LOAD = 0x03,
    LOAD_FP = 0x07,
    OP_IMM = 0x13,
    OP_IMM_32 = 0x1b,
    STORE = 0x23,
    STORE_FP = 0x27,
    OP = 0x33,
    LUI = 0x37,
    OP_32 = 0x3b,
    BRANCH = 0x63,
    JALR = 0x67,
    JAL = 0x6f,
};
constexpr std::uint32_t reserved = 0, ebreak = 0x00100073, nop = 0x00000013, byte = 0, half_word = 1, word = 2,
                        double_word = 3, is_unsigned = 4, x0 = 0, ra = 1, sp = 2;
constexpr std::uint32_t subtract = 0x20;  // funct7 of sub and of the arithmetic right shifts

constexpr std::uint32_t r_type(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t funct7, std::uint32_t rd,
                               std::uint32_t rs1, std::uint32_t rs2) {
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr std::uint32_t i_type(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t rd, std::uint32_t rs1,
                               std::uint32_t imm) {
    return imm << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr std::uint32_t s_type(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t rs1, std::uint32_t rs2,
                               std::uint32_t imm) {
    return at(imm, 11, 5, 25) | rs2 << 20 | rs1 << 15 | funct3 << 12 | at(imm, 4, 0, 7) | opcode;
}
constexpr std::uint32_t b_type(std::uint32_t funct3, std::uint32_t rs1, std::uint32_t rs2, std::uint32_t imm) {
    return at(imm, 12, 12, 31) | at(imm, 10, 5, 25) | rs2 << 20 | rs1 << 15 | funct3 << 12 | at(imm, 4, 1, 8) |
           at(imm, 11, 11, 7) | BRANCH;
}
constexpr std::uint32_t j_type(std::uint32_t rd, std::uint32_t imm) {
    return at(imm, 20, 20, 31) | at(imm, 10, 1, 21) | at(imm, 11, 11, 20) | at(imm, 19, 12, 12) | rd << 7 | JAL;
}

// Zcb's loads and stores of bytes and half-words. The offset is at most 3 or 2.
constexpr std::uint32_t short_access(std::uint32_t half) {
    const std::uint32_t base = at(half, 9, 7) + 8, other = at(half, 4, 2) + 8;
    const std::uint32_t byte_offset = at(half, 6, 6) | at(half, 5, 5, 1), half_offset = at(half, 5, 5, 1);
    const bool bit6 = at(half, 6, 6);
    switch (at(half, 12, 10)) {
        case 0:
            return i_type(LOAD, byte | is_unsigned, other, base, byte_offset);  // c.lbu
        case 1:
            return i_type(LOAD, bit6 ? half_word : half_word | is_unsigned, other, base, half_offset);  // c.lh, c.lhu
        case 2:
            return s_type(STORE, byte, base, other, byte_offset);  // c.sb
        case 3:
            return bit6 ? reserved : s_type(STORE, half_word, base, other, half_offset);  // c.sh
        default:
            return reserved;
    }
}

// Zcb's operations on one register.
constexpr std::uint32_t unary(std::uint32_t half) {
    const std::uint32_t rd = at(half, 9, 7) + 8;
    switch (at(half, 4, 2)) {
        case 0:
            return i_type(OP_IMM, 7, rd, rd, 0xff);  // c.zext.b: andi
        case 1:
            return i_type(OP_IMM, 1, rd, rd, 0x604);  // c.sext.b
        case 2:
            return r_type(OP_32, 4, 4, rd, rd, x0);  // c.zext.h
        case 3:
            return i_type(OP_IMM, 1, rd, rd, 0x605);  // c.sext.h
        case 4:
            return r_type(OP_32, 0, 4, rd, rd, x0);  // c.zext.w: add.uw
        case 5:
            return i_type(OP_IMM, 4, rd, rd, 0xfff);  // c.not: xori
        default:
            return reserved;
    }
}

// Quadrant 0: loads and stores on primed registers, and an address on the stack.
constexpr std::uint32_t quadrant_0(std::uint32_t half) {
    const std::uint32_t upper = at(half, 9, 7) + 8, lower = at(half, 4, 2) + 8;
    const std::uint32_t word_offset = at(half, 12, 10, 3) | at(half, 6, 6, 2) | at(half, 5, 5, 6);
    const std::uint32_t double_offset = at(half, 12, 10, 3) | at(half, 6, 5, 6);
    switch (half >> 13) {
        case 0: {  // c.addi4spn; an immediate of zero is reserved, and the half-word 0 is the defined illegal one
            const std::uint32_t imm = at(half, 12, 11, 4) | at(half, 10, 7, 6) | at(half, 6, 6, 2) | at(half, 5, 5, 3);
            return imm == 0 ? reserved : i_type(OP_IMM, 0, lower, sp, imm);
        }
        case 1:
            return i_type(LOAD_FP, double_word, lower, upper, double_offset);  // c.fld
        case 2:
            return i_type(LOAD, word, lower, upper, word_offset);  // c.lw
        case 3:
            return i_type(LOAD, double_word, lower, upper, double_offset);  // c.ld
        case 4:
            return short_access(half);
        case 5:
            return s_type(STORE_FP, double_word, upper, lower, double_offset);  // c.fsd
        case 6:
            return s_type(STORE, word, upper, lower, word_offset);  // c.sw
        case 7:
            return s_type(STORE, double_word, upper, lower, double_offset);  // c.sd
        default:
            return reserved;
    }
}

// c.srli, c.srai, c.andi, and the register operations of CA format.
constexpr std::uint32_t arithmetic(std::uint32_t half) {
    const std::uint32_t rd = at(half, 9, 7) + 8, rs2 = at(half, 4, 2) + 8;
    const std::uint32_t amount = at(half, 12, 12, 5) | at(half, 6, 2);
    switch (at(half, 11, 10)) {
        case 0:
            return i_type(OP_IMM, 5, rd, rd, amount);  // c.srli
        case 1:
            return i_type(OP_IMM, 5, rd, rd, subtract << 5 | amount);  // c.srai
        case 2:
            return i_type(OP_IMM, 7, rd, rd, sign_extend(amount, 6));  // c.andi
    }
    switch (at(half, 12, 12, 2) | at(half, 6, 5)) {
        case 0:
            return r_type(OP, 0, subtract, rd, rd, rs2);  // c.sub
        case 1:
            return r_type(OP, 4, 0, rd, rd, rs2);  // c.xor
        case 2:
            return r_type(OP, 6, 0, rd, rd, rs2);  // c.or
        case 3:
            return r_type(OP, 7, 0, rd, rd, rs2);  // c.and
        case 4:
            return r_type(OP_32, 0, subtract, rd, rd, rs2);  // c.subw
        case 5:
            return r_type(OP_32, 0, 0, rd, rd, rs2);  // c.addw
        case 6:
            return r_type(OP, 0, 1, rd, rd, rs2);  // c.mul
        case 7:
            return unary(half);
        default:
            return reserved;
    }
}

// Quadrant 1: immediates, arithmetic, jumps and branches.
constexpr std::uint32_t quadrant_1(std::uint32_t half) {
    const std::uint32_t rd = at(half, 11, 7), primed = at(half, 9, 7) + 8;
    const std::uint32_t imm = sign_extend(at(half, 12, 12, 5) | at(half, 6, 2), 6);
    const std::uint32_t branch = sign_extend(
        at(half, 12, 12, 8) | at(half, 11, 10, 3) | at(half, 6, 5, 6) | at(half, 4, 3, 1) | at(half, 2, 2, 5), 9);
    switch (half >> 13) {
        case 0:
            return i_type(OP_IMM, 0, rd, rd, imm);  // c.nop, c.addi
        case 1:
            return rd == x0 ? reserved : i_type(OP_IMM_32, 0, rd, rd, imm);  // c.addiw
        case 2:
            return i_type(OP_IMM, 0, rd, x0, imm);  // c.li
        case 3: {
            if (imm == 0) return (rd & 0x11) == 1 ? nop : reserved;  // c.mop.1, c.mop.3, ... c.mop.15
            if (rd != sp) return imm << 12 | rd << 7 | LUI;          // c.lui
            const std::uint32_t stack =
                at(half, 12, 12, 9) | at(half, 6, 6, 4) | at(half, 5, 5, 6) | at(half, 4, 3, 7) | at(half, 2, 2, 5);
            return i_type(OP_IMM, 0, sp, sp, sign_extend(stack, 10));  // c.addi16sp
        }
        case 4:
            return arithmetic(half);
        case 5:  // c.j
            return j_type(
                x0, sign_extend(at(half, 12, 12, 11) | at(half, 11, 11, 4) | at(half, 10, 9, 8) | at(half, 8, 8, 10) |
                                    at(half, 7, 7, 6) | at(half, 6, 6, 7) | at(half, 5, 3, 1) | at(half, 2, 2, 5),
                                12));
        case 6:
            return b_type(0, primed, x0, branch);  // c.beqz
        default:
            return b_type(1, primed, x0, branch);  // c.bnez
    }
}

// Quadrant 2: loads and stores on the stack, moves, jumps to registers.
constexpr std::uint32_t quadrant_2(std::uint32_t half) {
    const std::uint32_t rd = at(half, 11, 7), rs2 = at(half, 6, 2);
    const std::uint32_t load_word = at(half, 12, 12, 5) | at(half, 6, 4, 2) | at(half, 3, 2, 6);
    const std::uint32_t load_double = at(half, 12, 12, 5) | at(half, 6, 5, 3) | at(half, 4, 2, 6);
    const std::uint32_t store_word = at(half, 12, 9, 2) | at(half, 8, 7, 6);
    const std::uint32_t store_double = at(half, 12, 10, 3) | at(half, 9, 7, 6);
    switch (half >> 13) {
        case 0:
            return i_type(OP_IMM, 1, rd, rd, at(half, 12, 12, 5) | rs2);  // c.slli
        case 1:
            return i_type(LOAD_FP, double_word, rd, sp, load_double);  // c.fldsp
        case 2:
            return rd == x0 ? reserved : i_type(LOAD, word, rd, sp, load_word);  // c.lwsp
        case 3:
            return rd == x0 ? reserved : i_type(LOAD, double_word, rd, sp, load_double);  // c.ldsp
        case 4:
            if (!at(half, 12, 12)) {
                if (rs2 != x0) return r_type(OP, 0, 0, rd, x0, rs2);      // c.mv
                return rd == x0 ? reserved : i_type(JALR, 0, x0, rd, 0);  // c.jr
            }
            if (rs2 != x0) return r_type(OP, 0, 0, rd, rd, rs2);    // c.add
            return rd == x0 ? ebreak : i_type(JALR, 0, ra, rd, 0);  // c.ebreak, c.jalr
        case 5:
            return s_type(STORE_FP, double_word, sp, rs2, store_double);  // c.fsdsp
        case 6:
            return s_type(STORE, word, sp, rs2, store_word);  // c.swsp
        default:
            return s_type(STORE, double_word, sp, rs2, store_double);  // c.sdsp
    }
}

}  // namespace

std::uint32_t expand_compressed(std::uint16_t bits) {
    switch (bits & 3) {
        case 0:
            return quadrant_0(bits);
        case 1:
            return quadrant_1(bits);
        case 2:
            return quadrant_2(bits);
        default:
            return reserved;  // the low half of a 32-bit instruction
    }
}

}  // namespace croftsim
