// The limits of an out-of-order core's window, to the cycle. It has so many accesses that its L1 takes, and entries of
// instructions that have not issued. So it is with everything that can be taken again some time behind a retirement.

#include <doctest/doctest.h>

#include "big_cores.hpp"

namespace croftsim {
namespace {

const std::vector<Word> warm{lw(9, 8, 0), lw(10, 8, 64)};

MachineDescription with(std::uint32_t OutOfOrderDescription::* key, std::uint32_t value) {
    MachineDescription machine = one_big();
    window_of(machine).units[static_cast<std::size_t>(IssueUnit::memory)] = 4;
    window_of(machine).*key = value;
    return machine;
}

}  // namespace

TEST_CASE("a load that the L1 does not take any more in its cycle is taken two cycles later at the earliest") {
    const auto cycles = [](std::uint32_t accesses, const std::vector<Word>& code) {
        return cycles_of(warm, code, with(&OutOfOrderDescription::l1_accesses, accesses));
    };
    const std::uint64_t one = cycles(1, {lw(5, 8, 0)});
    CHECK(cycles(0, {lw(5, 8, 0)}) == one);
    CHECK(cycles(0, {lw(5, 8, 0), lw(6, 8, 64), lw(7, 8, 4), lw(11, 8, 68)}) == one);
    // Four issue at 2: one is taken, the others issue again at 4, two of them at 6, the last at 8.
    CHECK(cycles(1, {lw(5, 8, 0), lw(6, 8, 64)}) == one + 2);
    CHECK(cycles(1, {lw(5, 8, 0), lw(6, 8, 64), lw(7, 8, 4)}) == one + 4);
    CHECK(cycles(1, {lw(5, 8, 0), lw(6, 8, 64), lw(7, 8, 4), lw(11, 8, 68)}) == one + 6);
    CHECK(cycles(2, {lw(5, 8, 0), lw(6, 8, 64), lw(7, 8, 4), lw(11, 8, 68)}) == one + 2);
    CHECK(cycles(3, {lw(5, 8, 0), lw(6, 8, 64), lw(7, 8, 4), lw(11, 8, 68)}) == one + 2);
    // Two behind each other in the program that issue in two cycles are not in each other's way.
    const std::vector<Word> apart{addi(5, 0, 1), addi(6, 0, 1), addi(7, 0, 1), lw(11, 8, 0), lw(12, 8, 4)};
    CHECK(cycles(1, apart) == cycles(0, apart));
    // A load to which a store in flight forwards does not go there.
    const std::vector<Word> forwarded{sw(9, 8, 0), lw(5, 8, 0), lw(6, 8, 0), lw(7, 8, 0)};
    CHECK(cycles(1, forwarded) == cycles(0, forwarded));
}

TEST_CASE("a store waits for a cycle in which no load takes the L1") {
    // Stores stay in a queue of one until the L1 has taken them: the second is dispatched when the first is gone. Two
    // loads issue in each of the cycles before, so that the L1 is taken until the last of them.
    const auto second_store = [](std::uint32_t accesses, std::size_t loads) {
        MachineDescription machine = with(&OutOfOrderDescription::l1_accesses, accesses);
        window_of(machine).load_store_queue = 0;
        window_of(machine).store_queue = 1;
        std::vector<Word> before = warm;
        append(before, {sw(9, 8, 0), addi(5, 0, 0), addi(5, 5, 0)});
        std::vector<Word> code{sw(9, 8, 0)};
        append(code, times(loads, lw(6, 8, 64)));
        code.push_back(sw(9, 8, 4));
        append(code, times(4, addi(7, 7, 1)));
        return cycles_of(before, code, machine);
    };
    CHECK(second_store(1, 0) == second_store(0, 0));
    CHECK(second_store(1, 6) > second_store(0, 6));
}

TEST_CASE("an entry of those that have not issued is free in the cycle of the issue") {
    for (const std::uint32_t entries : {1u, 2u, 3u, 4u, 5u}) {
        const MachineDescription machine = with(&OutOfOrderDescription::issue_queue, entries);
        // Each issues in the cycle behind its dispatch.
        for (const std::size_t count : {12u, 60u}) {
            const std::size_t each = std::min<std::size_t>(entries, 4);
            CHECK(cycles_of({}, times(count, addi(5, 0, 1)), machine) == count / each + 3);
        }
    }
    const std::uint64_t one = cycles_of({}, {lw(5, 8, 0)});
    const auto overlaps = [&](std::uint32_t entries, std::vector<Word> between) {
        std::vector<Word> code{lw(5, 8, 0)};
        append(code, between);
        code.push_back(lw(6, 8, 64));
        const std::uint64_t cycles = cycles_of({}, code, with(&OutOfOrderDescription::issue_queue, entries));
        CHECK((cycles < one + 40 || cycles > 2 * one - 10));
        return cycles < one + 40;
    };
    // Those wait for the missing load, each with an entry; the load itself has none any more, nor has what computes.
    CHECK(overlaps(6, times(5, add(11, 5, 0))));
    CHECK(!overlaps(6, times(6, add(11, 5, 0))));
    CHECK(overlaps(0, times(60, add(11, 5, 0))));
    CHECK(overlaps(6, times(60, addi(11, 0, 1))));
    CHECK(!overlaps(6, times(6, sw(5, 8, 128))));
    CHECK(overlaps(6, times(5, sw(5, 8, 128))));
    CHECK(!overlaps(6, times(6, bnez(5, 8))));
    CHECK(overlaps(6, times(5, bnez(5, 4))));
}

TEST_CASE("what instructions of the wrong path had is free for the right one") {
    Bare bare(with(&OutOfOrderDescription::issue_queue, 4));
    bare.memory.write_dram(BareMachine::data(0), "\1", 1);
    // Three on the wrong path wait for a value that is late.
    bare.give(0, {lw(5, 8, 0), lw(6, 8, 64), bnez(5, 16), add(7, 6, 6), add(7, 6, 6), add(7, 6, 6), addi(7, 7, 9)},
              BareMachine::data(0));
    bare.run();
    CHECK(bare.x(0, 7) == 9);
    CHECK(bare.statistic("window", "squashed") >= 3);
}

TEST_CASE("entries, registers and places in the queues are taken again as long behind the retirement as is said") {
    for (const std::uint32_t reuse : {1u, 2u, 3u, 4u}) {
        // Dispatched at D, all four retire at D + 2; the next four are dispatched `reuse` later.
        MachineDescription machine = with(&OutOfOrderDescription::entry_reuse, reuse);
        window_of(machine).reorder_buffer = window_of(machine).load_store_queue = 4;
        for (const std::uint64_t groups : {1u, 2u, 10u})
            CHECK(cycles_of({}, times(4 * groups, addi(5, 0, 1)), machine) == (groups - 1) * (2 + reuse) + 4);
        machine = with(&OutOfOrderDescription::register_reuse, reuse);
        window_of(machine).registers = 36;
        for (const std::uint64_t groups : {1u, 2u, 10u})
            CHECK(cycles_of({}, times(4 * groups, addi(5, 0, 1)), machine) == (groups - 1) * (2 + reuse) + 4);
        const auto loads = [&](std::uint32_t value) {
            MachineDescription made = with(&OutOfOrderDescription::load_reuse, value);
            window_of(made).load_store_queue = 0;
            window_of(made).load_queue = window_of(made).store_queue = 1;
            std::vector<Word> before = warm;
            append(before, times(8, addi(11, 11, 1)));  // so that what these had is free
            return cycles_of(before, times(5, lw(5, 8, 0)), made);
        };
        CHECK(loads(reuse) == loads(1) + 4 * (reuse - 1));
    }
}

TEST_CASE("a store goes to the L1 so long behind its retirement, and no other goes before") {
    const auto cycles = [](std::uint32_t delay, std::size_t stores) {
        MachineDescription machine = with(&OutOfOrderDescription::store_delay, delay);
        window_of(machine).load_store_queue = 0;
        window_of(machine).store_queue = 1;
        std::vector<Word> before = warm;
        before.push_back(sw(9, 8, 0));
        return cycles_of(before, times(stores, sw(9, 8, 0)), machine);
    };
    for (const std::uint32_t delay : {1u, 2u, 5u})
        CHECK(cycles(delay, 5) - cycles(delay, 2) == cycles(0, 5) - cycles(0, 2) + 3 * delay);
}

TEST_CASE("fetching hands on what it says, whatever retires") {
    for (const std::uint32_t width : {1u, 2u, 4u})
        for (const std::size_t count : {4u, 40u})
            CHECK(cycles_of({}, times(count, addi(5, 0, 1)), with(&OutOfOrderDescription::fetch_width, width)) ==
                  count / width + 3);
}

}  // namespace croftsim
