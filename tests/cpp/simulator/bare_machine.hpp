#pragma once
// A small machine whose cores run hand-assembled instructions without a kernel, for tests of time and coherence.

#include <initializer_list>
#include <map>
#include <vector>

#include "machine/machine.hpp"

namespace croftsim {

// Just enough of an assembler.
namespace assemble {
using Word = std::uint32_t;
constexpr Word i_type(Word opcode, Word funct3, Word rd, Word rs1, std::int32_t imm) {
    return static_cast<Word>(imm) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr Word lui(Word rd, std::int32_t imm) { return (static_cast<Word>(imm) & 0xfffff000u) | rd << 7 | 0x37; }
constexpr Word addi(Word rd, Word rs1, std::int32_t imm) { return i_type(0x13, 0, rd, rs1, imm); }
constexpr Word lw(Word rd, Word rs1, std::int32_t imm) { return i_type(0x03, 2, rd, rs1, imm); }
constexpr Word sw(Word rs2, Word rs1, std::int32_t imm) {
    const auto bits = static_cast<Word>(imm);
    return (bits >> 5 & 127) << 25 | rs2 << 20 | rs1 << 15 | 2 << 12 | (bits & 31) << 7 | 0x23;
}
constexpr Word add(Word rd, Word rs1, Word rs2) { return rs2 << 20 | rs1 << 15 | rd << 7 | 0x33; }
constexpr Word rdcycle(Word rd) { return i_type(0x73, 2, rd, 0, static_cast<std::int32_t>(0xc00)); }
constexpr Word lr_w(Word rd, Word rs1) { return 0x1000202f | rs1 << 15 | rd << 7; }
constexpr Word sc_w(Word rd, Word rs2, Word rs1) { return 0x1800202f | rs2 << 20 | rs1 << 15 | rd << 7; }
constexpr Word amoadd_w(Word rd, Word rs2, Word rs1) { return 0x0000202f | rs2 << 20 | rs1 << 15 | rd << 7; }
constexpr Word fence = 0x0ff0000f, wrs_nto = 0x00d00073, ecall = 0x00000073;
constexpr Word bnez(Word rs1, std::int32_t offset) {
    const auto bits = static_cast<Word>(offset);
    return (bits >> 12 & 1) << 31 | (bits >> 5 & 63) << 25 | rs1 << 15 | 1 << 12 | (bits >> 1 & 15) << 8 |
           (bits >> 11 & 1) << 7 | 0x63;
}
}  // namespace assemble

inline MachineDescription eight_by_eight() {
    MachineDescription machine;
    machine.name = "test";
    machine.clock_mhz = 1000;
    machine.cores = 64;
    CoreKind& kind = machine.kinds.emplace_back(CoreKind{"", 64, Protocol::ddc, {}, {1024, 16, 2, 2}});
    kind.core.cost.fill(1);
    kind.core.outstanding_stores = 8;
    kind.core.store_buffer_drain = 8;
    kind.l2 = {4096, 64, 2, 8};
    machine.network = {8, 8, 1, 5, 5, 4, 1};
    machine.home = {{6, 2, 4, 6, 4, 4, 0}, HomeDescription::Policy::hashed, 0, 5};
    machine.memory = {{{2, 0}, {5, 7}}, 8192, 60, 70, 16};
    machine.kernel = {200, 200, 10};
    machine.user_network = {5, 5, 128, 16, 7};
    return machine;
}

// Every core runs the code it was given and stops at the ecall that is put behind it. The page at `data(tile)` is homed
// at that tile; all pages begin as zeros.
class BareMachine {
public:
    explicit BareMachine(std::uint32_t window = 0, const MachineDescription& machine = eight_by_eight(),
                         std::uint32_t run_ahead = 64)
        : machine(machine, memory, 0, window, run_ahead) {
        for (std::uint32_t tile = 0; tile < machine.tiles(); ++tile) {
            memory.map(data(tile), AddressSpace::page_bytes, Permission::read | Permission::write);
            memory.set_home(data(tile), AddressSpace::page_bytes, static_cast<std::uint16_t>(tile));
        }
    }

    static constexpr std::uint64_t code_bytes = 4 * AddressSpace::page_bytes;
    static std::uint64_t data(std::uint32_t tile) { return 0x100000 + tile * AddressSpace::page_bytes; }

    // x8 is `base`; the first instruction issues 10 cycles (thread_start) after 0.
    void give(std::uint32_t core, std::vector<std::uint32_t> code, std::uint64_t base) {
        code.push_back(assemble::ecall);
        const std::uint64_t at = 0x1000000 + core * code_bytes;
        memory.map(at, code_bytes, Permission::read | Permission::execute);
        memory.write_dram(at, code.data(), code.size() * 4);
        machine.synchronise_instructions();
        Hart hart;
        hart.pc = at;
        hart.x[8] = base;
        machine.start(core, hart);
    }

    // Until every core is at its ecall.
    void run() {
        if (machine.run(100'000'000, {}) != Machine::Stop::deadlock)
            throw std::logic_error("the test's machine did not come to rest");
    }
    std::uint64_t x(std::uint32_t core, std::uint32_t reg) { return machine.hart(core).x[reg]; }
    std::uint64_t statistic(const char* part, const char* name) const {
        std::uint64_t sum = 0;
        for (const Statistic& row : machine.statistics())
            if (row.part == part && row.name == name) sum += row.value;
        return sum;
    }

    AddressSpace memory;
    Machine machine;
};

}  // namespace croftsim
