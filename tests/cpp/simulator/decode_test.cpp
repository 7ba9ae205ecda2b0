// The instruction tables, the decoder, the compressed instructions and the disassembler.

#include "isa/instruction.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "isa/disassemble.hpp"

using namespace croftsim;

namespace {

struct Row {
    const char* name;
    Opcode opcode;
    Format format;
    std::uint32_t match, mask;
};

const std::vector<Row> rows = {
#define INSTRUCTION(name, format, match, mask, cost, ...) {#name, Opcode::name, Format::format, match, mask},
#include "isa/instructions.inc"
#undef INSTRUCTION
};

bool rounds(Format format) { return format == Format::float_r || format == Format::float_r4; }

// Puts the fields of a decoded instruction back, from the immediate's bits downwards. The specification's figures say
// where they go ("RISC-V base instruction formats", "R4-type"). It was written apart from the decoder, to check it.
std::uint32_t encode(const Instruction& instruction, const Row& row) {
    const auto imm = static_cast<std::uint32_t>(instruction.imm);
    const auto bit = [&](int from, int to) { return (imm >> from & 1) << to; };
    std::uint32_t bits = row.match | std::uint32_t{instruction.rd} << 7 | std::uint32_t{instruction.rs1} << 15 |
                         std::uint32_t{instruction.rs2} << 20;
    switch (row.format) {
        case Format::I:
        case Format::csr:
        case Format::fence:
        case Format::shift:
            bits |= imm << 20;
            break;
        case Format::S:
            for (int i = 0; i < 5; ++i) bits |= bit(i, 7 + i);
            for (int i = 5; i < 12; ++i) bits |= bit(i, 20 + i);
            break;
        case Format::B:
            for (int i = 1; i < 5; ++i) bits |= bit(i, 7 + i);
            for (int i = 5; i < 11; ++i) bits |= bit(i, 20 + i);
            bits |= bit(11, 7) | bit(12, 31);
            break;
        case Format::U:
            bits |= imm;
            break;
        case Format::J:
            for (int i = 1; i < 11; ++i) bits |= bit(i, 20 + i);
            for (int i = 12; i < 20; ++i) bits |= bit(i, i);
            bits |= bit(11, 20) | bit(20, 31);
            break;
        case Format::constant:
            bits |= imm << 15;
            break;
        case Format::atomic:
            bits |= imm << 25;
            break;
        case Format::float_r:
            bits |= imm << 12;
            break;
        case Format::float_r4:
            bits |= (imm & 7) << 12 | imm >> 3 << 27;
            break;
        case Format::R:
        case Format::none:
            break;
    }
    return bits;
}

}  // namespace

TEST_CASE("every instruction decodes to itself, and its fields encode back to the same bits") {
    std::mt19937 random(1);
    for (const Row& row : rows) {
        CAPTURE(row.name);
        CHECK((row.match & ~row.mask) == 0);
        CHECK((row.match & 3) == 3);
        for (int i = 0; i < 2000; ++i) {
            std::uint32_t bits = row.match | (static_cast<std::uint32_t>(random()) & ~row.mask);
            if (i == 0) bits = row.match;
            if (i == 1) bits = row.match | ~row.mask;
            if (rounds(row.format) && (bits >> 12 & 7) > 4) bits |= 0x7000;  // 5 and 6 are reserved: see below
            const Instruction instruction = decode(bits);
            REQUIRE(instruction.opcode == row.opcode);
            REQUIRE(instruction.length == 4);
            // The specification has rd and rs1 of fence, and all fields of fence.i, ignored.
            if (row.opcode == Opcode::fence) bits &= ~0x000f8f80u;
            if (row.opcode == Opcode::fence_i) bits = row.match;
            REQUIRE(encode(instruction, row) == bits);
        }
    }
}

TEST_CASE("no two instructions overlap") {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            CAPTURE(rows[i].name);
            CAPTURE(rows[j].name);
            CHECK(((rows[i].match ^ rows[j].match) & rows[i].mask & rows[j].mask) != 0);
        }
    }
}

TEST_CASE("random words decode to what a search through the whole table finds") {
    std::mt19937 random(2);
    int legal = 0;
    for (int i = 0; i < 200000; ++i) {
        const std::uint32_t bits = static_cast<std::uint32_t>(random()) | 3;
        Opcode expected = Opcode::illegal;
        for (const Row& row : rows) {
            const std::uint32_t mode = bits >> 12 & 7;
            if ((bits & row.mask) == row.match && !(rounds(row.format) && (mode == 5 || mode == 6))) {
                expected = row.opcode;
            }
        }
        REQUIRE(decode(bits).opcode == expected);
        legal += expected != Opcode::illegal;
    }
    CHECK(legal > 10000);
}

TEST_CASE("immediates at their extremes, and one of every compressed instruction") {
    // Encodings from LLVM's assembler (ziglang 0.17.1); for a compressed one, the text is what it stands for.
    struct Case {
        std::uint32_t bits;
        int length;
        const char* text;
    };
    const std::array cases = {
        Case{0x7ff58513, 4, "addi a0, a1, 2047"},
        Case{0x80058513, 4, "addi a0, a1, -2048"},
        Case{0x8005a503, 4, "lw a0, -2048(a1)"},
        Case{0x7ea5bfa3, 4, "sd a0, 2047(a1)"},
        Case{0x80a5b023, 4, "sd a0, -2048(a1)"},
        Case{0xfffff537, 4, "lui a0, 0xfffff"},
        Case{0x80000517, 4, "auipc a0, 0x80000"},
        Case{0x7ffff517, 4, "auipc a0, 0x7ffff"},
        Case{0x03f59513, 4, "slli a0, a1, 63"},
        Case{0x43f5d513, 4, "srai a0, a1, 63"},
        Case{0x41f5d51b, 4, "sraiw a0, a1, 31"},
        Case{0x7eb50fe3, 4, "beq a0, a1, 0x100ffe"},
        Case{0x80b57063, 4, "bgeu a0, a1, 0xff000"},
        Case{0x7ffff0ef, 4, "jal ra, 0x1ffffe"},
        Case{0x800000ef, 4, "jal ra, 0x0"},
        Case{0x80058567, 4, "jalr a0, -2048(a1)"},
        Case{0xffffd573, 4, "csrrwi a0, 0xfff, 31"},
        Case{0x0ff0000f, 4, "fence iorw, iorw"},
        Case{0x8330000f, 4, "fence.tso"},
        Case{0x0100000f, 4, "fence w, 0"},
        Case{0x06c5a52f, 4, "amoadd.w.aqrl a0, a2, (a1)"},
        Case{0x1405b52f, 4, "lr.d.aq a0, (a1)"},
        Case{0xfac5f543, 4, "fmadd.d fa0, fa1, fa2, ft11, dyn"},
        Case{0xc2359553, 4, "fcvt.lu.d a0, fa1, rtz"},
        Case{0x0041200f, 4, "cbo.zero (sp)"},
        Case{0x0015250b, 4, "illegal 0x0015250b"},
        Case{0x0005a50b, 4, "croft.watch.w a0, (a1)"},
        Case{0x1fe8, 2, "addi a0, sp, 1020"},
        Case{0x0048, 2, "addi a0, sp, 4"},
        Case{0x5de8, 2, "lw a0, 124(a1)"},
        Case{0x7de8, 2, "ld a0, 248(a1)"},
        Case{0xdde8, 2, "sw a0, 124(a1)"},
        Case{0xfde8, 2, "sd a0, 248(a1)"},
        Case{0x3de8, 2, "fld fa0, 248(a1)"},
        Case{0xbde8, 2, "fsd fa0, 248(a1)"},
        Case{0x0001, 2, "addi zero, zero, 0"},
        Case{0x1501, 2, "addi a0, a0, -32"},
        Case{0x057d, 2, "addi a0, a0, 31"},
        Case{0x3501, 2, "addiw a0, a0, -32"},
        Case{0x457d, 2, "addi a0, zero, 31"},
        Case{0x617d, 2, "addi sp, sp, 496"},
        Case{0x7101, 2, "addi sp, sp, -512"},
        Case{0x657d, 2, "lui a0, 0x1f"},
        Case{0x7501, 2, "lui a0, 0xfffe0"},
        Case{0x917d, 2, "srli a0, a0, 63"},
        Case{0x957d, 2, "srai a0, a0, 63"},
        Case{0x9901, 2, "andi a0, a0, -32"},
        Case{0xaffd, 2, "jal zero, 0x1007fe"},
        Case{0xb001, 2, "jal zero, 0xff800"},
        Case{0xcd7d, 2, "beq a0, zero, 0x1000fe"},
        Case{0xf101, 2, "bne a0, zero, 0xfff00"},
        Case{0x157e, 2, "slli a0, a0, 63"},
        Case{0x557e, 2, "lw a0, 252(sp)"},
        Case{0x757e, 2, "ld a0, 504(sp)"},
        Case{0xdfaa, 2, "sw a0, 252(sp)"},
        Case{0xffaa, 2, "sd a0, 504(sp)"},
        Case{0x357e, 2, "fld fa0, 504(sp)"},
        Case{0xbfaa, 2, "fsd fa0, 504(sp)"},
        Case{0x8502, 2, "jalr zero, (a0)"},
        Case{0x9502, 2, "jalr ra, (a0)"},
        Case{0x852e, 2, "add a0, zero, a1"},
        Case{0x952e, 2, "add a0, a0, a1"},
        Case{0x9002, 2, "ebreak"},
        Case{0x8d0d, 2, "sub a0, a0, a1"},
        Case{0x8d2d, 2, "xor a0, a0, a1"},
        Case{0x8d4d, 2, "or a0, a0, a1"},
        Case{0x8d6d, 2, "and a0, a0, a1"},
        Case{0x9d0d, 2, "subw a0, a0, a1"},
        Case{0x9d2d, 2, "addw a0, a0, a1"},
        Case{0x9016, 2, "add zero, zero, t0"},  // c.ntl.all
        Case{0xf0108553, 4, "fli.s fa0, min"},
        Case{0xf2110553, 4, "fli.d fa0, 0.0000152587890625"},
        Case{0xcdf5c573, 4, "mop.r.31 a0, a1"},
        Case{0xcec5c573, 4, "mop.rr.7 a0, a1, a2"},
        Case{0x28c7452f, 4, "amocas.q a0, a2, (a4)"},
        Case{0xc2851553, 4, "fcvtmod.w.d a0, fa0, rtz"},
        Case{0x81e8, 2, "lbu a0, 3(a1)"},
        Case{0x85a8, 2, "lhu a0, 2(a1)"},
        Case{0x85e8, 2, "lh a0, 2(a1)"},
        Case{0x89e8, 2, "sb a0, 3(a1)"},
        Case{0x8da8, 2, "sh a0, 2(a1)"},
        Case{0x9d4d, 2, "mul a0, a0, a1"},
        Case{0x9d61, 2, "andi a0, a0, 255"},
        Case{0x9d65, 2, "sext.b a0, a0"},
        Case{0x9d69, 2, "zext.h a0, a0"},
        Case{0x9d6d, 2, "sext.h a0, a0"},
        Case{0x9d71, 2, "add.uw a0, a0, zero"},
        Case{0x9d75, 2, "xori a0, a0, -1"},
        Case{0x6281, 2, "addi zero, zero, 0"},  // c.mop.5
    };
    for (const Case& expected : cases) {
        CHECK(disassemble(expected.bits, 0x100000) == std::string(expected.text));
        CHECK(decode(expected.bits).length == expected.length);
    }
    // Only the low half counts for a compressed instruction.
    CHECK(disassemble(0xffff0000u | 0x9d2d, 0) == std::string("addw a0, a0, a1"));
}

TEST_CASE("reserved encodings are illegal") {
    const std::array<std::uint32_t, 43> words = {
        0xffffffff,  // the all-ones word
        0x0000001f,  // the start of an instruction of 48 bits
        0x0000003f,
        0x0000007f,  // of 64 bits, of more
        0x04101013,  // slli with a bit above its amount set
        0x0205101b,  // slliw by 32
        0x0200501b,
        0x4200501b,  // srliw and sraiw by 32
        0x80000033,
        0x40001033,  // OP with an unknown funct7; a subtracting sll
        0x00001067,  // jalr with funct3 1
        0x00002063,
        0x00003063,               // branches with funct3 2 and 3
        0x00007003,               // a load of funct3 7
        0x00004023,               // a store of funct3 4
        0x0000302f | 0x38000000,  // an atomic of an unknown funct5
        0x1000102f,               // an lr of a half-word
        0x280040af,               // amocas.q of the pair that would begin with ra
        0x2810402f,               // amocas.q with rs2 = ra
        0x0000402f,               // another atomic of a pair
        0x1010202f,               // lr.w with rs2 = x1
        0x00005053,
        0x00006053,  // fadd.s with the reserved rounding modes 5 and 6
        0x00005043,
        0x02006043,  // fmadd with them
        0x04000053,
        0x06000053,            // arithmetic of half and quad precision
        0x00004007,            // flq
        0xf4100053,            // fli.h
        0x44400053,            // fround.h
        0x44000053 | 2 << 20,  // half to half
        0xc2800053,            // fcvtmod.w.d with another rounding mode than rtz
        0x60301013,            // between cpop and sext.b
        0x58100053,            // fsqrt.s with rs2 = 1
        0x20003053,            // fsgnj with funct3 3
        0xc0400053,            // fcvt with an unknown integer type
        0x40000053,            // single to single
        0x000000f3,
        0x00200173,  // ecall with rd = x1; uret with rd = x2
        0x30200073,
        0x10500073,           // mret, wfi: not for user programs
        0x00000073 | 0x4000,  // SYSTEM with funct3 4
        0x0010250b,           // croft.watch with an offset
    };
    for (const std::uint32_t bits : words) {
        CAPTURE(bits);
        const Instruction instruction = decode(bits);
        CHECK(instruction.opcode == Opcode::illegal);
        CHECK(static_cast<std::uint32_t>(instruction.imm) == bits);
        CHECK(instruction.length == 4);
    }
    // A fence with a reserved mode, or with reserved registers, is a fence.
    CHECK(decode(0xf330000f).opcode == Opcode::fence);
    CHECK(decode(0x0ff08f8f).opcode == Opcode::fence);
    CHECK(decode(0x7ff0908f).opcode == Opcode::fence_i);
}

TEST_CASE("all half-words") {
    // LLVM's disassembler 14.0.6 takes 46,775 of the 49,152 half-words that are not the low half of a longer
    // instruction. Among them are the half-word 0 (as c.unimp), and c.lui with the reserved immediate 0 (31 of them),
    // which this decoder does not take. The hash is over all expansions. All but 397 of them were assembled with LLVM
    // (ziglang 0.17.1), which compressed each back to the same half-word (tests/python/test_assembler.py does it
    // again). An assembler has no reason to choose those 397 (394 hints, three second names). Their expansion was
    // compared with what LLVM disassembles. Zcb has 1,008 more, which LLVM 14 did not know and which were assembled
    // likewise, and Zcmop 8, which stand for a nop.
    std::uint32_t valid = 0;
    std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (std::uint32_t half = 0; half <= 0xffff; ++half) {
        const std::uint32_t whole = expand_compressed(static_cast<std::uint16_t>(half));
        const Instruction instruction = decode(half);
        valid += whole != 0;
        for (int i = 0; i < 32; i += 8) hash = (hash ^ (whole >> i & 0xff)) * 0x100000001b3u;
        if ((half & 3) == 3) {
            REQUIRE(whole == 0);
            continue;
        }
        REQUIRE(instruction.length == 2);
        REQUIRE((instruction.opcode == Opcode::illegal) == (whole == 0));
        if (whole == 0) {
            REQUIRE(instruction.imm == static_cast<std::int32_t>(half));
        } else {
            const Instruction expanded = decode(whole);
            REQUIRE(expanded.opcode == instruction.opcode);
            REQUIRE(expanded.rd == instruction.rd);
            REQUIRE(expanded.rs1 == instruction.rs1);
            REQUIRE(expanded.rs2 == instruction.rs2);
            REQUIRE(expanded.imm == instruction.imm);
        }
    }
    CHECK(valid == 46775 - 1 - 31 + 1008 + 8);
    CHECK(hash == 3879645075499247659u);
    for (const std::uint32_t reserved :
         {0x0000, 0x2001, 0x4002, 0x6002, 0x6001, 0x6101, 0x6201, 0x6881, 0x8002, 0x8c40, 0x9000, 0x9c79, 0x9c7d}) {
        CAPTURE(reserved);
        CHECK(expand_compressed(static_cast<std::uint16_t>(reserved)) == 0);
    }
}

TEST_CASE("names, registers and costs follow from the tables") {
    CHECK(std::string(name_of(Opcode::and_)) == "and");
    CHECK(std::string(name_of(Opcode::amoadd_w)) == "amoadd.w");
    CHECK(std::string(name_of(Opcode::fcvt_d_s)) == "fcvt.d.s");
    CHECK(std::string(name_of(Opcode::fence_i)) == "fence.i");
    CHECK(std::string(name_of(Opcode::croft_watch_d)) == "croft.watch.d");
    CHECK(std::string(name_of(Opcode::croft_enter)) == "croft.enter");
    CHECK(std::string(name_of(Opcode::illegal)) == "illegal");
    CHECK(cost_of(Opcode::divuw) == Cost::divide);
    CHECK(cost_of(Opcode::fnmadd_d) == Cost::float_fused);

    const auto banks = [](Opcode opcode, Bank rd, Bank rs1, Bank rs2, Bank rs3) {
        CAPTURE(name_of(opcode));
        const Registers registers = registers_of(opcode);
        CHECK(registers.rd == rd);
        CHECK(registers.rs1 == rs1);
        CHECK(registers.rs2 == rs2);
        CHECK(registers.rs3 == rs3);
    };
    constexpr Bank none = Bank::none, integer = Bank::integer, floating = Bank::floating;
    banks(Opcode::add, integer, integer, integer, none);
    banks(Opcode::lui, integer, none, none, none);
    banks(Opcode::jal, integer, none, none, none);
    banks(Opcode::jalr, integer, integer, none, none);
    banks(Opcode::beq, none, integer, integer, none);
    banks(Opcode::sd, none, integer, integer, none);
    banks(Opcode::sc_w, integer, integer, integer, none);
    banks(Opcode::lr_w, integer, integer, none, none);
    banks(Opcode::csrrwi, integer, none, none, none);
    banks(Opcode::csrrw, integer, integer, none, none);
    banks(Opcode::fsd, none, integer, floating, none);
    banks(Opcode::flw, floating, integer, none, none);
    banks(Opcode::fmadd_s, floating, floating, floating, floating);
    banks(Opcode::feq_d, integer, floating, floating, none);
    banks(Opcode::fcvt_s_w, floating, integer, none, none);
    banks(Opcode::fcvt_d_s, floating, floating, none, none);
    banks(Opcode::fmv_x_w, integer, floating, none, none);
    banks(Opcode::fence, none, none, none, none);
    banks(Opcode::amocas_q, integer, integer, integer, none);
    banks(Opcode::fli_d, floating, none, none, none);
    banks(Opcode::fcvt_h_d, floating, floating, none, none);
    banks(Opcode::fsh, none, integer, floating, none);
    banks(Opcode::mop_rr, integer, none, none, none);
    banks(Opcode::ecall, none, none, none, none);
    banks(Opcode::cbo_zero, none, integer, none, none);
    banks(Opcode::cbo_clean, none, integer, none, none);
    banks(Opcode::croft_mark, none, integer, none, none);
    banks(Opcode::croft_enter, none, integer, none, none);
    banks(Opcode::croft_leave, none, none, none, none);
}
