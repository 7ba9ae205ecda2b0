#include "core/decoded_code.hpp"

#include <algorithm>
#include <map>

#include "core/instruction_at.hpp"

namespace croftsim {
namespace {

std::uint8_t number_of(Bank bank, std::uint32_t field) {
    if (bank == Bank::floating) return static_cast<std::uint8_t>(first_floating + field % 32);
    return bank == Bank::none || field == 0 ? no_register : static_cast<std::uint8_t>(field);
}

Handling handling_of(Opcode opcode) {
    switch (opcode) {
        case Opcode::illegal:
        case Opcode::uret:
        case Opcode::cbo_zero:
            return Handling::serial;
        case Opcode::jal:
            return Handling::jump;
        case Opcode::jalr:
            return Handling::jump_register;
        default:
            break;
    }
    switch (cost_of(opcode)) {
        case Cost::branch:
            return Handling::branch;
        case Cost::load:
            return Handling::load;
        case Cost::store:
            return Handling::store;
        case Cost::atomic:
        case Cost::fence:
        case Cost::csr:
        case Cost::system:
        case Cost::send:
        case Cost::push:
        case Cost::receive:
            return Handling::serial;
        default:
            return Handling::computes;
    }
}

IssueUnit unit_of(Cost cost) {
    switch (cost) {
        case Cost::branch:
        case Cost::jump:
            return IssueUnit::branch;
        case Cost::load:
        case Cost::store:
            return IssueUnit::memory;
        case Cost::multiply:
        case Cost::divide:
            return IssueUnit::multiply;
        case Cost::float_compare:
        case Cost::float_add:
        case Cost::float_convert:
            return IssueUnit::floating;
        case Cost::float_move:
        case Cost::float_multiply:
        case Cost::float_fused:
        case Cost::float_divide:
        case Cost::float_sqrt:
            return IssueUnit::float_multiply;
        default:
            return IssueUnit::alu;
    }
}

LoadType type_of(Opcode opcode) {
    switch (opcode) {
        case Opcode::lb:
            return LoadType::i8;
        case Opcode::lbu:
        case Opcode::sb:
            return LoadType::u8;
        case Opcode::lh:
            return LoadType::i16;
        case Opcode::lhu:
        case Opcode::sh:
            return LoadType::u16;
        case Opcode::lw:
            return LoadType::i32;
        case Opcode::lwu:
        case Opcode::sw:
            return LoadType::u32;
        case Opcode::flw:
        case Opcode::fsw:
            return LoadType::single;
        case Opcode::fld:
        case Opcode::fsd:
            return LoadType::real;
        default:
            return LoadType::i64;
    }
}

bool is_link(std::uint32_t x) { return x == 1 || x == 5; }

}  // namespace

const Decoded& DecodedCode::look_up(std::uint64_t pc) {
    if (pc & 1) return nothing_;
    Page*& page = direct_[pc / page_bytes % direct_.size()];
    if (!page || page->number != pc / page_bytes) page = &page_of(pc / page_bytes);
    latest_from_ = pc / page_bytes * page_bytes;
    latest_ = page->instructions.data();
    Decoded& decoded = page->instructions[pc % page_bytes / 2];
    if (decoded.length == 0) decoded = decode_at(pc);
    return decoded;
}

// Memory may have other instructions by now than those that have been decoded: a fence.i may be to come.
void DecodedCode::serialise(Archive& archive) {
    std::map<std::uint64_t, Decoded> decoded;  // by pc
    for (const auto& [number, page] : pages_)
        for (std::uint64_t i = 0; i < page->instructions.size(); ++i)
            if (page->instructions[i].length) decoded[number * page_bytes + 2 * i] = page->instructions[i];
    archive(generation_, decoded);
    if (!archive.loads()) return;
    const std::uint64_t generation = generation_;
    forget();
    generation_ = generation;
    for (const auto& [pc, one] : decoded) {
        if (pc & 1 || one.rd > no_register || *std::max_element(one.sources.begin(), one.sources.end()) > no_register)
            Archive::damaged();
        page_of(pc / page_bytes).instructions[pc % page_bytes / 2] = one;
    }
}

DecodedCode::Page& DecodedCode::page_of(std::uint64_t number) {
    auto& page = pages_[number];
    if (!page) {
        page = std::make_unique<Page>();
        page->number = number;
    }
    return *page;
}

Decoded DecodedCode::decode_at(std::uint64_t pc) const {
    const Instruction instruction = instruction_at(memory_, pc);
    const Cost cost = cost_of(instruction.opcode);
    const Registers registers = registers_of(instruction.opcode);
    Decoded decoded;
    decoded.opcode = instruction.opcode;
    decoded.latency = static_cast<std::uint16_t>(core_.cost[static_cast<std::size_t>(cost)]);
    decoded.imm = instruction.imm;
    decoded.handling = handling_of(instruction.opcode);
    decoded.unit = unit_of(cost);
    decoded.keeps_unit = cost == Cost::divide || cost == Cost::float_divide || cost == Cost::float_sqrt;
    decoded.length = instruction.length;
    decoded.rd = number_of(registers.rd, instruction.rd);
    decoded.sources = {number_of(registers.rs1, instruction.rs1), number_of(registers.rs2, instruction.rs2),
                       number_of(registers.rs3, static_cast<std::uint32_t>(instruction.imm) >> 3)};
    decoded.source_count = registers.rs3 != Bank::none   ? 3
                           : registers.rs2 != Bank::none ? 2
                                                         : registers.rs1 != Bank::none;
    const Format format = format_of(instruction.opcode);
    if (format == Format::float_r || format == Format::float_r4)
        decoded.rounding = static_cast<std::uint8_t>(instruction.imm & 7);
    if (is_access(decoded.handling)) {
        decoded.type = type_of(instruction.opcode);
        decoded.size = static_cast<std::uint8_t>(size_of(decoded.type));
    }
    const bool links = is_link(instruction.rd);
    decoded.calls = links && (decoded.handling == Handling::jump || decoded.handling == Handling::jump_register);
    decoded.returns = decoded.handling == Handling::jump_register && is_link(instruction.rs1) &&
                      !(links && instruction.rd == instruction.rs1);
    // A reserved mode of its own is decided when it is executed, like frm's.
    if (decoded.rounding > 4 && decoded.rounding != 7) decoded.handling = Handling::serial;
    decoded.may_be_serial = decoded.handling == Handling::serial || decoded.rounding == 7;
    return decoded;
}

}  // namespace croftsim
