#include "core/block_cache.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "cache/line_cache.hpp"
#include "core/instruction_at.hpp"
#include "core/interpreter.hpp"
#include "core/issue_schedule.hpp"

namespace croftsim {
namespace {

constexpr std::uint32_t largest_offset = 150;  // where a block is cut
constexpr std::uint32_t representable = 255;   // an operation's offset is a byte

bool ends_block(Opcode opcode) {
    const Cost cost = cost_of(opcode);
    return cost == Cost::branch || cost == Cost::jump || opcode == Opcode::ecall || opcode == Opcode::ebreak ||
           opcode == Opcode::fence_i || opcode == Opcode::uret;
}

}  // namespace

BlockCache::BlockCache(const CoreDescription& core, const CacheDescription& l1, const AddressSpace& memory,
                       std::size_t longest, bool fetches, bool logs, const Landmarks* landmarks)
    : core_(core),
      l1_(l1),
      memory_(memory),
      longest_(longest),
      interpreter_{l1.line == 16, fetches, logs},
      landmarks_(landmarks),
      direct(std::size_t{1} << 16) {}

void BlockCache::forget(const std::vector<const Block*>& in_use) {
    const std::set<const Block*> used(in_use.begin(), in_use.end());
    std::vector<std::unique_ptr<Block>> before = std::exchange(retired_, {});
    for (auto& [pc, block] : blocks_) before.push_back(std::move(block));
    blocks_.clear();
    for (auto& block : before) {
        block->next = block->taken = nullptr;
        if (used.contains(block.get()))
            retired_.push_back(std::move(block));
        else if (interpreter_.logs)
            logged_.push_back(std::move(block));
    }
    std::fill(direct.begin(), direct.end(), nullptr);
}

void BlockCache::serialise(Archive& archive) {
    archive(blocks_, retired_);
    if (archive.loads()) std::fill(direct.begin(), direct.end(), nullptr);
    std::map<std::uint64_t, Block*> ordered;
    for (const auto& [pc, block] : blocks_) ordered[pc] = block.get();
    for (const auto& [pc, block] : ordered) {
        if (block->pc != pc) Archive::damaged();
        serialise_handlers(archive, *block);
    }
    for (const auto& block : retired_) serialise_handlers(archive, *block);
}

// An operation's handler is another place in each process; it goes as a number.
void BlockCache::serialise_handlers(Archive& archive, Block& block) const {
    const std::span<const void* const> all = handlers(interpreter_);
    if (block.ops.empty() || block.pc_offsets.size() != block.ops.size()) Archive::damaged();
    for (Op& op : block.ops) {
        const auto number = static_cast<std::uint64_t>(std::ranges::find(all, op.handler) - all.begin());
        op.handler = all[archive.place(number, all.size()) % all.size()];
        if (op.rd > no_allocate || op.rs1 > 31 || op.rs2 > 31) Archive::damaged();
    }
}

void BlockCache::serialise_place(Archive& archive, Block*& block) {
    const auto place = std::ranges::find_if(retired_, [&](const auto& one) { return one.get() == block; });
    const bool is_retired = place != retired_.end();
    const auto retired = archive.place(
        is_retired ? static_cast<std::uint64_t>(place - retired_.begin()) : Archive::nowhere, retired_.size());
    std::optional<std::uint64_t> pc;
    if (block && !is_retired) pc = block->pc;
    archive(pc);
    if (!archive.loads()) return;
    block = retired == Archive::nowhere ? nullptr : retired_[retired].get();
    if (!pc) return;
    const auto found = blocks_.find(*pc);
    if (found == blocks_.end()) Archive::damaged();
    block = found->second.get();
}

Block* BlockCache::find_slowly(std::uint64_t pc, std::size_t index) {
    auto& block = blocks_[pc];
    if (!block) {
        block = decode_block(pc);
        if (landmarks_) cover_landmarks(*block);
    }
    return direct[index] = block.get();
}

void BlockCache::cover_landmarks(Block& block) {
    for (std::size_t i = 0; i < block.instructions; ++i) {
        Op& op = block.ops[i];
        if (landmarks_->at(block.pc_of(&op)).empty()) continue;
        covered_[&op] = op.handler;
        op.handler = handler_of(Terminator::landmark, interpreter_);
    }
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
    IssueSchedule schedule(core_, l1_);
    std::uint32_t loads = 0, stores = 0;

    const auto emit = [&](const void* handler, const Instruction& instruction, std::uint32_t offset) {
        block->ops.push_back({handler, instruction.rd, instruction.rs1, instruction.rs2,
                              static_cast<std::uint8_t>(offset), instruction.imm});
        block->pc_offsets.push_back(static_cast<std::uint16_t>(at - pc));
    };
    const auto finish = [&](std::uint32_t cycles) {
        block->cycles = cycles;
        block->cycles_taken = cycles + core_.taken_branch;
        block->slacks = schedule.slacks(cycles);
        block->accesses = loads | (std::uint64_t{stores} << 32);
        block->next_pc = at;
        if (at > pc || memory_.allows(pc, 2, Permission::execute)) {
            block->first_line = line_of(pc);
            block->last_line = line_of(std::max(at, pc + 2) - 1);
            block->lines = static_cast<std::uint32_t>((block->last_line - block->first_line) / line_bytes + 1);
            if (block->lines <= 2) block->second_line = block->last_line;
        }
        return std::move(block);
    };
    const auto cut = [&](std::uint32_t cycles) {
        emit(handler_of(Terminator::fall_through, interpreter_), {}, std::min(cycles, representable));
        return finish(cycles);
    };

    Instruction previous;
    for (;;) {
        if (block->ops.size() == longest_ || schedule.next() > largest_offset) return cut(schedule.end());
        const Instruction instruction = pc & 1 ? Instruction{} : instruction_at(memory_, at);
        // auipc's immediate is relative to the block. It begins one, and so, on a wide core, a cycle. It need not, but
        // tilepro64.toml was calibrated with that: five serial kernels of cilk5 take from 0.2% more to 0.5% fewer
        // cycles there without.
        if (instruction.opcode == Opcode::auipc && at != pc) return cut(schedule.end());
        const std::uint32_t offset = schedule.place(instruction, at);
        if (offset > representable) return cut(offset);
        const Cost cost = cost_of(instruction.opcode);
        const bool hinted = is_no_allocate_hint(previous);
        previous = instruction;
        if (cost == Cost::load) ++loads;
        if (cost == Cost::store) ++stores;
        ++block->instructions;

        Instruction placed = instruction;
        if (placed.rd == 0) placed.rd = 32;  // a floating-point destination is taken modulo 32
        if (hinted && cost == Cost::store) placed.rd = no_allocate;
        emit(handler_of(instruction.opcode, interpreter_), placed, offset);

        if (instruction.opcode == Opcode::illegal) return finish(schedule.end());
        if (ends_block(instruction.opcode)) {
            block->taken_pc = at + static_cast<std::uint64_t>(static_cast<std::int64_t>(instruction.imm));
            at += instruction.length;
            block->linkage = linkage_of(instruction);
            return finish(schedule.end());
        }
        at += instruction.length;
    }
}

}  // namespace croftsim
