#pragma once
// Machines of 16 cores whose L1s follow one protocol or several, and programs whose critical sections must not lose
// anything on any of them.

#include <string>
#include <vector>

#include "bare_machine.hpp"
#include "l1_protocols.hpp"

namespace croftsim {

using namespace assemble;

inline constexpr HomeTimes four_by_four_home{6, 1, 1, 1, 2, 1, 1};
// A 4 x 4 mesh; an L2 bank and a memory controller at each column. Caches so small that lines leave them all the time.
inline MachineDescription four_by_four(std::vector<Protocol> quarters) {
    MachineDescription machine = eight_by_eight();
    machine.name = "small";
    machine.cores = 16;
    machine.network = {4, 4, 2, 1, 1, 16, 1};
    machine.home.reset();
    machine.shared = SharedCacheDescription{four_by_four_home, 1024, 2, {{0, 0}, {1, 0}, {2, 0}, {3, 0}}};
    machine.memory = {{{0, 0}, {1, 0}, {2, 0}, {3, 0}}, 64, 60, 70, 16};
    machine.user_network.reset();
    const CoreDescription core = machine.kinds.front().core;
    machine.kinds.clear();
    for (std::size_t i = 0; i < quarters.size(); ++i) {
        const std::size_t each = 16 / quarters.size(), last = 16 - each * (quarters.size() - 1);
        const auto count = static_cast<std::uint32_t>(i + 1 < quarters.size() ? each : last);
        CoreKind kind{name_of(quarters[i]), count, quarters[i], core, {512, 64, 2, 1}};
        kind.core.outstanding_stores = 4;
        machine.kinds.push_back(kind);
    }
    return machine;
}

inline constexpr Word amoswap_aq(Word rd, Word rs2, Word rs1) { return 0x0c00202f | rs2 << 20 | rs1 << 15 | rd << 7; }
inline constexpr Word amoswap_rl(Word rd, Word rs2, Word rs1) { return 0x0a00202f | rs2 << 20 | rs1 << 15 | rd << 7; }
inline constexpr Word sub(Word rd, Word rs1, Word rs2) { return 0x40000033 | rs2 << 20 | rs1 << 15 | rd << 7; }
inline constexpr Word or_(Word rd, Word rs1, Word rs2) { return 0x6033 | rs2 << 20 | rs1 << 15 | rd << 7; }

inline void append(std::vector<Word>& code, const std::vector<Word>& more) {
    code.insert(code.end(), more.begin(), more.end());
}

class Bare : public BareMachine {
public:
    explicit Bare(const MachineDescription& machine, std::uint32_t window = 0, std::uint32_t run_ahead = 64)
        : BareMachine(window, machine, run_ahead) {}
};

// The value of the word at an address after sixteen cores have each added 1 to it so many times, by lr and sc.
inline std::uint32_t added_by_reservations(const MachineDescription& machine, std::uint64_t at, int times) {
    Bare bare(machine);
    std::vector<Word> code;
    for (int i = 0; i < times; ++i) append(code, {lr_w(5, 8), addi(5, 5, 1), sc_w(6, 5, 8), bnez(6, -12)});
    for (std::uint32_t core = 0; core < 16; ++core) bare.give(core, code, at);
    bare.run();
    std::uint32_t value = 0;
    bare.machine.read(at, {reinterpret_cast<std::uint8_t*>(&value), 4});
    return value;
}

// Episodes: take a block's lock, look whether all its words are the same, add one to each, give the lock back. Blocks
// are three words of a line that holds two more blocks, and all their locks are far away. So every protocol at once
// shares lines falsely. x9 collects differences.
inline std::vector<Word> episodes(std::uint32_t core, int count, int blocks) {
    std::vector<Word> code{addi(9, 0, 0), addi(11, 0, 1)};
    std::uint32_t random = core * 2654435761u + 12345;
    for (int i = 0; i < count; ++i) {
        random = random * 1664525 + 1013904223;
        const int block = static_cast<int>(random >> 20) % blocks;
        const std::int32_t at = block / 3 * 64 + block % 3 * 16;
        append(code, {addi(10, 8, 1024 + block * 16)});
        append(code, {amoswap_aq(5, 11, 10), bnez(5, -4)});
        append(code, {lw(5, 8, at), lw(6, 8, at + 4), lw(7, 8, at + 8)});
        append(code, {sub(12, 5, 6), or_(9, 9, 12), sub(12, 5, 7), or_(9, 9, 12), addi(5, 5, 1)});
        append(code, {sw(5, 8, at), sw(5, 8, at + 4), sw(5, 8, at + 8)});
        append(code, {amoswap_rl(0, 0, 10)});
    }
    return code;
}

struct Seen {
    std::uint64_t differences = 0, total = 0, cycles = 0;
    std::vector<std::uint64_t> statistics;
};

inline Seen run_episodes(const MachineDescription& machine, int count, int blocks, std::uint32_t window = 0,
                         std::uint32_t run_ahead = 64) {
    Bare bare(machine, window, run_ahead);
    const std::uint64_t at = BareMachine::data(0);
    for (std::uint32_t core = 0; core < 16; ++core) bare.give(core, episodes(core, count, blocks), at);
    bare.run();
    Seen seen;
    for (std::uint32_t core = 0; core < 16; ++core) seen.differences |= bare.x(core, 9);
    seen.cycles = bare.machine.stands_at();
    for (const Statistic& row : bare.machine.statistics()) seen.statistics.push_back(row.value);
    for (int block = 0; block < blocks; ++block) {
        std::uint32_t value = 0;
        bare.machine.read(at + static_cast<std::uint64_t>(block / 3 * 64 + block % 3 * 16),
                          {reinterpret_cast<std::uint8_t*>(&value), 4});
        seen.total += value;
    }
    return seen;
}

inline Seen run_episodes(const std::vector<Protocol>& quarters, int count, int blocks, std::uint32_t window = 0,
                         std::uint32_t run_ahead = 64) {
    return run_episodes(four_by_four(quarters), count, blocks, window, run_ahead);
}

}  // namespace croftsim
