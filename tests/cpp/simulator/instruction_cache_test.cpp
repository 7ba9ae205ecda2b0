// L1 instruction caches: what misses in them, what that costs, and that no cycle depends on the window.

#include <doctest/doctest.h>

#include "base/archive.hpp"
#include "big_cores.hpp"

namespace croftsim {
namespace {

constexpr Word fence_i = 0x0000100f, nop = 0x00000013;
constexpr std::size_t line_words = line_bytes / 4;
constexpr CacheDescription eight_sets{1024, 64, 2, 1};

MachineDescription tiny(Protocol protocol = Protocol::gpu_wb) {
    MachineDescription machine = four_by_four({protocol});
    machine.kinds[0].l1i = eight_sets;
    return machine;
}
MachineDescription big() {
    MachineDescription machine = one_big();
    machine.kinds[0].l1i = eight_sets;
    return machine;
}

// Goes round `lines` lines of one set, `times` times. x6 counts down.
std::vector<Word> round(std::size_t lines, std::int32_t times) {
    constexpr std::size_t distance = 8 * line_words;
    std::vector<Word> code((lines - 1) * distance + 4, nop);
    code[0] = addi(6, 0, times);
    for (std::size_t i = 0; i + 1 < lines; ++i) code[i * distance + 1] = jal(0, 4 * distance);
    const std::size_t last = (lines - 1) * distance + 1;
    code[last] = addi(6, 6, -1);
    code[last + 1] = bnez(6, -4 * static_cast<std::int32_t>(last));
    code.resize(last + 2);
    return code;
}

// `looks`: of how many lines, if that is said.
std::uint64_t misses(const MachineDescription& machine, const std::vector<Word>& code, std::uint64_t looks = 0) {
    Bare bare(machine);
    bare.give(0, code, BareMachine::data(0));
    bare.run();
    if (looks) CHECK(bare.statistic("l1i", "hits") + bare.statistic("l1i", "misses") == looks);
    CHECK((bare.statistic("core", "stall_fetch") > 0) == (bare.statistic("l1i", "misses") > 0));
    std::uint64_t divided = 0;
    for (const char* name : {"inst_fetch", "data_load", "data_store", "atomic", "flush", "other"})
        divided += bare.statistic("time", name);
    CHECK(divided == bare.statistic("core", "active"));
    return bare.statistic("l1i", "misses");
}

}  // namespace

TEST_CASE("a program is fetched line by line, and what is there once stays") {
    // The ecall behind them lies in a line of its own.
    CHECK(misses(tiny(), times(10 * line_words, addi(5, 5, 1)), 11) == 11);
    CHECK(misses(big(), times(10 * line_words, addi(5, 5, 1)), 11) == 11);
    std::vector<Word> loop{addi(6, 0, 50)};
    append(loop, times(40, addi(5, 5, 1)));
    append(loop, {addi(6, 6, -1), bnez(6, -164)});
    // In order the block of three lines is begun fifty times, and the one with the ecall, which is in the third, once.
    CHECK(misses(tiny(), loop, 50 * 3 + 1) == 3);
    CHECK(misses(big(), loop) == 3);
    // Out of order a line is looked for when the instruction before was in another one.
    const std::vector<Word> short_loop{addi(6, 0, 50), addi(6, 6, -1), bnez(6, -4)};
    CHECK(misses(tiny(), short_loop, 51) == 1);
    CHECK(misses(big(), short_loop, 1) == 1);
}

TEST_CASE("of a set the least recently used line leaves") {
    for (const MachineDescription& machine : {tiny(), big()}) {
        CHECK(misses(machine, round(2, 20)) == 2);
        CHECK(misses(machine, round(3, 20)) == 60);
        MachineDescription wider = machine;
        wider.kinds[0].l1i = CacheDescription{2048, 64, 4, 1};
        CHECK(misses(wider, round(3, 20)) == 3);
    }
}

TEST_CASE("a core alone waits for a miss as long as a read of memory takes, and goes on at once otherwise") {
    const auto cycles = [](MachineDescription machine, bool cached) {
        if (!cached) machine.kinds[0].l1i.reset();
        Bare bare(machine);
        bare.give(0, times(4 * line_words - 1, addi(5, 5, 1)), BareMachine::data(0));
        bare.run();
        return bare.machine.stands_at() - bare.statistic("core", "stall_fetch");
    };
    CHECK(cycles(tiny(), true) == cycles(tiny(), false));
    Bare bare(tiny());
    bare.give(0, {lw(5, 8, 0), add(5, 5, 5)}, BareMachine::data(0));
    bare.run();
    CHECK(bare.statistic("l1i", "hits") == 0);
    // Both lines are their bank's first; the load's use follows it at once, so a cycle of its wait is its own.
    CHECK(bare.statistic("core", "stall_fetch") == bare.statistic("core", "stall_memory") + 1);
}

TEST_CASE("fence.i drops what was fetched") {
    std::vector<Word> code{addi(6, 0, 10), addi(6, 6, -1), bnez(6, -4)};
    CHECK(misses(tiny(), code) == 1);
    code = {addi(6, 0, 10), fence_i, addi(6, 6, -1), bnez(6, -8)};
    CHECK(misses(tiny(), code) == 11);
    CHECK(misses(big(), code) == 11);
}

// A core goes on as it was in the code that it is inside when another core makes all forget what has been decoded.
TEST_CASE("fence.i costs no room: what has been decoded before is kept for as long as a core is inside it") {
    for (const MachineDescription& machine : {tiny(), four_by_four({Protocol::mesi}), mixed()}) {
        const auto state = [&](std::int32_t times) {
            Bare bare(machine);
            std::vector<Word> code{addi(6, 0, times), fence_i, addi(6, 6, -1), bnez(6, -8)};
            for (int i = 0; i < 100; ++i) code.push_back(addi(5, 5, 1));
            bare.give(0, code, BareMachine::data(0));
            for (std::uint32_t core = 1; core < 16; ++core)
                bare.give(core, episodes(core, 10, 6), BareMachine::data(0));
            bare.run();
            CHECK(bare.x(0, 5) == 100);
            for (std::uint32_t core = 1; core < 16; ++core) CHECK(bare.x(core, 9) == 0);
            Archive archive;
            bare.machine.serialise(archive);
            return archive.written().size();
        };
        const std::size_t few = state(100);
        CHECK(state(600) <= few + 200);  // the cores stand elsewhere
    }
}

TEST_CASE("where there is no program nothing is fetched") {
    for (const MachineDescription& machine : {tiny(), big()}) {
        Bare bare(machine);
        bare.give(0, {lui(5, 0x7000000), 0x00028067 /* jr x5 */}, BareMachine::data(0));
        CHECK_THROWS_AS(bare.run(), GuestFault);
        CHECK(bare.statistic("l1i", "misses") == 1);
    }
}

TEST_CASE("with instruction caches no cycle depends on the window or on how far cores run ahead") {
    MachineDescription machines[] = {tiny(Protocol::mesi), tiny(Protocol::denovo), tiny(Protocol::gpu_wt),
                                     tiny(Protocol::gpu_wb), mixed()};
    for (CoreKind& kind : machines[4].kinds) kind.l1i = CacheDescription{512, 64, 2, 1};
    for (const MachineDescription& machine : machines) {
        const Seen longest = run_episodes(machine, 30, 12);
        CHECK(longest.differences == 0);
        CHECK(longest.total == 16 * 30);
        for (const auto& [window, ahead] : {std::pair{1u, 64u}, {0u, 0u}, {0u, 5u}, {2u, 200u}}) {
            const Seen other = run_episodes(machine, 30, 12, window, ahead);
            CHECK(other.cycles == longest.cycles);
            CHECK(other.statistics == longest.statistics);
        }
    }
}

TEST_CASE("a core that is taken back finds its instruction cache as it was") {
    // Readers go round two lines of one set, so that every fetch moves one to the front. Now and then they fetch a
    // third, which takes the place of the line not used last. All the time a writer takes from them what they read.
    std::vector<Word> reader = round(2, 300);
    reader[0] = addi(6, 0, 300);
    const std::size_t second = 8 * line_words + 1;
    reader.insert(reader.begin() + static_cast<std::ptrdiff_t>(second), {lw(5, 8, 0), add(9, 9, 5), add(9, 9, 9)});
    reader.resize(second + 5);
    reader[second + 4] = bnez(6, -4 * static_cast<std::int32_t>(second + 3));
    std::vector<Word> writer{addi(6, 0, 100), addi(7, 7, 1), sw(7, 8, 0)};
    append(writer, times(30, addi(5, 5, 1)));
    append(writer, {addi(6, 6, -1), bnez(6, -132)});
    std::vector<std::uint64_t> seen[4];
    std::size_t run = 0;
    for (const auto& [window, ahead] : {std::pair{0u, 200u}, {0u, 0u}, {1u, 64u}, {1u, 0u}}) {
        Bare bare(tiny(Protocol::mesi), window, ahead);
        for (std::uint32_t core = 0; core < 15; ++core) bare.give(core, reader, BareMachine::data(0));
        bare.give(15, writer, BareMachine::data(0));
        bare.run();
        for (std::uint32_t core = 0; core < 16; ++core) seen[run].push_back(bare.x(core, 9));
        for (const Statistic& row : bare.machine.statistics()) seen[run].push_back(row.value);
        seen[run].push_back(bare.machine.stands_at());
        CHECK(bare.statistic("l1d", "invalidated") > 100);
        ++run;
    }
    for (const auto& other : seen) CHECK(other == seen[0]);
}

}  // namespace croftsim
