// What the statistics say of loads at the L1: each look at a line is a hit or a miss, whoever makes it.

#include <doctest/doctest.h>

#include "big_cores.hpp"

namespace croftsim {

using namespace assemble;

namespace {

struct Loads {
    std::uint64_t hits, misses;
    bool operator==(const Loads&) const = default;
};
std::ostream& operator<<(std::ostream& to, const Loads& loads) {
    return to << loads.hits << " hits, " << loads.misses << " misses";
}
Loads loads_of(const BareMachine& bare) {
    return {bare.statistic("l1d", "load_hits"), bare.statistic("l1d", "load_misses")};
}
Loads loads_of(const MachineDescription& machine, const std::vector<Word>& code, std::uint32_t run_ahead = 64) {
    BareMachine bare(0, machine, run_ahead);
    bare.give(0, code, BareMachine::data(0));
    bare.run();
    return loads_of(bare);
}

// Two lines, a load in both of them, and two load-reserveds of a third.
const std::vector<Word> all_sorts{lw(5, 8, 0),      lw(6, 8, 4),  lw(7, 8, 64), lw(9, 8, 62),
                                  addi(10, 8, 128), lr_w(11, 10), lr_w(12, 10), lw(13, 8, 128)};

}  // namespace

TEST_CASE("loads: plain ones, those in two lines and load-reserveds hit or miss once for each line") {
    for (const Protocol protocol : l1_protocols()) {
        CAPTURE(name_of(protocol));
        // A load-reserved that asks the home where nobody else tells the L1 of writes finds nothing in the L1.
        const bool reserves_here = traits_of(protocol).owns;
        CHECK(loads_of(four_by_four({protocol}), all_sorts) == Loads{reserves_here ? 5u : 4u, reserves_here ? 3u : 4u});
        CHECK(loads_of(four_by_four({protocol}), {lr_w(5, 8)}) == Loads{0, 1});
        CHECK(loads_of(four_by_four({protocol}), {lw(5, 8, 62)}) == Loads{0, 2});
    }
}

TEST_CASE("loads: of a tile's L1 with short lines, a load in two lines of the L2 reads both there") {
    const MachineDescription machine = eight_by_eight();
    CHECK(loads_of(machine, {lw(5, 8, 0), lw(6, 8, 4), lw(7, 8, 16), lw(9, 8, 14)}) == Loads{2, 2});
    CHECK(loads_of(machine, {lw(5, 8, 0), lw(6, 8, 64), lw(7, 8, 62), lw(9, 8, 60)}) == Loads{1, 4});
    CHECK(loads_of(machine, {lr_w(5, 8), lr_w(6, 8), lw(7, 8, 8)}) == Loads{2, 1});
}

TEST_CASE("loads and fetches: whenever the count is taken, no hit is missing and none is taken back" *
          doctest::test_suite("slow")) {
    MachineDescription machines[] = {four_by_four({Protocol::mesi}), four_by_four({Protocol::gpu_wb}), eight_by_eight(),
                                     one_big()};
    std::vector<Word> code{addi(14, 0, 3)};
    append(code, all_sorts);
    append(code, {addi(8, 8, 256), addi(14, 14, -1), bnez(14, -4 * static_cast<std::int32_t>(all_sorts.size() + 2))});
    append(code, std::vector<Word>(40, addi(15, 15, 1)));
    for (MachineDescription& machine : machines) {
        machine.kinds[0].l1i = CacheDescription{512, 64, 2, 1};
        const auto counts_of = [](const BareMachine& bare) {
            return std::array{bare.statistic("l1d", "load_hits"), bare.statistic("l1d", "load_misses"),
                              bare.statistic("l1i", "hits"), bare.statistic("l1i", "misses")};
        };
        std::array<std::uint64_t, 4> before{};
        for (std::uint64_t moment = 1; moment < 2500; ++moment) {
            CAPTURE(moment);
            BareMachine bare(0, machine, 0);
            bare.give(0, code, BareMachine::data(0));
            bare.machine.run(moment, {});
            const auto now = counts_of(bare);
            for (std::size_t i = 0; i < now.size(); ++i) CHECK(now[i] >= before[i]);
            before = now;
        }
        BareMachine bare(0, machine);
        bare.give(0, code, BareMachine::data(0));
        bare.run();
        CHECK(counts_of(bare) == before);
    }
}

TEST_CASE("loads: out of order, those of wrong paths count, and those that the L1 does not see do not") {
    const auto spent = [](const std::vector<Word>& code, const char* what, std::uint32_t run_ahead = 64) {
        Bare bare(one_big(), 0, run_ahead);
        bare.give(0, code, BareMachine::data(0));
        bare.run();
        return bare.statistic("window", what);
    };
    // The second one waits for the line that the first has asked for.
    const std::vector<Word> together{lw(5, 8, 0), lw(6, 8, 4)};
    CHECK(loads_of(one_big(), together) == Loads{0, 1});
    CHECK(spent(together, "merged") == 1);
    // From a store in flight.
    const std::vector<Word> forwarded{sw(5, 8, 0), lw(6, 8, 0)};
    CHECK(spent(forwarded, "forwarded") == 1);
    CHECK(loads_of(one_big(), forwarded) == Loads{0, 0});
    // Behind a branch that is known late, and was predicted to fall through: undone, and seen by the L1 all the same.
    const std::vector<Word> wrong{lw(5, 8, 0), addi(6, 5, 1), bnez(6, 8), lw(7, 8, 64), lw(9, 8, 0)};
    CHECK(spent(wrong, "mispredictions") == 1);
    const Loads counted = loads_of(one_big(), wrong);
    CHECK(counted.misses == 2);
    CHECK(counted.hits + spent(wrong, "merged") == 2);  // of its own line, on either path
    // A load-reserved, alone.
    CHECK(loads_of(one_big(), {lr_w(5, 8), lr_w(6, 8)}) == Loads{1, 1});
}

TEST_CASE("loads: out of order, what the window remembers of its past is counted as if it were done") {
    std::vector<Word> loop{addi(5, 0, 300)};
    const std::vector<Word> body{lw(6, 8, 0), lw(7, 8, 64), sw(7, 8, 128), lw(9, 8, 128), addi(5, 5, -1), bnez(5, -20)};
    append(loop, body);
    const Loads remembered = loads_of(one_big(), loop);
    CHECK(remembered == loads_of(one_big(), loop, 0));
    CHECK(remembered.misses == 2);
    CHECK(remembered.hits > 500);
}

}  // namespace croftsim
