// The out-of-order core on bare machines: what a window of instructions costs, to the cycle, and that neither speculation
// nor the order of events changes what a program computes.

#include <doctest/doctest.h>

#include "interrupt_programs.hpp"

namespace croftsim {
namespace {

constexpr Word mul(Word rd, Word rs1, Word rs2) { return 0x02000033 | rs2 << 20 | rs1 << 15 | rd << 7; }
constexpr Word div_(Word rd, Word rs1, Word rs2) { return 0x02004033 | rs2 << 20 | rs1 << 15 | rd << 7; }
constexpr Word jal(Word rd, std::int32_t offset) {
    const auto bits = static_cast<Word>(offset);
    return (bits >> 20 & 1) << 31 | (bits >> 1 & 0x3ff) << 21 | (bits >> 11 & 1) << 20 | (bits >> 12 & 0xff) << 12 |
           rd << 7 | 0x6f;
}
constexpr Word ret = 0x00008067;

MachineDescription one_big() {
    MachineDescription machine = four_by_four({});
    machine.cores = 1;
    machine.network.columns = machine.network.rows = 1;
    machine.shared = SharedCacheDescription{65536, 8, {{0, 0}}};
    machine.memory.controllers = {{0, 0}};
    CoreKind kind{"big", 1, Protocol::mesi, machine.core, {65536, 64, 2, 1}};
    kind.core.outstanding_stores = 4;
    kind.core.cost[static_cast<std::size_t>(Cost::multiply)] = 3;
    kind.core.cost[static_cast<std::size_t>(Cost::divide)] = 20;
    kind.out_of_order = OutOfOrderDescription{};
    machine.kinds = {kind};
    return machine;
}

OutOfOrderDescription& window_of(MachineDescription& machine) { return *machine.kinds[0].out_of_order; }

// Four big cores, and four of each kind of tiny one.
MachineDescription mixed() {
    MachineDescription machine = four_by_four(
        {Protocol::mesi, Protocol::denovo, Protocol::gpu_wt, Protocol::gpu_wb});
    machine.kinds[0].name = "big";
    machine.kinds[0].l1d.size = 1024;
    machine.kinds[0].out_of_order = OutOfOrderDescription{};
    return machine;
}

std::vector<Word> times(std::size_t count, Word instruction) { return std::vector<Word>(count, instruction); }

// Cycles between two rdcycles around `code`. An empty window takes one.
std::uint64_t cycles_of(const std::vector<Word>& before, const std::vector<Word>& code,
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

}  // namespace

TEST_CASE("independent instructions go four a cycle, dependent ones one after the other") {
    CHECK(cycles_of({}, {}) == 1);
    for (const std::size_t count : {4u, 40u, 400u}) {
        std::vector<Word> independent;
        for (std::size_t i = 0; i < count; ++i) independent.push_back(addi(1 + i % 16, 0, 5));
        // Dispatched in the cycle behind the first rdcycle, issued in the next, done in the one behind that.
        CHECK(cycles_of({}, independent) == count / 4 + 3);
        CHECK(cycles_of({}, times(count, addi(5, 5, 1))) == count + 3);
        CHECK(cycles_of({}, times(count, mul(5, 5, 5))) == 3 * count + 3);
        CHECK(cycles_of({}, times(count, mul(5, 6, 7))) == count + 5);             // one pipelined unit
        CHECK(cycles_of({}, times(count, div_(5, 6, 7))) == 20 * count + 3);       // one that is not
    }
}

TEST_CASE("what does not depend on a missing load goes on behind it, and so does another missing load") {
    const std::uint64_t one = cycles_of({}, {lw(5, 8, 0)});
    CHECK(one > 60);
    const std::vector<Word> two{lw(5, 8, 0), lw(6, 8, 64)};
    CHECK(cycles_of({}, two) == one + 16);  // the controller's occupancy
    std::vector<Word> busy{lw(5, 8, 0)};
    append(busy, times(50, addi(6, 6, 1)));
    CHECK(cycles_of({}, busy) < one + 15);
    append(busy, {add(7, 5, 6)});
    CHECK(cycles_of({}, busy) < one + 15);
    // A pointer that has to be loaded first leaves nothing to overlap.
    CHECK(cycles_of({}, {lw(5, 8, 0), add(5, 5, 8), lw(6, 5, 64)}) > 2 * one - 10);
}

TEST_CASE("what retirement waits for is booked once") {
    Bare bare(one_big());
    bare.give(0, {lw(5, 8, 0), lw(6, 8, 64), lw(7, 8, 64), add(5, 5, 6)}, BareMachine::data(0));
    bare.run();
    const std::uint64_t active = bare.statistic("core", "active");
    CHECK(bare.statistic("core", "issue") + bare.statistic("core", "stall_memory") +
              bare.statistic("core", "wait_kernel") == active);
    CHECK(bare.statistic("core", "stall_memory") > 60);
    CHECK(bare.statistic("core", "issue") < 12);
    CHECK(bare.statistic("core", "loads") == 3);
    CHECK(bare.statistic("l1d", "load_misses") == 2);
    // Stores that miss, until the queue and the L1 are full of them.
    Bare stores(one_big());
    std::vector<Word> code;
    for (std::int32_t i = 0; i < 30; ++i) code.push_back(sw(5, 8, 64 * i));
    stores.give(0, code, BareMachine::data(0));
    stores.run();
    CHECK(stores.statistic("core", "stall_store_buffer") > 300);
    CHECK(stores.statistic("core", "issue") + stores.statistic("core", "stall_store_buffer") +
              stores.statistic("core", "stall_fence") + stores.statistic("core", "wait_kernel") ==
          stores.statistic("core", "active"));
}

TEST_CASE("a load takes its value from an older store in flight, in whole; in part, when that is in the L1") {
    Bare bare(one_big());
    bare.give(0, {lw(5, 8, 0), addi(6, 0, -3), sw(6, 8, 0), lw(7, 8, 0), i_type(3, 0, 9, 8, 1),
                  addi(10, 0, 9), sw(10, 8, 64), sw(10, 8, 68), i_type(3, 3, 11, 8, 64)},
              BareMachine::data(0));
    bare.run();
    CHECK(bare.x(0, 7) == ~std::uint64_t{2});
    CHECK(bare.x(0, 9) == ~std::uint64_t{0});
    CHECK(bare.x(0, 11) == 0x900000009u);
    CHECK(bare.statistic("window", "forwarded") == 2);
    // As fast as a hit.
    CHECK(cycles_of({addi(5, 0, 7), lw(6, 8, 0)}, {sw(5, 8, 0), lw(6, 8, 0)}) ==
          cycles_of({addi(5, 0, 7), lw(6, 8, 0)}, {sw(5, 8, 0), addi(6, 0, 0)}));
}

TEST_CASE("a misprediction costs its penalty behind the resolution; a prediction that holds costs nothing") {
    const auto machine = [](std::uint32_t penalty) {
        MachineDescription made = one_big();
        window_of(made).mispredict = penalty;
        return made;
    };
    const std::vector<Word> skip{bnez(5, 8), addi(6, 6, 1), addi(6, 6, 1)};
    // The tables begin with "not taken".
    CHECK(cycles_of({addi(5, 0, 0)}, skip) == 5);
    // Dispatched 1, issued 2, resolved 3, 3 + penalty the next one, issued, done; rdcycle.
    for (const std::uint32_t penalty : {0u, 1u, 7u, 10u})
        CHECK(cycles_of({addi(5, 0, 1)}, skip, machine(penalty)) == 3 + penalty + 3);
    // The same behind operands that are late.
    std::vector<Word> late = times(30, addi(5, 5, 1));
    append(late, skip);
    CHECK(cycles_of({}, late, machine(10)) == 30 + 3 + 10 + 3);
    // Of a load that missed: what was fetched behind is undone.
    Bare bare(one_big());
    bare.memory.write_dram(BareMachine::data(0), "\1", 1);
    bare.give(0, {addi(6, 0, 0), addi(7, 0, 0), lw(5, 8, 0), bnez(5, 12), addi(6, 6, 1), sw(8, 8, 8), addi(7, 6, 5)},
              BareMachine::data(0));
    bare.run();
    CHECK(bare.x(0, 6) == 0);
    CHECK(bare.x(0, 7) == 5);
    CHECK(bare.statistic("window", "mispredictions") == 1);
    CHECK(bare.statistic("window", "squashed") == 3);
    CHECK(bare.statistic("core", "instructions") == 6);
    std::uint64_t stored = 1;
    bare.machine.read(BareMachine::data(0) + 8, {reinterpret_cast<std::uint8_t*>(&stored), 8});
    CHECK(stored == 0);
}

TEST_CASE("loops, and calls and returns, are predicted once they are known") {
    Bare bare(one_big());
    // 200 rounds of: call a function of one instruction; count down.
    bare.give(0, {addi(5, 0, 200), jal(0, 12), addi(6, 6, 1), ret, jal(1, -8), addi(5, 5, -1), bnez(5, -8)},
              BareMachine::data(0));
    bare.run();
    CHECK(bare.x(0, 6) == 200);
    CHECK(bare.statistic("window", "branches") == 400);
    CHECK(bare.statistic("window", "mispredictions") < 20);
    CHECK(bare.machine.now() < 200 * 5);
}

TEST_CASE("the window's resources hold what they say, and no more") {
    // A missing load, `between` others, and another missing load: with room for all of them the second overlaps the first.
    const auto overlaps = [](const MachineDescription& machine, std::vector<Word> between) {
        std::vector<Word> code{lw(5, 8, 0)};
        append(code, between);
        code.push_back(lw(6, 8, 64));
        const std::uint64_t one = cycles_of({}, {lw(5, 8, 0)});
        const std::uint64_t cycles = cycles_of({lw(7, 8, 128)}, code, machine);
        CHECK((cycles < one + 40 || cycles > 2 * one - 10));
        return cycles < one + 40;
    };
    MachineDescription machine = one_big();
    window_of(machine).reorder_buffer = 16;
    window_of(machine).load_store_queue = 16;
    CHECK(overlaps(machine, times(14, addi(9, 0, 1))));
    CHECK(!overlaps(machine, times(15, addi(9, 0, 1))));
    machine = one_big();
    CHECK(overlaps(machine, times(14, lw(9, 8, 128))));
    CHECK(!overlaps(machine, times(15, lw(9, 8, 128))));
    CHECK(overlaps(machine, times(14, sw(9, 8, 128))));
    CHECK(!overlaps(machine, times(15, sw(9, 8, 128))));
    window_of(machine).reorder_buffer = 256;
    CHECK(overlaps(machine, times(94, addi(9, 0, 1))));
    CHECK(!overlaps(machine, times(95, addi(9, 0, 1))));
    CHECK(overlaps(machine, times(150, bnez(0, 8))));       // no result, no register
    window_of(machine).registers = 40;
    CHECK(overlaps(machine, times(6, addi(9, 0, 1))));
    CHECK(!overlaps(machine, times(7, addi(9, 0, 1))));
}

TEST_CASE("a load that overtook an older store to its bytes is done again, and waits the next time") {
    Bare bare(one_big());
    // Ten times: store x5 to an address that takes long to compute, and load from there at once.
    bare.give(0, {lw(9, 8, 0), addi(5, 0, 10), addi(11, 0, 1), addi(12, 0, 0),                   // warm
                  div_(6, 8, 11), sw(5, 6, 0), lw(7, 8, 0), add(12, 12, 7), addi(5, 5, -1), bnez(5, -20)},
              BareMachine::data(0));
    bare.run();
    CHECK(bare.x(0, 12) == 55);
    CHECK(bare.statistic("window", "violations") == 1);
}

TEST_CASE("two loads of one address never go back in time, nor does a reader miss what a flag announces") {
    std::uint64_t violations = 0, both = 0;
    for (std::int32_t delay = 0; delay < 200; delay += 2) {
        MachineDescription machine = four_by_four({Protocol::mesi});
        machine.kinds[0].out_of_order = OutOfOrderDescription{};
        Bare bare(machine);
        const std::uint64_t at = BareMachine::data(0);
        std::vector<Word> writer = times(static_cast<std::size_t>(delay), addi(7, 7, 1));
        append(writer, {addi(5, 0, 1), sw(5, 8, 0), fence, sw(5, 8, 128)});
        bare.give(15, writer, at);
        // x10, x11: of the data, the older one through an address that is late. x12: of the flag; x13: of the data again.
        std::vector<Word> reader{lw(6, 8, 0), fence, addi(7, 8, 0)};
        append(reader, times(40, addi(7, 7, 1)));
        append(reader, times(40, addi(7, 7, -1)));
        append(reader, {lw(10, 7, 0), lw(11, 8, 0), lw(12, 8, 128), lw(13, 8, 0)});
        bare.give(1, reader, at);
        bare.run();
        CHECK(bare.x(1, 10) <= bare.x(1, 11));
        CHECK(bare.x(1, 12) <= bare.x(1, 13));
        violations += bare.statistic("window", "violations");
        both += bare.x(1, 12);
    }
    CHECK(violations > 0);
    CHECK(both > 0);
}

TEST_CASE("readers in loops never see a counter behind one that was written later") {
    constexpr auto slt = [](Word rd, Word rs1, Word rs2) { return 0x2033 | rs2 << 20 | rs1 << 15 | rd << 7; };
    MachineDescription machine = four_by_four({Protocol::mesi});
    machine.shared->size = 8192;
    machine.kinds[0].out_of_order = OutOfOrderDescription{};
    std::vector<std::uint64_t> cycles;
    for (const std::uint32_t window : {0u, 1u}) {
        Bare bare(machine, window);
        const std::uint64_t at = BareMachine::data(0);
        // Counts up in two lines, one behind the other.
        std::vector<Word> writer{addi(6, 0, 200), addi(5, 5, 1), sw(5, 8, 0), fence, sw(5, 8, 64)};
        append(writer, times(20, add(7, 7, 5)));
        append(writer, {addi(6, 6, -1), bnez(6, -100)});
        bare.give(5, writer, at);
        // The second, then the first, again, and the second through an address that is late.
        const std::vector<Word> reader{addi(6, 0, 400), mul(14, 8, 15), mul(14, 14, 15), lw(10, 8, 64), lw(11, 8, 0),
                                       lw(12, 8, 0), add(14, 14, 8), lw(13, 14, 64), lw(16, 8, 0),
                                       slt(7, 11, 10), or_(9, 9, 7), slt(7, 12, 11), or_(9, 9, 7),
                                       slt(7, 16, 13), or_(9, 9, 7), addi(6, 6, -1), bnez(6, -60)};
        for (const std::uint32_t core : {0u, 3u, 10u, 15u}) bare.give(core, reader, at);
        bare.run();
        for (const std::uint32_t core : {0u, 3u, 10u, 15u}) CHECK(bare.x(core, 9) == 0);
        CHECK(bare.x(5, 5) == 200);
        CHECK(bare.statistic("window", "violations") > 50);
        cycles.push_back(bare.machine.now());
    }
    CHECK(cycles[0] == cycles[1]);
}

TEST_CASE("serial instructions see all that came before them, and fault where they are") {
    Bare bare(one_big());
    // fflags after an inexact division; an atomic on what was just stored; a wild load that is never reached.
    bare.give(0, {addi(5, 0, 1), addi(6, 0, 3), 0xd0228053 /* fcvt.s.l f0, x5 */, 0xd0230153 /* fcvt.s.l f2, x6 */,
                  0x182001d3 /* fdiv.s f3, f0, f2, rne */, 0x00102573 /* frflags x10 */, addi(7, 0, 41), sw(7, 8, 0),
                  amoadd_w(11, 5, 8), lw(12, 8, 0), div_(13, 8, 5), bnez(13, 8), lw(14, 0, 0)},
              BareMachine::data(0));
    bare.run();
    CHECK(bare.x(0, 10) == 1);
    CHECK(bare.x(0, 11) == 41);
    CHECK(bare.x(0, 12) == 42);
    Bare wild(one_big());
    wild.give(0, {addi(5, 0, 7), lw(14, 0, 16), addi(5, 0, 8)}, BareMachine::data(0));
    CHECK_THROWS_AS(wild.run(), GuestFault);
    CHECK(wild.x(0, 5) == 7);
}

TEST_CASE("an interrupt waits for what is in flight, and finds the program between two instructions") {
    const auto run = [](std::uint32_t window, std::vector<Word> more, std::vector<std::uint64_t>& seen) {
        MachineDescription machine = mixed();
        machine.uli = UliDescription{1, 1};
        for (CoreKind& kind : machine.kinds) kind.interrupt = 5;
        Bare bare(machine, window);
        const std::uint64_t at = BareMachine::data(0);
        std::vector<Word> code = victim(3, 3);
        code.resize(15);  // up to enabling
        for (int i = 0; i < 60; ++i) append(code, more);
        bare.give(1, code, at);
        std::vector<Word> thief{addi(6, 0, 7), addi(5, 0, 1)};
        work(thief, 60);
        for (int i = 0; i < 8; ++i) append(thief, {uli_request(5, 6), uli_response(10)});
        bare.give(9, thief, at);
        bare.run();
        CHECK(bare.x(9, 10) == 107);
        CHECK(bare.x(1, 9) == 60);
        CHECK(bare.x(1, 20) == 8);
        CHECK(bare.statistic("uli", "nacks") == 0);
        seen = {bare.machine.now(), bare.statistic("uli", "latency"), bare.x(1, 11)};
    };
    std::vector<std::uint64_t> first, second;
    const std::vector<Word> heavy{addi(9, 9, 1), lw(10, 8, 0), add(11, 11, 10), sw(9, 8, 0),
                                  lw(12, 8, 1024), bnez(12, 8), addi(13, 13, 1)};
    std::vector<Word> long_work;
    for (int i = 0; i < 8; ++i) append(long_work, {add(14, 14, 9), add(14, 14, 9)});
    long_work.push_back(addi(9, 9, 1));
    run(1, heavy, first);
    run(0, heavy, second);
    CHECK(first == second);
    run(1, long_work, first);
    run(0, long_work, second);
    CHECK(first == second);
}

TEST_CASE("critical sections of big and tiny cores see each other's writes") {
    MachineDescription big = four_by_four({Protocol::mesi});
    big.kinds[0].out_of_order = OutOfOrderDescription{};
    for (const MachineDescription& machine : {big, mixed()}) {
        const Seen seen = run_episodes(machine, 60, 12);
        CHECK(seen.differences == 0);
        CHECK(seen.total == 16 * 60);
    }
}

TEST_CASE("atomics count without loss, and a waiting big core is woken, beside tiny ones") {
    Bare bare(mixed());
    const std::uint64_t at = BareMachine::data(2);
    std::vector<Word> code{addi(7, 0, 1)};
    for (int i = 0; i < 20; ++i) {
        append(code, {amoadd_w(6, 7, 8), addi(9, 8, 4)});
        append(code, {lr_w(5, 9), addi(5, 5, 1), sc_w(6, 5, 9), bnez(6, -12)});
    }
    for (std::uint32_t core = 1; core < 15; ++core) bare.give(core, code, at);
    // Core 0 waits until the word behind is not zero.
    bare.give(0, {addi(9, 8, 128), lr_w(5, 9), bnez(5, 12), wrs_nto, jal(0, -12), rdcycle(10)}, at);
    std::vector<Word> late = times(3000, addi(7, 7, 1));
    append(late, {addi(5, 0, 3), rdcycle(11), sw(5, 8, 128), fence});
    bare.give(15, late, at);
    bare.run();
    std::uint32_t values[2] = {};
    bare.machine.read(at, {reinterpret_cast<std::uint8_t*>(values), 8});
    CHECK(values[0] == 14 * 20);
    CHECK(values[1] == 14 * 20);
    CHECK(bare.x(0, 5) == 3);
    CHECK(bare.x(0, 10) > bare.x(15, 11));
    CHECK(bare.x(0, 10) < bare.x(15, 11) + 200);
}

TEST_CASE("neither the window nor running ahead changes cycles or statistics beside out-of-order cores") {
    const Seen exact = run_episodes(mixed(), 30, 9, 0, 0);
    for (const std::uint32_t window : {1u, 2u, 4u})
        for (const std::uint32_t run_ahead : {0u, 20u, 200u}) {
            const Seen seen = run_episodes(mixed(), 30, 9, window, run_ahead);
            CHECK(seen.cycles == exact.cycles);
            CHECK(seen.statistics == exact.statistics);
        }
}

}  // namespace croftsim
