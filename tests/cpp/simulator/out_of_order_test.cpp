// The out-of-order core on a bare machine of its own: what a window of instructions costs, to the cycle, and what it
// holds; that speculation does not change what a program computes.

#include <doctest/doctest.h>

#include "big_cores.hpp"

namespace croftsim {

TEST_CASE("independent instructions go four a cycle, dependent ones one after the other") {
    CHECK(cycles_of({}, {}) == 1);
    for (const std::size_t count : {4u, 40u, 400u}) {
        std::vector<Word> independent;
        for (std::size_t i = 0; i < count; ++i) independent.push_back(addi(1 + i % 16, 0, 5));
        // Dispatched in the cycle behind the first rdcycle, issued in the next, done in the one behind that.
        CHECK(cycles_of({}, independent) == count / 4 + 3);
        CHECK(cycles_of({}, times(count, 0x2800000b | 8 << 15)) == count / 4 + 3);  // croft.mark
        CHECK(cycles_of({}, times(count, addi(5, 5, 1))) == count + 3);
        CHECK(cycles_of({}, times(count, mul(5, 5, 5))) == 3 * count + 3);
        CHECK(cycles_of({}, times(count, mul(5, 6, 7))) == count + 5);        // one pipelined unit
        CHECK(cycles_of({}, times(count, div_(5, 6, 7))) == 20 * count + 3);  // one that is not
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
              bare.statistic("core", "wait_kernel") ==
          active);
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
    bare.give(0,
              {lw(5, 8, 0), addi(6, 0, -3), sw(6, 8, 0), lw(7, 8, 0), i_type(3, 0, 9, 8, 1), addi(10, 0, 9),
               sw(10, 8, 64), sw(10, 8, 68), i_type(3, 3, 11, 8, 64)},
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
    CHECK(bare.machine.stands_at() < 200 * 5);
}

TEST_CASE("the window's resources hold what they say, and no more") {
    // A missing load, `between` others, and another missing load: with room for all of them the second overlaps the
    // first.
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
    CHECK(overlaps(machine, times(150, bnez(0, 8))));  // no result, no register
    window_of(machine).registers = 40;
    CHECK(overlaps(machine, times(6, addi(9, 0, 1))));
    CHECK(!overlaps(machine, times(7, addi(9, 0, 1))));
}

TEST_CASE("a load that overtook an older store to its bytes is done again, and waits the next time") {
    Bare bare(one_big());
    // Ten times: store x5 to an address that takes long to compute, and load from there at once.
    bare.give(0,
              {lw(9, 8, 0), addi(5, 0, 10), addi(11, 0, 1), addi(12, 0, 0),  // warm
               div_(6, 8, 11), sw(5, 6, 0), lw(7, 8, 0), add(12, 12, 7), addi(5, 5, -1), bnez(5, -20)},
              BareMachine::data(0));
    bare.run();
    CHECK(bare.x(0, 12) == 55);
    CHECK(bare.statistic("window", "violations") == 1);
}

TEST_CASE("serial instructions see all that came before them, and fault where they are") {
    Bare bare(one_big());
    // fflags after an inexact division; an atomic on what was just stored; a wild load that is never reached.
    bare.give(0,
              {addi(5, 0, 1), addi(6, 0, 3), 0xd0228053 /* fcvt.s.l f0, x5 */, 0xd0230153 /* fcvt.s.l f2, x6 */,
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

}  // namespace croftsim
