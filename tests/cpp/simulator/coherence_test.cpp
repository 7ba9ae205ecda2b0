// The dynamic distributed cache on a bare machine: what accesses cost, to the cycle, and what they see.

#include <doctest/doctest.h>

#include "bare_machine.hpp"

namespace croftsim {

using namespace assemble;

namespace {

// Cycles from a load's issue to the issue of an instruction that uses its result. x8 + imm is loaded.
std::vector<Word> timed_load(std::int32_t imm, Word into) {
    return {rdcycle(5), lw(6, 8, imm), add(7, 6, 0), rdcycle(into), addi(7, 0, 0)};
}

void append(std::vector<Word>& code, const std::vector<Word>& more) {
    code.insert(code.end(), more.begin(), more.end());
}

// The cycles that rdcycle, load, use, rdcycle show for a load whose result can be used `latency` cycles after its
// issue.
constexpr std::uint64_t shown(std::uint64_t latency) { return 1 + latency + 1; }

// Core `reader` loads a word homed at `home`, three times: from the home, from the L1 of its own, from its L2.
struct Latencies {
    std::uint64_t first, l1, l2;
};
Latencies load_latencies(std::uint32_t reader, std::uint32_t home) {
    BareMachine bare;
    // The home has the line already: its own core reads it first.
    bare.give(home, {lw(5, 8, 0)}, BareMachine::data(home));
    bare.run();
    std::vector<Word> code;
    append(code, timed_load(0, 10));
    append(code, {addi(12, 5, 0)});
    append(code, timed_load(0, 11));
    append(code, {addi(13, 5, 0)});
    append(code, {lw(6, 8, 512), lw(6, 8, 1024)});  // two other lines of the same set push it out of the L1
    append(code, timed_load(0, 14));
    append(code, {addi(15, 5, 0)});
    bare.give(reader, code, BareMachine::data(home));
    bare.run();
    const auto x = [&](std::uint32_t reg) { return bare.x(reader, reg); };
    return {x(10) - x(12), x(11) - x(13), x(14) - x(15)};
}

}  // namespace

TEST_CASE("a load costs the L1's, the L2's or the home's latency, which grows by two cycles a hop") {
    // own L2 8, inject 5, hops, eject 5, service 6, inject 5, hops, eject 5, 16 more flits
    for (const auto& [reader, home, hops] : {std::tuple{0u, 1u, 1u}, {0u, 63u, 14u}, {9u, 54u, 10u}}) {
        const Latencies found = load_latencies(reader, home);
        CHECK(found.first == shown(8 + 10 + hops + 6 + 10 + hops + 16));
        CHECK(found.l1 == shown(2));
    }
}

TEST_CASE("a load of a line homed here costs the own L2's latency once the L1 has lost it") {
    const Latencies found = load_latencies(5, 5);
    CHECK(found.first == shown(2));
    CHECK(found.l2 == shown(8));
}

TEST_CASE("a store is seen by others after its fence, and not in their old copies") {
    BareMachine bare;
    const std::uint64_t at = BareMachine::data(20);
    bare.give(3, {lw(5, 8, 0)}, at);   // a copy at tile 3
    bare.give(20, {lw(5, 8, 0)}, at);  // and at home
    bare.run();
    bare.give(40, {addi(5, 0, 77), sw(5, 8, 0), fence}, at);
    bare.run();
    CHECK(bare.statistic("l2", "invalidated") == 1);
    bare.give(3, {lw(5, 8, 0)}, at);
    bare.give(20, {lw(5, 8, 0)}, at);
    bare.run();
    CHECK(bare.x(3, 5) == 77);
    CHECK(bare.x(20, 5) == 77);
}

TEST_CASE("a fence behind a store waits for the farthest sharer's acknowledgement") {
    const auto fence_takes = [](std::initializer_list<std::uint32_t> sharers) {
        BareMachine bare;
        const std::uint64_t at = BareMachine::data(0);
        bare.give(0, {lw(5, 8, 0)}, at);
        bare.run();
        for (const std::uint32_t sharer : sharers) bare.give(sharer, {lw(5, 8, 0)}, at);
        bare.run();
        bare.give(1, {rdcycle(5), sw(0, 8, 0), fence, rdcycle(6)}, at);
        bare.run();
        return bare.x(1, 6) - bare.x(1, 5);
    };
    const auto alone = fence_takes({});
    // rdcycle 1, store 1. The fence sends the store: own L2 8, to the home 11 and a flit for the word, service 6. Back
    // 11 with the 16 flits of the line, and then the fence itself 1.
    CHECK(alone == 2 + 8 + 12 + 6 + 27 + 1);
    // A sharer 14 hops from the home adds the look into the directory (2) and its invalidation there and back, 6
    // between.
    CHECK(fence_takes({63}) == alone + 2 + 2 * (10 + 14) + 6);
    // Invalidations leave the home 4 cycles after another; the farthest is sent last.
    CHECK(fence_takes({8, 63}) == alone + 2 + 2 * (10 + 14) + 6 + 4);
}

TEST_CASE("stores to one line within the drain time travel as one message") {
    BareMachine bare;
    bare.give(1, {sw(0, 8, 0), sw(0, 8, 4), sw(0, 8, 8), sw(0, 8, 64), fence, sw(0, 8, 0), fence},
              BareMachine::data(9));
    bare.run();
    CHECK(bare.statistic("l2", "stores_sent") == 5);
    CHECK(bare.statistic("l2", "store_messages") == 3);
    CHECK(bare.statistic("home", "writes") == 3);
}

TEST_CASE("the store buffer drains by itself, in its time") {
    // Core 2 spins until it sees the store of core 1, which never fences but counts on for long.
    BareMachine bare;
    const std::uint64_t at = BareMachine::data(2);
    bare.give(2, {lw(5, 8, 0)}, at);
    bare.run();
    std::vector<Word> writer{rdcycle(10), addi(5, 0, 1), sw(5, 8, 0)};
    writer.insert(writer.end(), 400, addi(6, 6, 1));
    bare.give(1, writer, at);
    //              lw; seqz is "x5 == 0": loop while it is
    bare.give(2, {lw(5, 8, 0), i_type(0x13, 3, 6, 5, 1), bnez(6, -8), rdcycle(11)}, at);
    bare.run();
    const std::uint64_t seen = bare.x(2, 11) - bare.x(1, 10);
    // drain 8, own L2 8, one hop with a word 12, and a few cycles of the loop; far below 400
    CHECK(seen >= 2 + 8 + 8 + 12);
    CHECK(seen <= 2 + 8 + 8 + 12 + 20);
}

TEST_CASE("a store-conditional fails after another core's store to the line, and succeeds without one") {
    BareMachine bare;
    const std::uint64_t at = BareMachine::data(7);
    bare.give(0, {lr_w(5, 8), addi(6, 0, 9), sc_w(7, 6, 8), lr_w(5, 8)}, at);
    bare.run();
    CHECK(bare.x(0, 7) == 0);
    CHECK(bare.x(0, 5) == 9);
    // Core 0 reserves, waits a thousand additions, and tries; core 1 stores in between.
    std::vector<Word> slow{lr_w(5, 8)};
    slow.insert(slow.end(), 800, addi(9, 9, 1));
    append(slow, {addi(6, 0, 10), sc_w(7, 6, 8), fence, lw(5, 8, 0)});
    bare.give(0, slow, at);
    bare.give(1, {addi(5, 0, 55), sw(5, 8, 4), fence}, at);  // another word of the same line
    bare.run();
    CHECK(bare.x(0, 7) == 1);
    CHECK(bare.x(0, 5) == 9);
}

TEST_CASE("the same at the home's own core, whose reservation no message breaks") {
    BareMachine bare;
    const std::uint64_t at = BareMachine::data(0);
    std::vector<Word> slow{lr_w(5, 8)};
    slow.insert(slow.end(), 800, addi(9, 9, 1));
    append(slow, {addi(6, 0, 10), sc_w(7, 6, 8)});
    bare.give(0, slow, at);
    std::vector<Word> writer(300, addi(9, 9, 1));
    append(writer, {addi(5, 0, 55), sw(5, 8, 0), fence});
    bare.give(1, writer, at);
    bare.run();
    CHECK(bare.x(0, 7) == 1);
}

TEST_CASE("atomic additions of all cores to words of one line lose nothing") {
    BareMachine bare;
    const std::uint64_t at = BareMachine::data(33);
    std::vector<Word> code{addi(5, 0, 1)};
    for (int i = 0; i < 40; ++i) code.push_back(amoadd_w(6, 5, 8));
    for (std::uint32_t core = 0; core < 64; ++core) bare.give(core, code, at + core % 2 * 4);
    bare.run();
    bare.give(0, {lw(5, 8, 0), lw(6, 8, 4)}, at);
    bare.run();
    CHECK(bare.x(0, 5) == 32 * 40);
    CHECK(bare.x(0, 6) == 32 * 40);
}

TEST_CASE("a core that waits on a line sleeps until the store's invalidation arrives, and not a cycle more") {
    BareMachine bare;
    const std::uint64_t at = BareMachine::data(0);
    bare.give(0, {lw(5, 8, 0)}, at);
    bare.run();
    bare.give(63, {lr_w(5, 8), wrs_nto, rdcycle(10), lw(6, 8, 0)}, at);
    std::vector<Word> writer(2000, addi(9, 9, 1));
    append(writer, {addi(5, 0, 3), rdcycle(11), sw(5, 8, 0), fence});
    bare.give(1, writer, at);
    bare.run();
    // The fence, two cycles behind rdcycle, sends the store: own L2 8, a hop and a word 12. The look into the directory
    // takes 2, 14 hops 24, waking 1.
    CHECK(bare.x(63, 10) == bare.x(1, 11) + 2 + 8 + 12 + 2 + 24 + 1);
    CHECK(bare.x(63, 6) == 3);
    CHECK(bare.statistic("core", "line_waits") == 1);
}

TEST_CASE("lines that leave a full L2 take their bytes to memory and their sharers' copies with them") {
    BareMachine bare;  // the L2 has 32 sets of 2 lines: 4096 bytes
    const std::uint64_t at = BareMachine::data(5);
    std::vector<Word> writes, reads{addi(7, 0, 0)};
    // Four pages' worth would be needed to overflow from one tile's page, so three lines of one set from two pages.
    bare.memory.set_home(BareMachine::data(6), AddressSpace::page_bytes, 5);
    for (const std::int32_t offset : {0, 64, 128}) {
        append(writes, {addi(5, 0, offset + 1), sw(5, 8, offset)});
        append(reads, {lw(6, 8, offset), add(7, 7, 6)});
    }
    bare.give(5, writes, at);
    bare.run();
    bare.give(40, reads, at);  // copies at tile 40
    bare.run();
    CHECK(bare.x(40, 7) == 1 + 65 + 129);
    // The home's core walks over everything else that maps to these sets.
    std::vector<Word> walk;
    for (std::int32_t offset = 0; offset < 2048; offset += 64) walk.push_back(lw(6, 8, offset));
    bare.give(5, walk, at + 2048);
    bare.run();
    bare.give(5, walk, BareMachine::data(6));
    bare.run();
    CHECK(bare.statistic("home", "memory_writes") >= 3);
    CHECK(bare.statistic("l2", "invalidated") >= 3);
    bare.give(41, reads, at);
    bare.run();
    CHECK(bare.x(41, 7) == 1 + 65 + 129);
}

// A store that does not find its line brings it. Meanwhile its page may be given another home, or the kernel may write
// to it. However far the line has come by then, no copy is left that the next write does not reach.
TEST_CASE("a line that a store brings is not kept as it was before its page has moved, or the kernel has written") {
    const std::uint64_t at = BareMachine::data(5);
    bool stored_before = false, stored_behind = false;
    for (std::uint64_t moment = 20; moment < 400; ++moment) {
        CAPTURE(moment);
        BareMachine bare;
        bare.give(0, {addi(5, 0, 1), sw(5, 8, 0), fence, rdcycle(10)}, at);
        bare.machine.run(moment, {});
        (bare.x(0, 10) ? stored_before : stored_behind) = true;
        const bool moves = moment % 2 == 0;
        const std::uint32_t seven = 7;
        if (moves) {
            bare.machine.address_space_changes(at, AddressSpace::page_bytes, false);
            bare.memory.set_home(at, AddressSpace::page_bytes, 9);
        } else {
            bare.machine.write(at + 4, {reinterpret_cast<const std::uint8_t*>(&seven), 4});
        }
        bare.run();
        if (moves) {
            bare.give(9, {addi(5, 0, 7), sw(5, 8, 4), fence}, at);
            bare.run();
        }
        bare.give(0, {lw(5, 8, 0), lw(6, 8, 4)}, at);
        bare.run();
        CHECK(bare.x(0, 5) == 1);
        CHECK(bare.x(0, 6) == 7);
    }
    CHECK(stored_before);
    CHECK(stored_behind);
}

TEST_CASE("the window changes neither cycles nor statistics") {
    const auto run = [](std::uint32_t window, std::uint32_t run_ahead) {
        BareMachine bare(window, eight_by_eight(), run_ahead);
        for (std::uint32_t core = 0; core < 64; ++core) {
            std::vector<Word> code{addi(5, 0, 1)};
            std::uint32_t random = core * 2654435761u + 1;
            for (int i = 0; i < 150; ++i) {
                random = random * 1664525 + 1013904223;
                const auto offset = static_cast<std::int32_t>(random >> 20 & 0x7f) * 4;
                switch (random >> 28 & 7) {
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
                    default:
                        append(code, {lw(6, 8, offset), add(5, 5, 6)});
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
    for (const std::uint32_t window : {1u, 2u, 3u, 5u, 8u, 11u})
        for (const std::uint32_t run_ahead : {0u, 20u, 64u, 200u}) CHECK(run(window, run_ahead) == longest);
    CHECK_THROWS_AS(BareMachine(12), std::invalid_argument);
}

// Cores that mostly keep to themselves run ahead; now and then another reads or writes what they rely on.
TEST_CASE("running ahead on trust changes neither cycles nor statistics") {
    const auto run = [](std::uint32_t run_ahead) {
        BareMachine bare(0, eight_by_eight(), run_ahead);
        for (std::uint32_t core = 0; core < 64; ++core) {
            std::uint32_t random = core * 2654435761u + 1;
            const auto next = [&] { return (random = random * 1664525 + 1013904223) >> 16; };
            std::vector<Word> code{addi(5, 0, 1)};
            for (int i = 0; i < 400; ++i) {
                const auto own = static_cast<std::int32_t>(next() % 64) * 4;  // a few lines, so most accesses hit
                switch (next() % 12) {
                    case 0: {  // a line of some other core's own
                        const auto pages = static_cast<std::int32_t>(next() % 64) - static_cast<std::int32_t>(core);
                        append(code, {lui(9, pages * 4096), add(9, 9, 8)});
                        code.push_back(next() % 2 ? lw(6, 9, own) : sw(5, 9, own));
                        break;
                    }
                    case 1:
                    case 2:
                    case 3:
                    case 4:
                        code.push_back(sw(5, 8, own));
                        break;
                    default:
                        append(code, {lw(6, 8, own), add(5, 5, 6)});
                        break;
                }
            }
            bare.give(core, code, BareMachine::data(core));
        }
        bare.run();
        std::vector<std::uint64_t> result{bare.machine.stands_at()};
        for (std::uint32_t core = 0; core < 64; ++core) result.push_back(bare.x(core, 5));
        for (const Statistic& row : bare.machine.statistics()) result.push_back(row.value);
        return result;
    };
    const auto exact = run(0);
    for (const std::uint32_t run_ahead : {1u, 18u, 50u, 64u, 128u, 200u}) CHECK(run(run_ahead) == exact);
}

}  // namespace croftsim
