// Out-of-order cores beside others: the order in which their loads and stores are seen, interrupts, and that no cycle
// depends on the window.

#include <doctest/doctest.h>

#include "big_cores.hpp"

namespace croftsim {

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
        // x10, x11: of the data, the older one through an address that is late. x12: of the flag; x13: of the data
        // again.
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
        const std::vector<Word> reader{addi(6, 0, 400), mul(14, 8, 15), mul(14, 14, 15), lw(10, 8, 64),  lw(11, 8, 0),
                                       lw(12, 8, 0),    add(14, 14, 8), lw(13, 14, 64),  lw(16, 8, 0),   slt(7, 11, 10),
                                       or_(9, 9, 7),    slt(7, 12, 11), or_(9, 9, 7),    slt(7, 16, 13), or_(9, 9, 7),
                                       addi(6, 6, -1),  bnez(6, -60)};
        for (const std::uint32_t core : {0u, 3u, 10u, 15u}) bare.give(core, reader, at);
        bare.run();
        for (const std::uint32_t core : {0u, 3u, 10u, 15u}) CHECK(bare.x(core, 9) == 0);
        CHECK(bare.x(5, 5) == 200);
        CHECK(bare.statistic("window", "violations") > 50);
        cycles.push_back(bare.machine.stands_at());
    }
    CHECK(cycles[0] == cycles[1]);
}

TEST_CASE("a core sees its own store while the line, which others have too, is not yet its own") {
    for (std::size_t delay = 0; delay < 60; ++delay) {
        MachineDescription machine = four_by_four({Protocol::mesi});
        machine.kinds[0].out_of_order = OutOfOrderDescription{};
        Bare bare(machine);
        const std::uint64_t at = BareMachine::data(0);
        for (const std::uint32_t core : {1u, 6u, 15u}) bare.give(core, {lw(5, 8, 0), lw(6, 8, 4)}, at);
        bare.run();
        std::vector<Word> code{addi(5, 0, 7), lw(9, 8, 0), sw(5, 8, 0)};
        append(code, times(delay, addi(10, 10, 1)));
        append(code, {add(11, 8, 10), addi(12, 10, -static_cast<std::int32_t>(delay)), add(11, 8, 12), lw(6, 11, 0),
                      lw(7, 11, 4), i_type(3, 3, 13, 11, 0)});
        bare.give(1, code, at);
        bare.run();
        CAPTURE(delay);
        CHECK(bare.x(1, 6) == 7);
        CHECK(bare.x(1, 7) == 0);
        CHECK(bare.x(1, 13) == 7);
    }
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
        seen = {bare.machine.stands_at(), bare.statistic("uli", "latency"), bare.x(1, 11)};
    };
    std::vector<std::uint64_t> first, second;
    const std::vector<Word> heavy{addi(9, 9, 1),   lw(10, 8, 0), add(11, 11, 10), sw(9, 8, 0),
                                  lw(12, 8, 1024), bnez(12, 8),  addi(13, 13, 1)};
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
