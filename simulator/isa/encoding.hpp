#pragma once
// The tables as data: what the decoder compares with, and what the semantics say about an instruction's registers.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "isa/instruction.hpp"

namespace croftsim {

struct Encoding {
    std::uint32_t match = 0, mask = 0;
    Format format = Format::none;
    Cost cost = Cost::system;
    Registers registers;
    std::array<char, 24> mnemonic{};
};

namespace encoding_detail {

// The words of the vocabulary that use a register without naming it in the table's line.
constexpr Registers registers_in(std::string_view semantics) {
    const auto any = [&](auto... words) { return ((semantics.find(words) != std::string_view::npos) || ...); };
    Registers registers;
    if (any("RD =", "LOAD(", "LOAD_RESERVED", "STORE_CONDITIONAL", "ATOMIC", "WATCH", "CSR(", "JUMP")) {
        registers.rd = Bank::integer;
    } else if (any("FD(", "FS(", "FH(", "LOAD_HALF", "LOAD_SINGLE", "LOAD_DOUBLE")) {
        registers.rd = Bank::floating;
    }
    if (any("RS1", "LOAD", "STORE", "ATOMIC", "WATCH", "CACHE_ZERO", "JUMP_REGISTER")) {
        registers.rs1 = Bank::integer;
    } else if (any("FD1", "FS1", "FH1")) {
        registers.rs1 = Bank::floating;
    }
    if (any("RS2", "STORE(", "STORE_CONDITIONAL", "ATOMIC")) {
        registers.rs2 = Bank::integer;
    } else if (any("FD2", "FS2", "STORE_HALF", "STORE_SINGLE", "STORE_DOUBLE")) {
        registers.rs2 = Bank::floating;
    }
    if (any("FD3", "FS3")) registers.rs3 = Bank::floating;
    registers.reads_rd = any("ATOMIC_COMPARE");
    return registers;
}

// "amoadd_w" -> "amoadd.w", "xor_" -> "xor"
constexpr std::array<char, 24> mnemonic_of(std::string_view name) {
    std::array<char, 24> mnemonic{};
    if (name.ends_with('_')) name.remove_suffix(1);
    for (std::size_t i = 0; i < name.size(); ++i) mnemonic.at(i) = name[i] == '_' ? '.' : name[i];
    return mnemonic;
}

}  // namespace encoding_detail

inline constexpr std::size_t opcode_count = static_cast<std::size_t>(Opcode::count);

// Indexed by Opcode. The mask of Opcode::illegal is 0 and its match is not: nothing belongs to it.
inline constexpr std::array<Encoding, opcode_count> encodings = {{
    {1, 0, Format::none, Cost::system, {}, encoding_detail::mnemonic_of("illegal")},
#define INSTRUCTION(name, format, match, mask, cost, ...) \
    {match,                                               \
     mask,                                                \
     Format::format,                                      \
     Cost::cost,                                          \
     encoding_detail::registers_in(#__VA_ARGS__),         \
     encoding_detail::mnemonic_of(#name)},
#include "isa/instructions.inc"
#undef INSTRUCTION
}};

constexpr const Encoding& encoding_of(Opcode opcode) { return encodings[static_cast<std::size_t>(opcode)]; }

}  // namespace croftsim
