// The out-of-order core on a bare machine of its own: what a window of instructions costs, to the cycle, and what it
// holds. Speculation does not change what a program computes.

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

TEST_CASE("with a queue each, loads and stores do not take each other's entries") {
    const std::uint64_t one = cycles_of({}, {lw(5, 8, 0)});
    // A missing load, others, and another missing load, which overlaps the first if there is room for all of them.
    const auto overlaps = [&](const MachineDescription& machine, std::vector<Word> between, Word last) {
        std::vector<Word> code{lw(5, 8, 0)};
        append(code, between);
        code.push_back(last);
        const std::uint64_t cycles = cycles_of({lw(7, 8, 128)}, code, machine);
        CHECK((cycles < one + 40 || cycles > 2 * one - 10));
        return cycles < one + 40;
    };
    MachineDescription machine = one_big();
    window_of(machine).load_store_queue = 0;
    window_of(machine).load_queue = 6;
    window_of(machine).store_queue = 9;
    const Word missing = lw(6, 8, 64);
    CHECK(overlaps(machine, times(4, lw(9, 8, 128)), missing));
    CHECK(!overlaps(machine, times(5, lw(9, 8, 128)), missing));
    CHECK(overlaps(machine, times(9, sw(9, 8, 128)), missing));
    CHECK(!overlaps(machine, times(10, sw(9, 8, 128)), missing));  // the tenth store waits for the first to commit
    std::vector<Word> both = times(9, sw(9, 8, 128));
    append(both, times(4, lw(9, 8, 128)));
    CHECK(overlaps(machine, both, missing));
    // Loads that retire leave at once, whatever stores before them wait for.
    std::vector<Word> behind_stores;
    for (std::int32_t i = 0; i < 9; ++i) behind_stores.push_back(sw(5, 8, 1024 + 64 * i));
    append(behind_stores, times(60, lw(9, 8, 128)));
    behind_stores.push_back(missing);
    const auto with = [&](std::uint32_t both) {
        MachineDescription made = machine;
        made.kinds[0].core.outstanding_stores = 1;
        window_of(made).load_store_queue = both;
        return cycles_of({lw(9, 8, 128)}, behind_stores, made);
    };
    CHECK(with(0) + one - 40 < with(15));
}

TEST_CASE("undoing the reorder buffer keeps what follows from being dispatched, if it takes longer than refetching") {
    // A branch on a missing load, `behind` instructions of the wrong path, and 120 of a chain on the right one.
    const auto cycles = [](std::uint32_t squash, std::int32_t behind, std::uint32_t penalty = 10) {
        MachineDescription machine = one_big();
        window_of(machine).squash = squash;
        window_of(machine).mispredict = penalty;
        window_of(machine).load_store_queue = 1;  // so that the wrong path ends at its second access
        std::vector<Word> code{lw(5, 8, 0), bnez(5, 4 * (behind + 2))};
        append(code, times(static_cast<std::size_t>(behind), addi(9, 0, 1)));
        code.push_back(lw(10, 8, 4));
        Bare bare(machine);
        bare.memory.write_dram(BareMachine::data(0), "\1", 1);
        code.insert(code.begin(), rdcycle(30));
        code.push_back(rdcycle(31));
        bare.give(0, code, BareMachine::data(0));
        bare.run();
        return bare.x(0, 31) - bare.x(0, 30);
    };
    const std::uint64_t at_once = cycles(0, 40);
    CHECK(cycles(4, 36) == at_once);      // nine cycles, and one for the branch to tell
    CHECK(cycles(4, 37) == at_once + 1);  // ten
    CHECK(cycles(4, 40) == at_once + 1);
    CHECK(cycles(4, 41) == at_once + 2);
    CHECK(cycles(1, 40) == at_once + 31);
    CHECK(cycles(4, 8, 0) == cycles(0, 8, 0) + 2);  // of three, as rdcycle waits for the branch to retire
}

TEST_CASE("a branch resolved as it is dispatched has the instructions behind it that would have been") {
    // Dispatched at 1, resolved at 3: eight instructions. 31 more cycles of operands: all that the buffer holds.
    const auto cycles = [](std::uint32_t squash, std::size_t late, std::uint32_t entries = 128) {
        MachineDescription machine = one_big();
        window_of(machine).squash = squash;
        window_of(machine).mispredict = 0;
        window_of(machine).reorder_buffer = entries;
        std::vector<Word> code = times(late, addi(5, 5, 1));
        append(code, {bnez(5, 8), addi(6, 6, 1), addi(6, 6, 1)});
        return cycles_of({addi(5, 0, 1)}, code, machine);
    };
    CHECK(cycles(4, 0) == cycles(0, 0) + 3);
    CHECK(cycles(8, 0) == cycles(0, 0) + 2);
    CHECK(cycles(9, 0) == cycles(0, 0) + 2);
}

TEST_CASE("an access to a line that is on its way blocks the port until the L1 is answered, if it is to") {
    MachineDescription blocking = one_big();
    window_of(blocking).same_line = OutOfOrderDescription::SameLine::blocks;
    const std::uint64_t one = cycles_of({}, {lw(5, 8, 0)});
    const std::vector<Word> twice{lw(5, 8, 0), lw(6, 8, 8), lw(7, 8, 64)};
    CHECK(cycles_of({}, twice) == one + 16);  // they overlap
    CHECK(cycles_of({}, twice, blocking) > 2 * one - 10);
    // Other lines do not block, nor does what a store in flight forwards.
    const std::vector<Word> two{lw(5, 8, 0), lw(7, 8, 64)};
    CHECK(cycles_of({}, two, blocking) == cycles_of({}, two));
    // A hit behind it is kept up as well; a store to the line waits, and then finds it.
    const std::vector<Word> hit{lw(5, 8, 0), lw(6, 8, 8), lw(7, 8, 128), add(7, 7, 7), mul(7, 7, 7)};
    CHECK(cycles_of({lw(9, 8, 128)}, hit, blocking) > cycles_of({lw(9, 8, 128)}, hit));
    Bare bare(blocking);
    bare.give(0, {addi(5, 0, 3), sw(5, 8, 0), sw(5, 8, 8), sw(5, 8, 64), lw(6, 8, 0), lw(7, 8, 8), lw(9, 8, 64)},
              BareMachine::data(0));
    bare.run();
    for (const std::uint32_t x : {6u, 7u, 9u}) CHECK(bare.x(0, x) == 3);
}

TEST_CASE("without a stack, a return is an indirect jump: mispredicted until it was seen behind the same jumps") {
    const auto mispredictions = [](std::uint32_t stack, std::uint32_t sets) {
        MachineDescription machine = one_big();
        window_of(machine).return_addresses = stack;
        window_of(machine).indirect_sets = sets;
        Bare bare(machine);
        // 100 rounds of: call a function from two places.
        bare.give(
            0, {addi(5, 0, 100), jal(0, 12), addi(6, 6, 1), ret, jal(1, -8), jal(1, -12), addi(5, 5, -1), bnez(5, -12)},
            BareMachine::data(0));
        bare.run();
        CHECK(bare.x(0, 6) == 200);
        return bare.statistic("window", "mispredictions");
    };
    const std::uint64_t of_stack = mispredictions(16, 0), of_both = mispredictions(16, 256);
    CHECK(of_both == of_stack);
    const std::uint64_t of_table = mispredictions(0, 256);
    CHECK(of_table > of_stack + 2);
    CHECK(of_table < of_stack + 60);
    CHECK(mispredictions(0, 1) >= of_table);
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

TEST_CASE("where stores are in order, a fence waits only if it orders one of them before a load") {
    enum : Word { w = 1, r = 2, o = 4, i = 8 };
    const auto fence = [](Word earlier, Word later) { return earlier << 24 | later << 20 | 0x0f; };
    MachineDescription in_order = one_big();
    in_order.kinds[0].core.stores = CoreDescription::Stores::in_order;
    const std::vector<Word> passing{fence(r | w, w), fence(r, r | w),     fence(w, w),
                                    fence(r, r),     fence(i | r, i | r), fence(w, 0)};
    for (const Word one : passing) {
        CHECK(cycles_of({}, times(40, one), in_order) == 40 / 4 + 3);
        CHECK(cycles_of({}, times(40, one)) > 40);
    }
    for (const Word one : {fence(r | w, r | w), fence(w, r), fence(o, i), fence(w, i | o), fence(i | o | r | w, r)})
        CHECK(cycles_of({}, times(40, one), in_order) > 40);
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
