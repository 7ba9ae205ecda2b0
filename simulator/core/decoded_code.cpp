#include "core/decoded_code.hpp"

#include <algorithm>
#include <map>

#include "base/one_of.hpp"
#include "contract/requester.hpp"
#include "core/instruction_at.hpp"

namespace croftsim {
namespace {

Handling handling_of(Opcode opcode) {
    if (is_one_of(opcode, {Opcode::illegal, Opcode::uret, Opcode::cbo_zero})) return Handling::serial;
    if (opcode == Opcode::jal) return Handling::jump;
    if (opcode == Opcode::jalr) return Handling::jump_register;
    const Cost cost = cost_of(opcode);
    if (cost == Cost::branch) return Handling::branch;
    if (cost == Cost::load) return Handling::load;
    if (cost == Cost::store) return Handling::store;
    const bool is_serial =
        is_one_of(cost, {Cost::atomic, Cost::fence, Cost::csr, Cost::system, Cost::send, Cost::push, Cost::receive});
    return is_serial ? Handling::serial : Handling::computes;
}

IssueUnit unit_of(Cost cost) {
    if (is_one_of(cost, {Cost::branch, Cost::jump})) return IssueUnit::branch;
    if (is_one_of(cost, {Cost::load, Cost::store})) return IssueUnit::memory;
    if (is_one_of(cost, {Cost::multiply, Cost::divide})) return IssueUnit::multiply;
    if (is_one_of(cost, {Cost::float_compare, Cost::float_add, Cost::float_convert})) return IssueUnit::floating;
    const bool multiplies = is_one_of(
        cost, {Cost::float_move, Cost::float_multiply, Cost::float_fused, Cost::float_divide, Cost::float_sqrt});
    return multiplies ? IssueUnit::float_multiply : IssueUnit::alu;
}

LoadType type_of(Opcode opcode) {
    if (opcode == Opcode::lb) return LoadType::i8;
    if (is_one_of(opcode, {Opcode::lbu, Opcode::sb})) return LoadType::u8;
    if (opcode == Opcode::lh) return LoadType::i16;
    if (is_one_of(opcode, {Opcode::lhu, Opcode::sh})) return LoadType::u16;
    if (opcode == Opcode::lw) return LoadType::i32;
    if (is_one_of(opcode, {Opcode::lwu, Opcode::sw})) return LoadType::u32;
    if (is_one_of(opcode, {Opcode::flh, Opcode::fsh})) return LoadType::half;
    if (is_one_of(opcode, {Opcode::flw, Opcode::fsw})) return LoadType::single;
    return is_one_of(opcode, {Opcode::fld, Opcode::fsd}) ? LoadType::real : LoadType::i64;
}

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
    Decoded decoded;
    decoded.opcode = instruction.opcode;
    decoded.latency = static_cast<std::uint16_t>(core_.cost[static_cast<std::size_t>(cost)]);
    decoded.imm = instruction.imm;
    decoded.handling = handling_of(instruction.opcode);
    decoded.unit = unit_of(cost);
    decoded.keeps_unit = cost == Cost::divide || cost == Cost::float_divide || cost == Cost::float_sqrt;
    decoded.length = instruction.length;
    const auto [rd, sources] = operands_of(instruction);
    decoded.rd = rd;
    decoded.sources = sources;
    const Format format = format_of(instruction.opcode);
    if (format == Format::float_r || format == Format::float_r4)
        decoded.rounding = static_cast<std::uint8_t>(instruction.imm & 7);
    if (is_access(decoded.handling)) {
        decoded.type = type_of(instruction.opcode);
        decoded.size = static_cast<std::uint8_t>(size_of(decoded.type));
        decoded.allocates =
            decoded.handling != Handling::store || !is_no_allocate_hint(instruction_at(memory_, pc - 4));
    }
    let_pass(instruction, decoded);
    decoded.linkage = linkage_of(instruction);
    decoded.returns = decoded.handling == Handling::jump_register && is_link(instruction.rs1) &&
                      !(is_link(instruction.rd) && instruction.rd == instruction.rs1);
    // A reserved mode of its own is decided when it is executed, like frm's.
    if (decoded.rounding > 4 && decoded.rounding != 7) decoded.handling = Handling::serial;
    decoded.may_be_serial = decoded.handling == Handling::serial || decoded.rounding == 7;
    return decoded;
}

// Instructions that are serial elsewhere.
void DecodedCode::let_pass(const Instruction& instruction, Decoded& decoded) const {
    const auto computes_nothing = [&] {
        decoded.handling = Handling::computes;
        decoded.latency = 1;
        decoded.rd = no_register;
        decoded.sources = {no_register, no_register, no_register};
    };
    const auto ordered = static_cast<std::uint8_t>(instruction.imm);
    const bool orders_stores_before_loads = (ordered >> 4 & 5) && (ordered & 10);
    if (passing_.fences && instruction.opcode == Opcode::fence && !orders_stores_before_loads) {
        computes_nothing();
        decoded.options = ordered;
    }
    // A hint that caches in levels leave alone.
    if (passing_.forwards && instruction.opcode == Opcode::croft_allocate) computes_nothing();
    // If it is synchronous, it waits alone.
    if (passing_.forwards && instruction.opcode == Opcode::croft_forward && !(instruction.rs2 & Forward::synchronous)) {
        decoded.handling = Handling::store;
        decoded.unit = IssueUnit::memory;
        decoded.latency = static_cast<std::uint16_t>(core_.cost[static_cast<std::size_t>(Cost::store)]);
        decoded.sources[1] = no_register;
        decoded.imm = 0;
        decoded.size = 1;
        decoded.forwards = true;
        decoded.options = instruction.rs2;
    }
}

}  // namespace croftsim
