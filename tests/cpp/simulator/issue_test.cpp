// Which instructions issue in which cycle, and how much of a load's wait the instructions behind it hide, to the cycle.

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "bare_machine.hpp"
#include "description/check.hpp"

namespace croftsim {

using namespace assemble;

namespace {

constexpr Word mul(Word rd, Word rs1, Word rs2) { return add(rd, rs1, rs2) | 1 << 25; }
constexpr Word div(Word rd, Word rs1, Word rs2) { return mul(rd, rs1, rs2) | 4 << 12; }
constexpr Word fld(Word rd, Word rs1, std::int32_t imm) { return i_type(0x07, 3, rd, rs1, imm); }
constexpr Word fmadd_d(Word rd, Word rs1, Word rs2, Word rs3) {
    return rs3 << 27 | 1 << 25 | rs2 << 20 | rs1 << 15 | 7 << 12 | rd << 7 | 0x43;
}
constexpr Word fadd_d(Word rd, Word rs1, Word rs2) {
    return 1 << 25 | rs2 << 20 | rs1 << 15 | 7 << 12 | rd << 7 | 0x53;
}
constexpr Word jal(Word rd) { return 8 << 20 | rd << 7 | 0x6f; }  // to pc + 8
constexpr Word nop = addi(0, 0, 0);

using Code = std::vector<Word>;

void append(Code& code, const Code& more) { code.insert(code.end(), more.begin(), more.end()); }

MachineDescription machine_of_width(std::uint32_t width) {
    MachineDescription machine = eight_by_eight();
    machine.kinds[0].core.issue_width = width;
    return machine;
}

MachineDescription with_cost(std::uint32_t width, Cost kind, std::uint32_t cost) {
    MachineDescription machine = machine_of_width(width);
    machine.kinds[0].core.cost[static_cast<std::size_t>(kind)] = cost;
    return machine;
}

// The cycle in which an rdcycle behind `code` issues, counted from that of `code`'s first instruction. `before` runs
// first.
std::uint64_t behind(const MachineDescription& machine, const Code& code, const Code& before = {},
                     std::uint32_t home = 5) {
    BareMachine bare(0, machine);
    bare.give(home, {lw(5, 8, 0)}, BareMachine::data(home));  // so that the home has the line
    bare.run();
    Code all = before;
    append(all, {fence, rdcycle(28)});  // each has a cycle to itself
    append(all, code);
    all.push_back(rdcycle(29));
    bare.give(5, all, BareMachine::data(home));
    bare.run();
    return bare.x(5, 29) - bare.x(5, 28) - 1;
}

struct Decoded {
    std::vector<std::uint32_t> offsets, slacks;
    std::uint32_t cycles = 0;
};

// The block that begins with `code`.
Decoded decoded(const MachineDescription& machine, Code code) {
    code.push_back(ecall);
    AddressSpace memory;
    memory.map(0x10000, 4 * AddressSpace::page_bytes, Permission::read | Permission::execute);
    memory.write_dram(0x10000, code.data(), code.size() * 4);
    BlockCache blocks(machine.kinds[0].core, machine.kinds[0].l1d, memory);
    const Block* block = blocks.find(0x10000);
    Decoded result;
    for (const Op& op : block->ops) {
        result.offsets.push_back(op.offset);
        result.slacks.push_back(
            &op - block->ops.data() < static_cast<std::ptrdiff_t>(block->slacks.size()) ? block->slack_of(&op) : 0);
    }
    result.cycles = block->cycles;
    return result;
}

using Cycles = std::vector<std::uint32_t>;

// The offsets of `code` alone, without the ecall behind it.
Cycles issue(const MachineDescription& machine, const Code& code) {
    Cycles offsets = decoded(machine, code).offsets;
    offsets.resize(code.size());
    return offsets;
}

}  // namespace

TEST_CASE("independent additions share a cycle, as many as the core is wide") {
    const Code six{addi(1, 0, 1), addi(2, 0, 1), addi(3, 0, 1), addi(4, 0, 1), addi(5, 0, 1), addi(6, 0, 1)};
    CHECK(behind(machine_of_width(1), six) == 6);
    CHECK(behind(machine_of_width(2), six) == 3);
    CHECK(behind(machine_of_width(3), six) == 2);
    CHECK(behind(machine_of_width(3), {addi(1, 0, 1), addi(2, 0, 1)}) == 1);
    CHECK(behind(machine_of_width(3), {addi(1, 0, 1), addi(2, 0, 1), addi(3, 0, 1)}) == 1);
}

TEST_CASE("marks issue as additions do") {
    constexpr Word mark = 0x2800000b | 8 << 15, enter = 0x2a00000b | 8 << 15, leave = 0x2c00000b;
    CHECK(behind(machine_of_width(1), {mark, enter, leave, addi(4, 0, 1)}) == 4);
    CHECK(behind(machine_of_width(2), {mark, enter, leave, addi(4, 0, 1)}) == 2);
}

TEST_CASE("an instruction that needs another's result issues a cycle later") {
    const auto wide = machine_of_width(3);
    CHECK(behind(wide, {addi(1, 0, 1), add(2, 1, 0)}) == 2);
    CHECK(behind(wide, {addi(1, 0, 1), add(2, 0, 1)}) == 2);
    CHECK(behind(wide, {addi(1, 0, 1), addi(2, 1, 1), addi(3, 2, 1)}) == 3);
    // Written twice.
    CHECK(behind(wide, {addi(1, 0, 1), addi(1, 0, 2)}) == 2);
    // Read, then written: no need to wait.
    CHECK(behind(wide, {addi(2, 1, 1), addi(1, 0, 2)}) == 1);
    // x0 is nobody's result.
    CHECK(behind(wide, {addi(0, 0, 1), addi(0, 0, 2)}) == 1);
    CHECK(behind(wide, {addi(0, 0, 1), addi(1, 0, 2)}) == 1);
    // In order: what is behind a waiting instruction waits too.
    CHECK(issue(wide, {addi(1, 0, 1), addi(2, 1, 1), addi(3, 0, 1), addi(4, 0, 1)}) == Cycles{0, 1, 1, 1});
}

TEST_CASE("a cycle takes one memory operation") {
    const auto wide = machine_of_width(3);
    CHECK(issue(wide, {lw(1, 8, 0), lw(2, 8, 4)}) == Cycles{0, 1});
    CHECK(issue(wide, {lw(1, 8, 0), sw(2, 8, 4)}) == Cycles{0, 1});
    CHECK(issue(wide, {sw(1, 8, 0), sw(2, 8, 4), fence, amoadd_w(1, 2, 8)}) == Cycles{0, 1, 2, 3});
    CHECK(issue(wide, {addi(1, 0, 1), lw(2, 8, 0), addi(3, 0, 1)}) == Cycles{0, 0, 0});
    CHECK(issue(wide, {addi(1, 0, 1), addi(2, 0, 1), addi(3, 0, 1), lw(4, 8, 0)}) == Cycles{0, 0, 0, 1});
    const Code warm{lw(1, 8, 0)};
    CHECK(behind(wide, {lw(1, 8, 0), lw(2, 8, 4), lw(3, 8, 8), nop, nop}, warm) == 3);
    CHECK(behind(wide, {addi(1, 0, 1), addi(2, 0, 1), lw(3, 8, 0), nop, nop, nop}, warm) == 2);
}

TEST_CASE("a cycle takes one operation of the complex unit") {
    const auto wide = machine_of_width(3);
    CHECK(issue(wide, {mul(1, 2, 3), mul(4, 2, 3)}) == Cycles{0, 1});
    CHECK(issue(wide, {mul(1, 2, 3), rdcycle(4), div(5, 2, 3), fadd_d(1, 2, 3)}) == Cycles{0, 1, 2, 3});
    CHECK(issue(wide, {mul(1, 2, 3), lw(4, 8, 0), addi(5, 0, 1)}) == Cycles{0, 0, 0});
}

TEST_CASE("a multiplication lets others issue before its result, a division does not") {
    const auto wide = with_cost(3, Cost::multiply, 3);
    CHECK(issue(wide, {mul(1, 2, 3), mul(4, 2, 3), addi(5, 0, 1), addi(6, 1, 0), addi(7, 4, 0)}) ==
          Cycles{0, 1, 1, 3, 4});
    CHECK(issue(wide, {mul(1, 2, 3), addi(1, 0, 1)}) == Cycles{0, 3});
    CHECK(behind(wide, {mul(1, 2, 3), addi(4, 1, 0)}) == 4);
    CHECK(issue(with_cost(3, Cost::divide, 20), {addi(4, 0, 1), div(1, 2, 3), addi(5, 0, 1), addi(6, 1, 0)}) ==
          Cycles{0, 0, 20, 20});
    CHECK(issue(with_cost(1, Cost::multiply, 3), {mul(1, 2, 3), addi(5, 0, 1), addi(6, 1, 0)}) == Cycles{0, 3, 4});
}

TEST_CASE("the result of a load that hits the L1 is ready in the cycle that the machine says, wherever its use is") {
    const auto wide = machine_of_width(3);  // l1d.hit is 2
    CHECK(issue(wide, {lw(1, 8, 0), add(2, 1, 0)}) == Cycles{0, 2});
    CHECK(issue(wide, {lw(1, 8, 0), addi(1, 0, 1)}) == Cycles{0, 2});
    CHECK(issue(wide, {lw(1, 8, 0), nop, nop, nop, add(2, 1, 0)}) == Cycles{0, 0, 0, 1, 2});
    CHECK(issue(wide, {lw(1, 8, 0), nop, nop, nop, nop, nop, add(2, 1, 0)}) == Cycles{0, 0, 0, 1, 1, 1, 2});
    CHECK(issue(wide, {lw(1, 8, 0), sw(1, 8, 4)}) == Cycles{0, 2});
    CHECK(issue(wide, {fld(1, 8, 0), add(2, 1, 1), fmadd_d(4, 2, 3, 1)}) == Cycles{0, 0, 2});
    CHECK(issue(wide, {lw(1, 8, 0), lw(0, 8, 0), add(2, 0, 0)}) == Cycles{0, 1, 1});
    const Code warm{lw(1, 8, 0)};
    CHECK(behind(wide, {lw(1, 8, 0), add(2, 1, 0)}, warm) == 3);
    CHECK(behind(machine_of_width(1), {lw(1, 8, 0), add(2, 1, 0)}, warm) == 3);
}

TEST_CASE("a control transfer may share the cycle of what comes before, and ends the block") {
    const auto wide = machine_of_width(3);
    const auto branch = decoded(wide, {addi(1, 0, 1), lw(2, 8, 0), bnez(3, 8), nop});
    CHECK(branch.offsets == Cycles{0, 0, 0});
    CHECK(branch.cycles == 1);
    CHECK(decoded(wide, {addi(1, 0, 1), bnez(1, 8)}).offsets == Cycles{0, 1});
    CHECK(decoded(wide, {lw(1, 8, 0), bnez(1, 8)}).offsets == Cycles{0, 2});
    CHECK(decoded(wide, {lw(1, 8, 0), jal(1)}).offsets == Cycles{0, 2});
    // Not taken: the next instruction has a cycle of its own.
    CHECK(behind(wide, {addi(1, 0, 1), bnez(0, 8), addi(2, 0, 1)}) == 2);
    // A loop of two instructions, ten times, the second needing the first.
    MachineDescription machine = wide;
    machine.kinds[0].core.taken_branch = 1;
    CHECK(behind(machine, {addi(1, 0, 10), nop, nop, addi(1, 1, -1), bnez(1, -4)}) == 3 + 9 * 3);
}

TEST_CASE("an offset fits its byte however slow an instruction or the L1 is") {
    MachineDescription slow = with_cost(3, Cost::multiply, 2000);
    const auto block = decoded(slow, {mul(1, 2, 3), addi(4, 0, 1), addi(5, 1, 1)});
    CHECK(block.offsets == Cycles{0, 0, 255});  // the last one falls through to the block that holds what is left
    CHECK(block.cycles == 2000);
    CHECK(behind(slow, {mul(1, 2, 3), addi(5, 1, 1), nop, nop}) == 2001);
    const auto division = decoded(with_cost(3, Cost::divide, 2000), {div(1, 2, 3), addi(5, 1, 1)});
    CHECK(division.cycles == 2000);
}

TEST_CASE("a core that is one wide issues as it always did") {
    std::mt19937 random(1);
    const auto upto = [&](std::uint32_t most) { return static_cast<Word>(random() % (most + 1)); };
    for (int round = 0; round < 500; ++round) {
        MachineDescription machine = machine_of_width(1);
        machine.kinds[0].l1d.hit = 1 + upto(4);
        for (std::uint32_t& cost : machine.kinds[0].core.cost) cost = 1 + upto(2);
        Code code;
        Cycles expected;
        std::uint32_t offset = 0, loaded = 0;
        for (int i = 0; i < 20; ++i) {
            const Word rd = upto(4), rs1 = upto(4), rs2 = upto(4);
            Cost kind = Cost::alu;
            bool second = true, loads = false;
            switch (upto(4)) {
                case 0:
                    code.push_back(add(rd, rs1, rs2));
                    break;
                case 1:
                    code.push_back(mul(rd, rs1, rs2)), kind = Cost::multiply;
                    break;
                case 2:
                    code.push_back(sw(rs2, rs1, 0)), kind = Cost::store;
                    break;
                case 3:
                    code.push_back(amoadd_w(rd, rs2, rs1)), kind = Cost::atomic;
                    break;
                default:
                    code.push_back(lw(rd, rs1, 0)), kind = Cost::load, second = false, loads = true;
                    break;
            }
            if (loaded && (rs1 == loaded || (second && rs2 == loaded))) offset += machine.kinds[0].l1d.hit - 1;
            loaded = loads ? rd : 0;
            expected.push_back(offset);
            offset += machine.kinds[0].core.cost[static_cast<std::size_t>(kind)];
        }
        CHECK(issue(machine, code) == expected);
    }
}

namespace {

// Leaves the line of x8 in the L2 of a machine of eight_by_eight's caches, and not in the L1.
const Code only_in_l2{lw(5, 8, 0), lw(6, 8, 512), lw(6, 8, 1024), add(6, 6, 0)};
constexpr std::uint32_t l1 = 2, l2 = 8;

// `fillers` instructions of a cycle each between a load and its use.
Code load_and_use(std::uint32_t fillers) {
    Code code{lw(1, 8, 0)};
    code.insert(code.end(), fillers, addi(2, 2, 1));
    code.push_back(add(3, 1, 0));
    return code;
}

}  // namespace

TEST_CASE("what stands between a load and its first use hides so much of its wait, and not a cycle more") {
    const auto narrow = machine_of_width(1), wide = machine_of_width(3);
    for (std::uint32_t fillers = 0; fillers <= 12; ++fillers) {
        INFO(fillers);
        // The use issues when the data is there and the instructions before it have issued. The first filler shares
        // the load's cycle on the wide core.
        CHECK(behind(narrow, load_and_use(fillers), only_in_l2) == std::max(l2, 1 + fillers) + 1);
        CHECK(behind(wide, load_and_use(fillers), only_in_l2) == std::max(l2, fillers ? fillers - 1 : 0) + 1);
        CHECK(behind(narrow, load_and_use(fillers), {lw(5, 8, 0)}) == std::max(l1, 1 + fillers) + 1);
    }
}

TEST_CASE("the same for a line that comes from its home, while the core sleeps") {
    const auto narrow = machine_of_width(1);
    const std::uint64_t home = behind(narrow, load_and_use(0), {}, 6) - 1;
    CHECK(home > 40);
    for (std::uint32_t fillers = 1; fillers < home + 3 && fillers < 44; ++fillers) {
        INFO(fillers);
        CHECK(behind(narrow, load_and_use(fillers), {}, 6) == std::max<std::uint64_t>(home, 1 + fillers) + 1);
    }
    // A slow instruction in between hides more than a home takes.
    const auto slow = with_cost(1, Cost::divide, 120);
    CHECK(behind(slow, {lw(1, 8, 0), div(2, 3, 4), add(3, 1, 0)}, {}, 6) == 1 + 120 + 1);
}

TEST_CASE("overwriting a load's register needs the load to be over, too") {
    const auto narrow = machine_of_width(1);
    CHECK(behind(narrow, {lw(1, 8, 0), nop, nop, addi(1, 0, 1)}, only_in_l2) == l2 + 1);
    CHECK(behind(narrow, {lw(1, 8, 0), nop, nop, addi(1, 0, 1), nop, nop, nop}, only_in_l2) == l2 + 1 + 3);
    CHECK(behind(narrow, {lw(0, 8, 0), nop, nop, addi(0, 0, 1), nop, nop, nop}, only_in_l2) == l2);
}

TEST_CASE("a load's slack does not reach past a memory operation, a csr operation or the block's end") {
    const auto narrow = machine_of_width(1);
    const auto slack = [&](const Code& code) { return decoded(narrow, code).slacks.at(0); };
    const auto between = [&](Word middle) {
        return Code{lw(1, 8, 0), nop, nop, nop, middle, nop, nop, nop, nop, nop, nop, add(3, 1, 0)};
    };
    CHECK(slack(between(nop)) == 11);
    for (const Word middle : {sw(0, 8, 4), lw(2, 8, 4), fence, amoadd_w(2, 0, 8), lr_w(2, 8), rdcycle(2), wrs_nto})
        CHECK(slack(between(middle)) == 4);
    CHECK(slack(between(bnez(0, 8))) == 5);  // the branch's own cycle hides as well
    CHECK(slack(between(mul(2, 3, 4))) == 11);
    CHECK(slack({lw(1, 8, 0), sw(0, 8, 4)}) == 1);
    // The store issues once the load is over, and everything behind it in its wake.
    CHECK(behind(narrow, between(nop), only_in_l2) == 11 + 1);
    CHECK(behind(narrow, between(sw(0, 8, 4)), only_in_l2) == l2 + 7 + 1);
    CHECK(behind(narrow, between(bnez(0, 8)), only_in_l2) == l2 + 6 + 1);
}

TEST_CASE("everything behind a load that reserves its line waits for it") {
    const auto narrow = machine_of_width(1);
    for (const std::uint32_t fillers : {1u, 5u, 10u}) {
        Code code = load_and_use(fillers);
        code[0] = lr_w(1, 8);
        CHECK(decoded(narrow, code).slacks.at(0) == 1);
        CHECK(behind(narrow, code, only_in_l2) == l2 + fillers + 1);
    }
}

TEST_CASE("an operation right behind a load that misses waits until its data is there, also if it does not use it") {
    for (const std::uint32_t width : {1u, 2u, 3u}) {
        const auto machine = machine_of_width(width);
        CHECK(behind(machine, {lw(1, 8, 0), sw(0, 8, 4), sw(0, 8, 8)}, only_in_l2) == l2 + 2);
        CHECK(behind(machine, {lw(1, 8, 0), bnez(0, 8), sw(0, 8, 4), sw(0, 8, 8)}, only_in_l2) == l2 + 2);
    }
    // One that hits does not hold it up.
    CHECK(behind(machine_of_width(1), {lw(1, 8, 0), sw(0, 8, 4)}, {lw(5, 8, 0)}) == 2);
}

TEST_CASE("a machine has a width from 1 to 3") {
    for (const std::uint32_t width : {0u, 4u})
        CHECK_THROWS_WITH_AS(check(machine_of_width(width)), doctest::Contains("`core.issue_width` = "),
                             std::invalid_argument);
}

TEST_CASE("neither the window nor running ahead changes a wide core's cycles, with loads that overlap what is behind") {
    const auto run = [](std::uint32_t window, std::uint32_t run_ahead) {
        BareMachine bare(window, machine_of_width(3), run_ahead);
        for (std::uint32_t core = 0; core < 64; ++core) {
            std::mt19937 random(core);
            Code code{addi(5, 0, 1)};
            for (int i = 0; i < 300; ++i) {
                const auto offset = static_cast<std::int32_t>(random() % 160) * 4;
                switch (random() % 12) {
                    case 0:
                        append(code, {lr_w(6, 8), sc_w(7, 5, 8)});
                        break;
                    case 1:
                        code.push_back(amoadd_w(6, 5, 8));
                        break;
                    case 2:
                    case 3:
                        code.push_back(sw(5, 8, offset));
                        break;
                    case 4:
                        code.push_back(fence);
                        break;
                    case 5:
                        append(code, {bnez(0, 8), rdcycle(10), add(5, 5, 10)});
                        break;
                    default:
                        code.push_back(lw(6, 8, offset));
                        code.insert(code.end(), random() % 30, addi(9, 9, 1));
                        code.push_back(add(5, 5, 6));
                        break;
                }
            }
            bare.give(core, code, BareMachine::data(core % 5 * 13));
        }
        bare.run();
        std::vector<std::uint64_t> result{bare.machine.stands_at()};
        for (std::uint32_t core = 0; core < 64; ++core) result.push_back(bare.x(core, 5));
        for (const Statistic& row : bare.machine.statistics()) result.push_back(row.value);
        return result;
    };
    const auto longest = run(0, 0);
    for (const std::uint32_t window : {1u, 2u, 5u, 11u, 11u})
        for (const std::uint32_t run_ahead : {0u, 20u, 64u, 200u}) CHECK(run(window, run_ahead) == longest);
}

TEST_CASE("an instruction in two words of four bytes is fetched in two accesses") {
    constexpr Word c_nop = 1;
    const Code split{c_nop | nop << 16, nop >> 16 | c_nop << 16}, whole{c_nop | c_nop << 16, nop};
    MachineDescription machine = machine_of_width(1), twice = machine;
    twice.kinds[0].core.split_fetch = 2;
    CHECK(behind(machine, split) == 3);
    CHECK(behind(twice, split) == 5);
    CHECK(behind(twice, whole) == 3);
    // As the first instruction of a block, too: a jump to it.
    const Code jump{c_nop | jal(0) << 16, jal(0) >> 16 | c_nop << 16, c_nop | nop << 16, nop >> 16 | c_nop << 16};
    CHECK(behind(twice, jump) == behind(machine, jump) + 4);
}

TEST_CASE("a core whose loads block at once waits for one that misses before anything behind it issues") {
    MachineDescription machine = machine_of_width(1), at_once = machine;
    at_once.kinds[0].core.loads_block = CoreDescription::Loads::at_once;
    Code code{lw(6, 8, 128)};
    const std::uint64_t missed = behind(machine, code);
    CHECK(behind(at_once, code) == missed);
    append(code, Code(5, nop));
    CHECK(behind(machine, code) == missed);  // beside the wait
    CHECK(behind(at_once, code) == missed + 5);
    // A hit takes its cost, here two cycles.
    at_once.kinds[0].core.cost[static_cast<std::size_t>(Cost::load)] = 2;
    at_once.kinds[0].core.cost[static_cast<std::size_t>(Cost::store)] = 2;
    CHECK(behind(at_once, {lw(6, 8, 0)}, {lw(6, 8, 0)}) == 2);
    CHECK(behind(at_once, {lw(6, 8, 0), lw(7, 8, 4), nop}, {lw(6, 8, 0)}) == 5);
    CHECK(behind(at_once, {lw(6, 8, 128)}) == missed);  // a part of the wait
}

}  // namespace croftsim
