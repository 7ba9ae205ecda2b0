#pragma once
// Machines with out-of-order cores, and what tests of them share.

#include <vector>

#include "interrupt_programs.hpp"

namespace croftsim {

inline constexpr Word mul(Word rd, Word rs1, Word rs2) { return 0x02000033 | rs2 << 20 | rs1 << 15 | rd << 7; }
inline constexpr Word div_(Word rd, Word rs1, Word rs2) { return 0x02004033 | rs2 << 20 | rs1 << 15 | rd << 7; }
inline constexpr Word jal(Word rd, std::int32_t offset) {
    const auto bits = static_cast<Word>(offset);
    return (bits >> 20 & 1) << 31 | (bits >> 1 & 0x3ff) << 21 | (bits >> 11 & 1) << 20 | (bits >> 12 & 0xff) << 12 |
           rd << 7 | 0x6f;
}
inline constexpr Word ret = 0x00008067;

inline MachineDescription one_big() {
    MachineDescription machine = four_by_four({});
    machine.cores = 1;
    machine.network.columns = machine.network.rows = 1;
    machine.shared = SharedCacheDescription{four_by_four_home, 65536, 8, {{0, 0}}};
    machine.memory.controllers = {{0, 0}};
    CoreKind kind{"big", 1, Protocol::mesi, eight_by_eight().kinds[0].core, {65536, 64, 2, 1}};
    kind.core.outstanding_stores = 4;
    kind.core.cost[static_cast<std::size_t>(Cost::multiply)] = 3;
    kind.core.cost[static_cast<std::size_t>(Cost::divide)] = 20;
    kind.out_of_order = OutOfOrderDescription{};
    machine.kinds = {kind};
    return machine;
}

inline OutOfOrderDescription& window_of(MachineDescription& machine) { return *machine.kinds[0].out_of_order; }

// Four big cores, and four of each kind of tiny one.
inline MachineDescription mixed() {
    MachineDescription machine = four_by_four({Protocol::mesi, Protocol::denovo, Protocol::gpu_wt, Protocol::gpu_wb});
    machine.kinds[0].name = "big";
    machine.kinds[0].l1d.size = 1024;
    OutOfOrderDescription window;
    window.issue_queue = 12;
    window.l1_accesses = 1;
    window.same_line = OutOfOrderDescription::SameLine::blocks;
    window.entry_reuse = window.register_reuse = 3;
    window.load_reuse = window.store_delay = 2;
    machine.kinds[0].out_of_order = window;
    return machine;
}

inline std::vector<Word> times(std::size_t count, Word instruction) { return std::vector<Word>(count, instruction); }

// Cycles between two rdcycles around `code`. An empty window takes one.
inline std::uint64_t cycles_of(const std::vector<Word>& before, const std::vector<Word>& code,
                               const MachineDescription& machine = one_big()) {
    Bare bare(machine);
    std::vector<Word> all = before;
    all.push_back(rdcycle(30));
    append(all, code);
    all.push_back(rdcycle(31));
    bare.give(0, all, BareMachine::data(0));
    bare.run();
    return bare.x(0, 31) - bare.x(0, 30);
}

}  // namespace croftsim
