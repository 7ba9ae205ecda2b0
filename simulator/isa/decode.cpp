// The decoder: a bucket of candidates by major opcode and funct3, then the first whose fixed bits match. No two
// encodings overlap (tests/cpp/simulator/decode_test.cpp proves it), so the order in a bucket does not matter.

#include "isa/encoding.hpp"
#include "isa/instruction.hpp"
#include "isa/sign_extend.hpp"

namespace croftsim {
namespace {

constexpr std::size_t buckets = 256;

constexpr std::uint32_t bucket_bits(std::size_t bucket) {  // an encoding of this bucket, other bits zero
    return static_cast<std::uint32_t>((bucket >> 3) << 2 | (bucket & 7) << 12 | 3);
}

constexpr std::size_t bucket_of(std::uint32_t bits) { return (bits >> 2 & 31) << 3 | (bits >> 12 & 7); }

constexpr bool belongs(const Encoding& encoding, std::size_t bucket) {
    constexpr std::uint32_t indexed = 0x707f;
    return ((bucket_bits(bucket) ^ encoding.match) & encoding.mask & indexed) == 0;
}

constexpr std::size_t count_candidates() {
    std::size_t count = 0;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        for (std::size_t i = 1; i < opcode_count; ++i) count += belongs(encodings[i], bucket);
    }
    return count;
}

struct Index {
    std::array<std::uint16_t, buckets + 1> first{};  // of a bucket's candidates; they end where the next one's begin
    std::array<std::uint16_t, count_candidates()> candidates{};
};

constexpr Index make_index() {
    Index index;
    std::size_t filled = 0;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        index.first[bucket] = static_cast<std::uint16_t>(filled);
        for (std::size_t i = 1; i < opcode_count; ++i) {
            if (belongs(encodings[i], bucket)) index.candidates[filled++] = static_cast<std::uint16_t>(i);
        }
    }
    index.first[buckets] = static_cast<std::uint16_t>(filled);
    return index;
}

constexpr Index by_bucket = make_index();

Opcode opcode_of(std::uint32_t bits) {
    const std::size_t bucket = bucket_of(bits);
    for (std::size_t i = by_bucket.first[bucket]; i < by_bucket.first[bucket + 1]; ++i) {
        const std::uint16_t candidate = by_bucket.candidates[i];
        if ((bits & encodings[candidate].mask) == encodings[candidate].match) return static_cast<Opcode>(candidate);
    }
    return Opcode::illegal;
}

// The bits [high, low] of an instruction, moved to start at bit `to`.
constexpr std::uint32_t field(std::uint32_t bits, int high, int low, int to = 0) {
    return (bits >> low & ((2u << (high - low)) - 1)) << to;
}

constexpr std::int32_t immediate(Format format, std::uint32_t bits) {
    switch (format) {
        case Format::I:
            return sign_extend(field(bits, 31, 20), 12);
        case Format::S:
            return sign_extend(field(bits, 31, 25, 5) | field(bits, 11, 7), 12);
        case Format::B:
            return sign_extend(
                field(bits, 31, 31, 12) | field(bits, 7, 7, 11) | field(bits, 30, 25, 5) | field(bits, 11, 8, 1), 13);
        case Format::U:
            return static_cast<std::int32_t>(bits & 0xfffff000u);
        case Format::J:
            return sign_extend(
                field(bits, 31, 31, 20) | field(bits, 19, 12, 12) | field(bits, 20, 20, 11) | field(bits, 30, 21, 1),
                21);
        case Format::shift:
            return static_cast<std::int32_t>(field(bits, 25, 20));
        case Format::constant:
            return static_cast<std::int32_t>(field(bits, 19, 15));
        case Format::csr:
        case Format::fence:
            return static_cast<std::int32_t>(field(bits, 31, 20));
        case Format::atomic:
            return static_cast<std::int32_t>(field(bits, 26, 25));
        case Format::float_r:
            return static_cast<std::int32_t>(field(bits, 14, 12));
        case Format::float_r4:
            return static_cast<std::int32_t>(field(bits, 31, 27, 3) | field(bits, 14, 12));
        case Format::R:
        case Format::none:
            return 0;
    }
    return 0;
}

constexpr bool has_rd(Format format) {
    return format != Format::S && format != Format::B && format != Format::fence && format != Format::none;
}
constexpr bool has_rs1(Format format) {
    return format != Format::U && format != Format::J && format != Format::constant && format != Format::fence &&
           format != Format::none;
}
constexpr bool has_rs2(Format format) {
    return format == Format::R || format == Format::S || format == Format::B || format == Format::atomic ||
           format == Format::float_r || format == Format::float_r4;
}

// Rounding modes 5 and 6 are reserved (unprivileged specification, table "Rounding mode encoding"); 7 is dynamic.
constexpr bool rounds_legally(Format format, std::uint32_t bits) {
    if (format != Format::float_r && format != Format::float_r4) return true;
    const std::uint32_t mode = field(bits, 14, 12);
    return mode != 5 && mode != 6;
}

}  // namespace

Instruction decode(std::uint32_t bits) {
    Instruction instruction;
    std::uint32_t whole = bits;
    if ((bits & 3) != 3) {
        instruction.length = 2;
        whole = expand_compressed(static_cast<std::uint16_t>(bits));
    }
    const Opcode opcode = opcode_of(whole);
    const Encoding& encoding = encoding_of(opcode);
    if (opcode == Opcode::illegal || !rounds_legally(encoding.format, whole)) {
        instruction.imm = static_cast<std::int32_t>(instruction.length == 2 ? bits & 0xffff : bits);
        return instruction;
    }
    instruction.opcode = opcode;
    const std::uint32_t fields = whole & ~encoding.mask;
    if (has_rd(encoding.format)) instruction.rd = static_cast<std::uint8_t>(field(fields, 11, 7));
    if (has_rs1(encoding.format)) instruction.rs1 = static_cast<std::uint8_t>(field(fields, 19, 15));
    if (has_rs2(encoding.format)) instruction.rs2 = static_cast<std::uint8_t>(field(fields, 24, 20));
    instruction.imm = immediate(encoding.format, fields);
    return instruction;
}

Cost cost_of(Opcode opcode) { return encoding_of(opcode).cost; }
Format format_of(Opcode opcode) { return encoding_of(opcode).format; }
Registers registers_of(Opcode opcode) { return encoding_of(opcode).registers; }
Operands operands_of(const Instruction& instruction) {
    const auto number_of = [](Bank bank, std::uint32_t field) {
        const std::uint32_t number = bank == Bank::floating ? first_floating + field % 32 : field;
        return static_cast<std::uint8_t>(bank == Bank::none || number == 0 ? no_register : number);
    };
    const Registers banks = registers_of(instruction.opcode);
    return {number_of(banks.rd, instruction.rd),
            {number_of(banks.rs1, instruction.rs1), number_of(banks.rs2, instruction.rs2),
             banks.reads_rd ? number_of(banks.rd, instruction.rd)
                            : number_of(banks.rs3, static_cast<std::uint32_t>(instruction.imm) >> 3)}};
}
const char* name_of(Opcode opcode) { return encoding_of(opcode).mnemonic.data(); }

}  // namespace croftsim
