// A tile's TLBs, which come before an access, and its L1 instruction cache, which comes before a block.

#include <doctest/doctest.h>

#include "big_cores.hpp"
#include "description/check.hpp"

namespace croftsim {
namespace {

constexpr auto page = static_cast<std::int32_t>(AddressSpace::page_bytes);
constexpr std::uint32_t handler = 100;

MachineDescription tiles(std::optional<TlbDescription> dtlb) {
    MachineDescription machine = eight_by_eight();
    machine.kinds[0].dtlb = dtlb;
    return machine;
}
TlbDescription pages(std::uint32_t entries) { return {entries, AddressSpace::page_bytes, handler}; }

struct Ran {
    std::uint64_t active, misses;
    bool operator==(const Ran&) const = default;
};
Ran run_on(const MachineDescription& machine, const std::vector<Word>& code, std::uint32_t window = 0,
           std::uint32_t run_ahead = 64) {
    BareMachine bare(window, machine, run_ahead);
    bare.give(0, code, BareMachine::data(0));
    bare.run();
    CHECK(bare.statistic("core", "stall_translation") == handler * bare.statistic("dtlb", "misses"));
    return {bare.statistic("core", "active"), bare.statistic("dtlb", "misses")};
}

// x8, x9, x10 point to three pages; a load and a use of what it loaded, from lines of three sets.
const std::vector<Word> three_pages{lui(9, page), add(9, 8, 9), lui(10, page), add(10, 9, 10)};
void load_from(std::vector<Word>& code, Word base) {
    append(code, {lw(6, base, static_cast<std::int32_t>(64 * (base - 8))), add(7, 6, 0)});
}

}  // namespace

TEST_CASE("a page that is not in the TLB costs its handler; the page that came first leaves, and its lines the L1") {
    std::vector<Word> code = three_pages;
    for (const Word base : {8, 9, 8, 10, 9}) load_from(code, base);  // misses but for the third and the last
    const Ran free = run_on(tiles({}), code), two = run_on(tiles(pages(2)), code);
    CHECK(two.misses == 3);
    CHECK(two.active == free.active + 3 * handler);
    // The first page has left for the third, and now the second leaves for it. Both lines are still in the own L2,
    // which takes 8 cycles instead of the L1's 2.
    for (const Word base : {8, 9}) load_from(code, base);
    const Ran all = run_on(tiles({}), code), more = run_on(tiles(pages(2)), code);
    CHECK(more.misses == 5);
    CHECK(more.active == all.active + 5 * handler + 2 * (8 - 2));
    CHECK(run_on(tiles(pages(3)), code) == Ran{all.active + 3 * handler, 3});
    for (const std::uint32_t run_ahead : {0u, 64u, 150u}) CHECK(run_on(tiles(pages(2)), code, 1, run_ahead) == more);
}

TEST_CASE("stores, atomics and line operations are translated, and an access in two pages twice") {
    constexpr Word drop = 0x0000000b | 8 << 15;
    for (const Word access : {sw(5, 8, 0), amoadd_w(5, 5, 8), lr_w(5, 8), drop})
        CHECK(run_on(tiles(pages(2)), {access, access}).misses == 1);
    CHECK(run_on(tiles(pages(2)), {sw(5, 8, 4), sw(5, 8, 8), lw(6, 8, 12)}).misses == 1);
    std::vector<Word> code = three_pages;
    append(code, {lw(6, 9, -2), add(7, 6, 0)});
    CHECK(run_on(tiles(pages(2)), code).misses == 2);
}

TEST_CASE("a tile's L1 instruction cache: what left it comes from the own L2") {
    // Two lines 256 bytes apart, in turn: of one set in a direct-mapped cache of 256 bytes, of two in one of 512.
    constexpr std::int32_t rounds = 20;
    constexpr std::size_t there = 4 * line_bytes / 4;
    std::vector<Word> code(there + 3, addi(0, 0, 0));
    code[0] = addi(6, 0, rounds);
    code[1] = jal(0, 4 * static_cast<std::int32_t>(there - 1));
    code[there] = addi(6, 6, -1);
    code[there + 1] = bnez(6, -4 * static_cast<std::int32_t>(there));
    code.resize(there + 2);
    const auto ran = [&](std::uint32_t size) {
        MachineDescription machine = eight_by_eight();
        machine.kinds[0].l1i = CacheDescription{size, 64, 1, 1};
        BareMachine bare(0, machine);
        bare.give(0, code, BareMachine::data(0));
        bare.run();
        CHECK(bare.statistic("l1i", "hits") + bare.statistic("l1i", "misses") == 2 * rounds + 1);  // blocks, in a line
        return Ran{bare.statistic("core", "active"), bare.statistic("l1i", "misses")};
    };
    const Ran small = ran(256), large = ran(512);
    CHECK(large.misses == 2);
    CHECK(small.misses == 2 * rounds);
    CHECK(small.active == large.active + 8 * (small.misses - large.misses));
}

TEST_CASE("instructions have a TLB of their own") {
    // From one page to the next and back.
    constexpr std::int32_t rounds = 20;
    constexpr std::size_t there = AddressSpace::page_bytes / 4;
    std::vector<Word> code(there + 2, addi(0, 0, 0));
    code[0] = addi(6, 0, rounds);
    code[1] = jal(0, 4 * static_cast<std::int32_t>(there - 1));
    code[2] = bnez(6, -4);
    code[3] = ecall;
    code[there] = addi(6, 6, -1);
    code[there + 1] = jal(0, -4 * static_cast<std::int32_t>(there - 1));
    const auto ran = [&](std::uint32_t entries) {
        MachineDescription machine = eight_by_eight();
        machine.kinds[0].l1i = CacheDescription{1024, 64, 2, 1};
        if (entries) machine.kinds[0].itlb = pages(entries);
        BareMachine bare(0, machine);
        bare.give(0, code, BareMachine::data(0));
        bare.run();
        return Ran{bare.statistic("core", "active"), bare.statistic("itlb", "misses")};
    };
    const Ran free = ran(0), one = ran(1), two = ran(2);
    CHECK(two == Ran{free.active + 2 * handler, 2});
    CHECK(one.misses == 1 + 2 * rounds);
    // Whoever comes back has lost the line, too.
    CHECK(one.active == two.active + (handler + 8) * (one.misses - two.misses));
}

TEST_CASE("a checkpoint holds what the TLBs hold") {
    std::vector<Word> code = three_pages;
    for (const Word base : {8, 9, 8, 10, 9, 8, 9}) load_from(code, base);
    MachineDescription machine = tiles(pages(2));
    machine.kinds[0].l1i = CacheDescription{1024, 64, 2, 1};
    machine.kinds[0].itlb = pages(1);
    BareMachine first(0, machine), second(0, machine);
    first.give(0, code, BareMachine::data(0));
    first.run();
    Archive state;
    first.machine.serialise(state);
    Archive again(state.written());
    second.machine.serialise(again);
    CHECK(second.statistic("dtlb", "misses") == 5);
    CHECK(second.statistic("itlb", "misses") == 1);
}

TEST_CASE("where TLBs, caches of instructions and DRAM cannot be is said in one sentence") {
    const auto error = [](void (*change)(MachineDescription&), MachineDescription machine = eight_by_eight()) {
        change(machine);
        try {
            check(machine);
        } catch (const std::invalid_argument& wrong) {
            return std::string(wrong.what());
        }
        return std::string("none");
    };
    CHECK(error([](MachineDescription& machine) { machine.kinds[0].itlb = pages(4); }) ==
          "machine test: `itlb` needs l1i: without, every instruction is there at once");
    CHECK(error([](MachineDescription& machine) {
              machine.kinds[0].l1d.line = 64;
              machine.kinds[0].out_of_order = OutOfOrderDescription{};
              machine.kinds[0].dtlb = pages(4);
          }) ==
          "machine test: `dtlb` needs a core that is in order: a window does not stop for software that handles a "
          "miss");
    CHECK(error([](MachineDescription& machine) { machine.kinds[0].dtlb = pages(4); }, one_big())
              .find("has no meaning under 'mesi': at a shared L2 translating takes no time yet") != std::string::npos);
    CHECK(error([](MachineDescription& machine) { machine.kinds[0].l1i = CacheDescription{256, 64, 2, 1}; }) ==
          "machine test: `l1i.ways` (2) must be at most 8, in 4 sets at least");
    // 12.5 ns for each of tRCD and CL are 13 cycles at 1 GHz, and tRCD and WL 23 together.
    const auto with_dram = [](std::uint32_t latency, std::uint32_t write_latency) {
        MachineDescription machine = eight_by_eight();
        machine.memory.dram = DramDescription{DramStandard::ddr2_800, 16};
        machine.memory.latency = latency;
        machine.memory.write_latency = write_latency;
        return machine;
    };
    const auto nothing = [](MachineDescription&) {};
    CHECK(error(nothing, with_dram(26, 23)) == "none");
    CHECK(
        error(nothing, with_dram(25, 23)) ==
        "machine test: `memory.latency` (25) is less than the 26 cycles that DDR2-800 takes to read a row of a closed "
        "bank");
    CHECK(error(nothing, with_dram(26, 22)).find("`memory.write_latency` (22) is less than the 23 cycles") !=
          std::string::npos);
}

}  // namespace croftsim
