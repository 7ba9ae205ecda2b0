#include "isa/disassemble.hpp"

#include <array>
#include <initializer_list>
#include <string_view>

#include "base/hexadecimal.hpp"
#include "base/one_of.hpp"
#include "isa/floating_point_constant.hpp"
#include "isa/instruction.hpp"

namespace croftsim {
namespace {

// The names of the standard calling convention (psABI, "Register Convention").
constexpr std::array<const char*, 32> integer_names = {
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
    "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
constexpr std::array<const char*, 32> floating_names = {
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
    "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};
constexpr std::array<const char*, 8> rounding_names = {"rne", "rtz", "rdn", "rup", "rmm", "", "", "dyn"};
constexpr std::array<const char*, 4> ordering_suffixes = {"", ".rl", ".aq", ".aqrl"};

std::string register_name(Bank bank, unsigned number) {
    if (bank == Bank::none) return {};
    return (bank == Bank::floating ? floating_names : integer_names).at(number);
}

std::string csr_name(std::int32_t number) {
    switch (number) {
        case 0x001:
            return "fflags";
        case 0x002:
            return "frm";
        case 0x003:
            return "fcsr";
        case 0xc00:
            return "cycle";
        case 0xc01:
            return "time";
        case 0xc02:
            return "instret";
        default:
            return hexadecimal(static_cast<std::uint64_t>(number));
    }
}

// One side of a fence: device input, device output, memory reads, memory writes.
std::string fence_set(std::int32_t set) {
    std::string letters;
    for (int i = 0; i < 4; ++i) {
        if (set & 8 >> i) letters += "iorw"[i];
    }
    return letters.empty() ? "0" : letters;
}

std::string join(std::string name, std::initializer_list<std::string_view> operands) {
    const char* separator = " ";
    for (const std::string_view operand : operands) {
        if (operand.empty()) continue;
        name += separator;
        name += operand;
        separator = ", ";
    }
    return name;
}

// "mop.r.N", with the number that the bits of the immediate are (chapter "Zimop").
std::string may_be_operation(const Instruction& instruction, const std::string& rd) {
    const auto imm = static_cast<std::uint32_t>(instruction.imm);
    const auto field = [&](int low, std::uint32_t mask, int to) { return (imm >> low & mask) << to; };
    const std::string rs1 = register_name(Bank::integer, instruction.rs1);
    if (instruction.opcode == Opcode::mop_r)
        return join("mop.r." + std::to_string(field(10, 1, 4) | field(6, 3, 2) | field(0, 3, 0)), {rd, rs1});
    return join("mop.rr." + std::to_string(field(10, 1, 2) | field(6, 3, 0)),
                {rd, rs1, register_name(Bank::integer, imm & 31)});
}

// Loads, jalr, cache-block operations and croft.watch name a memory operand; other I-type instructions a number.
bool addresses_memory(const Instruction& instruction) {
    switch (cost_of(instruction.opcode)) {
        case Cost::load:
        case Cost::store:
        case Cost::jump:
        case Cost::atomic:
        case Cost::fence:
            return true;
        default:
            return false;
    }
}

}  // namespace

std::string disassemble(std::uint32_t bits, std::uint64_t pc) {
    const Instruction instruction = decode(bits);
    const std::string name = name_of(instruction.opcode);
    if (instruction.opcode == Opcode::illegal) {
        return name + ' ' + hexadecimal(static_cast<std::uint32_t>(instruction.imm), 8);
    }
    const Registers banks = registers_of(instruction.opcode);
    const std::string rd = register_name(banks.rd, instruction.rd);
    const std::string rs1 = register_name(banks.rs1, instruction.rs1);
    const std::string rs2 = register_name(banks.rs2, instruction.rs2);
    const std::string imm = std::to_string(instruction.imm);
    const std::string target = hexadecimal(pc + static_cast<std::uint64_t>(std::int64_t{instruction.imm}));
    if (is_one_of(instruction.opcode, {Opcode::mop_r, Opcode::mop_rr})) return may_be_operation(instruction, rd);
    if (instruction.opcode == Opcode::fcvtmod_w_d) return join(name, {rd, rs1, "rtz"});  // it has no other mode
    switch (format_of(instruction.opcode)) {
        case Format::R:
            return join(name, {rd, rs1, rs2});
        case Format::I:
            if (!addresses_memory(instruction)) return join(name, {rd, rs1, imm});
            return join(name, {rd, (instruction.imm ? imm : std::string()) + '(' + rs1 + ')'});
        case Format::S:
            return join(name, {rs2, imm + '(' + rs1 + ')'});
        case Format::B:
            return join(name, {rs1, rs2, target});
        case Format::U:
            return join(name, {rd, hexadecimal(static_cast<std::uint32_t>(instruction.imm) >> 12)});
        case Format::J:
            return join(name, {rd, target});
        case Format::shift:
            return join(name, {rd, rs1, imm});
        case Format::constant:
            return join(name, {rd, fp::constants.at(static_cast<std::size_t>(instruction.imm)).text});
        case Format::csr:
            return join(name, {rd, csr_name(instruction.imm), rs1.empty() ? std::to_string(instruction.rs1) : rs1});
        case Format::atomic:
            return join(name + ordering_suffixes.at(static_cast<std::size_t>(instruction.imm)),
                        {rd, rs2, '(' + rs1 + ')'});
        case Format::fence:
            if (instruction.imm == 0x833) return "fence.tso";
            return join(name, {fence_set(instruction.imm >> 4), fence_set(instruction.imm)});
        case Format::float_r:
            return join(name, {rd, rs1, rs2, rounding_names.at(static_cast<std::size_t>(instruction.imm))});
        case Format::float_r4:
            return join(name, {rd, rs1, rs2, register_name(banks.rs3, static_cast<unsigned>(instruction.imm) >> 3),
                               rounding_names.at(static_cast<std::size_t>(instruction.imm) & 7)});
        case Format::none:
            return name;
    }
    return name;
}

}  // namespace croftsim
