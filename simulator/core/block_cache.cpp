#include "core/block_cache.hpp"

#include "core/interpreter.hpp"

namespace croftsim {
namespace {

constexpr std::size_t most_instructions = 48;
constexpr std::uint32_t largest_offset = 150;  // an operation's offset is a byte, and the costliest one adds to it

// Whether the instruction needs the result of the load right before it.
bool uses_result(const Instruction& instruction, const Instruction& load) {
    const Registers registers = registers_of(instruction.opcode);
    const Bank bank = registers_of(load.opcode).rd;
    if (bank == Bank::none || (bank == Bank::integer && load.rd == 0)) return false;
    const bool third = format_of(instruction.opcode) == Format::float_r4 && ((instruction.imm >> 3) & 31) == load.rd;
    return (registers.rs1 == bank && instruction.rs1 == load.rd) ||
           (registers.rs2 == bank && instruction.rs2 == load.rd) || (bank == Bank::floating && third);
}

bool ends_block(Opcode opcode) {
    const Cost cost = cost_of(opcode);
    return cost == Cost::branch || cost == Cost::jump || opcode == Opcode::ecall || opcode == Opcode::ebreak ||
           opcode == Opcode::fence_i || opcode == Opcode::uret;
}

}  // namespace

BlockCache::BlockCache(const CoreDescription& core, const CacheDescription& l1, const AddressSpace& memory)
    : core_(core), l1_(l1), memory_(memory), direct(std::size_t{1} << 16) {}

void BlockCache::forget() {
    for (auto& [pc, block] : blocks_) retired_.push_back(std::move(block));
    for (auto& block : retired_) block->next = block->taken = nullptr;
    blocks_.clear();
    std::fill(direct.begin(), direct.end(), nullptr);
}

Block* BlockCache::find_slowly(std::uint64_t pc, std::size_t index) {
    auto& block = blocks_[pc];
    if (!block) block = decode_block(pc);
    return direct[index] = block.get();
}

void BlockCache::count_up_to(const Block& block, const Op* op, std::uint64_t& instructions, std::uint64_t& loads,
                             std::uint64_t& stores) const {
    const auto count = static_cast<std::size_t>(op - block.ops.data());
    for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t bits = 0;
        memory_.read_dram(block.pc + block.pc_offsets[i], &bits, 4);
        const Cost cost = cost_of(decode(bits).opcode);
        loads += cost == Cost::load;
        stores += cost == Cost::store;
    }
    instructions += count;
}

std::unique_ptr<Block> BlockCache::decode_block(std::uint64_t pc) const {
    auto block = std::make_unique<Block>();
    block->pc = pc;
    std::uint64_t at = pc;
    std::uint32_t offset = 0;
    std::uint32_t loads = 0, stores = 0;
    Instruction previous;

    const auto emit = [&](const void* handler, const Instruction& instruction) {
        Op op{};
        op.handler = handler;
        op.rd = instruction.rd;
        op.rs1 = instruction.rs1;
        op.rs2 = instruction.rs2;
        op.offset = static_cast<std::uint8_t>(offset);
        op.imm = instruction.imm;
        block->ops.push_back(op);
        block->pc_offsets.push_back(static_cast<std::uint16_t>(at - pc));
    };
    const auto finish = [&](std::uint32_t cycles, std::uint32_t cycles_taken) {
        block->cycles = cycles;
        block->cycles_taken = cycles_taken;
        block->accesses = loads | (std::uint64_t{stores} << 32);
        block->next_pc = at;
        return std::move(block);
    };

    for (;;) {
        if (block->ops.size() == most_instructions || offset > largest_offset) {
            emit(handler_of(Terminator::fall_through, l1_.line), {});
            return finish(offset, offset);
        }
        Instruction instruction;
        if (!(pc & 1) && memory_.allows(at, 2, Permission::execute)) {
            std::uint32_t bits = 0;
            memory_.read_dram(at, &bits, 2);
            const bool whole = (bits & 3) != 3 || memory_.allows(at + 2, 2, Permission::execute);
            if ((bits & 3) == 3 && whole) memory_.read_dram(at + 2, reinterpret_cast<char*>(&bits) + 2, 2);
            if (whole) instruction = decode(bits);
        }
        // auipc's immediate becomes relative to the block; at its very start that cannot overflow.
        if (instruction.opcode == Opcode::auipc && at != pc) {
            emit(handler_of(Terminator::fall_through, l1_.line), {});
            return finish(offset, offset);
        }
        const Cost cost = cost_of(instruction.opcode);
        if (!block->ops.empty() && cost_of(previous.opcode) == Cost::load && uses_result(instruction, previous))
            offset += l1_.hit - 1;
        const bool hinted = previous.opcode == Opcode::add && previous.rd == 0 && previous.rs1 == 0 &&
                            (previous.rs2 == 3 || previous.rs2 == 5);
        previous = instruction;
        if (cost == Cost::load) ++loads;
        if (cost == Cost::store) ++stores;
        ++block->instructions;

        Instruction placed = instruction;
        if (placed.rd == 0) placed.rd = 32;  // a floating-point destination is taken modulo 32
        if (hinted && cost == Cost::store) placed.rd = no_allocate;
        emit(handler_of(instruction.opcode, l1_.line), placed);

        const std::uint32_t after = offset + core_.cost[static_cast<std::size_t>(cost)];
        if (instruction.opcode == Opcode::illegal) return finish(after, after);
        if (ends_block(instruction.opcode)) {
            block->taken_pc = at + static_cast<std::uint64_t>(static_cast<std::int64_t>(instruction.imm));
            at += instruction.length;
            return finish(after, after + core_.taken_branch);
        }
        offset = after;
        at += instruction.length;
    }
}

}  // namespace croftsim
