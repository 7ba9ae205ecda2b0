// The cost of a line for which a set of its home has no room. One line makes room for it, and no other leaves.

#include <doctest/doctest.h>

#include "interrupt_programs.hpp"

namespace croftsim {

using namespace assemble;

namespace {

constexpr std::int32_t ways = 4, stride = 512;  // from a line to the next of the same set of the same bank

// Each bank has two sets of four lines, which one L1 can all hold.
MachineDescription of_four_ways(Protocol protocol) {
    MachineDescription machine = four_by_four({protocol});
    machine.shared->size = 512;
    machine.shared->ways = ways;
    machine.kinds[0].l1d = {2048, 64, ways, 1};
    return machine;
}

const std::uint64_t full = BareMachine::data(0), more = full + ways * stride;

// Core 1 has written a word of each line of a set.
std::vector<Word> fill_set() {
    std::vector<Word> code;
    for (std::int32_t way = 0; way < ways; ++way) append(code, {addi(5, 0, 7 + way), sw(5, 8, way * stride)});
    code.push_back(fence);
    return code;
}

struct Spent {
    std::uint64_t evictions, recalls, invalidations;
    bool operator==(const Spent&) const = default;
};
std::ostream& operator<<(std::ostream& to, const Spent& spent) {
    return to << spent.evictions << " evictions, " << spent.recalls << " recalls, " << spent.invalidations
              << " invalidations";
}
Spent spent_at(const BareMachine& bare) {
    return {bare.statistic("bank", "evictions"), bare.statistic("bank", "recalls"),
            bare.statistic("bank", "invalidations")};
}

}  // namespace

TEST_CASE("full set: one line of an L2 bank leaves for one that comes, and its owner alone is asked for it") {
    struct Case {
        Protocol protocol;
        bool has_l2;
        Spent spent;
    };
    for (const auto& [protocol, has_l2, spent] : {
             Case{Protocol::mesi, false, {1, 1, 0}},
             Case{Protocol::denovo, false, {1, 1, 0}},
             Case{Protocol::denovo_line, false, {1, 1, 0}},
             Case{Protocol::gpu_wt, false, {1, 0, 0}},
             Case{Protocol::gpu_wb, false, {1, 0, 0}},
             Case{Protocol::gpu_wb, true, {1, 1, 0}},
         }) {
        CAPTURE(name_of(protocol));
        CAPTURE(has_l2);
        MachineDescription machine = of_four_ways(protocol);
        if (has_l2) machine.kinds[0].l2 = SecondCacheDescription{{2048, 64, ways, 6}, 3};
        Bare bare(machine);
        bare.give(1, fill_set(), full);
        bare.run();
        REQUIRE(spent_at(bare) == Spent{0, 0, 0});
        bare.give(2, {lw(6, 8, 0)}, more);
        bare.run();
        CHECK(spent_at(bare) == spent);
        // The least recently used one has left, and memory has what it held; the others are here.
        bare.give(3, {lw(10, 8, 0)}, full);
        bare.run();
        CHECK(bare.x(3, 10) == 7);
        CHECK(bare.statistic("bank", "memory_writes") >= 1);
        CHECK(bare.statistic("bank", "memory_reads") - bare.statistic("bank", "evictions") == ways);
    }
}

TEST_CASE("full set: of a line that several have read, each is told, and of no other") {
    Bare bare(of_four_ways(Protocol::mesi));
    const std::vector<Word> all{lw(5, 8, 0), lw(5, 8, stride), lw(5, 8, 2 * stride), lw(5, 8, 3 * stride)};
    bare.give(1, all, full);
    bare.run();
    bare.give(2, all, full);
    bare.run();
    const Spent before = spent_at(bare);
    bare.give(3, {lw(6, 8, 0)}, more);
    bare.run();
    CHECK(spent_at(bare) == Spent{before.evictions + 1, before.recalls, before.invalidations + 2});
}

TEST_CASE("full set: lines that come at once each take another one's place, also more than there are") {
    for (const Protocol protocol : {Protocol::mesi, Protocol::denovo, Protocol::gpu_wb})
        for (const std::uint32_t comers : {2u, 4u, 7u}) {
            CAPTURE(name_of(protocol));
            CAPTURE(comers);
            Bare bare(of_four_ways(protocol));
            bare.give(1, fill_set(), full);
            bare.run();
            const auto recalls = bare.statistic("bank", "recalls");
            for (std::uint32_t comer = 0; comer < comers; ++comer)
                bare.give(4 + comer, {lw(6, 8, 0)}, more + comer * stride);
            bare.run();
            CHECK(bare.statistic("bank", "evictions") == comers);
            const bool owns = traits_of(protocol).owns;
            CHECK(bare.statistic("bank", "recalls") - recalls ==
                  (owns ? std::min<std::uint32_t>(comers, ways) : 0) +
                      (protocol == Protocol::mesi && comers > ways ? comers - ways : 0));  // exclusive copies
            for (std::int32_t way = 0; way < ways; ++way) {
                bare.give(2, {lw(10, 8, 0)}, full + static_cast<std::uint64_t>(way * stride));
                bare.run();
                CHECK(bare.x(2, 10) == static_cast<std::uint64_t>(7 + way));
            }
        }
}

TEST_CASE("full set: the line that waits for room has it when the eviction ends, to the cycle") {
    const auto took = [](std::uint32_t occupancy, std::uint32_t drop) {
        MachineDescription machine = of_four_ways(Protocol::mesi);
        machine.shared->occupancy = occupancy;
        machine.shared->drop = drop;
        Bare bare(machine);
        bare.give(1, fill_set(), full);
        bare.run();
        bare.give(2, {rdcycle(10), lw(6, 8, 0), add(7, 6, 6), rdcycle(11)}, more);
        bare.run();
        return bare.x(2, 11) - bare.x(2, 10);
    };
    for (std::uint32_t occupancy = 1; occupancy < 12; ++occupancy) CHECK(took(occupancy, 100) == took(0, 100));
    for (std::uint32_t drop = 100; drop < 110; ++drop) CHECK(took(5, drop + 1) == took(5, drop) + 1);
}

TEST_CASE("full set: who wants the line that leaves waits, and gets it anew with what it held") {
    for (const Protocol protocol : {Protocol::mesi, Protocol::denovo}) {
        CAPTURE(name_of(protocol));
        for (std::int32_t later = 6; later < 300; later += 6) {
            CAPTURE(later);
            MachineDescription machine = of_four_ways(protocol);
            machine.shared->drop = 40;
            Bare bare(machine);
            bare.give(1, fill_set(), full);
            bare.run();
            bare.give(2, {lw(6, 8, 0)}, more);
            std::vector<Word> wants;
            work(wants, later);
            append(wants, {lw(10, 8, 0), addi(12, 10, 1), sw(12, 8, 0), fence, lw(11, 8, 0)});
            bare.give(3, wants, full);
            bare.run();
            CHECK(bare.x(3, 10) == 7);
            CHECK(bare.x(3, 11) == 8);
            CHECK(bare.statistic("bank", "evictions") <= 2);
        }
    }
}

TEST_CASE("full set: a line whose page goes while it makes room leaves its place to the one that waits") {
    for (std::uint64_t moment = 0; moment < 400; moment += 7) {
        CAPTURE(moment);
        Bare bare(of_four_ways(Protocol::mesi));
        bare.give(1, fill_set(), full);
        bare.run();
        const std::uint32_t nine = 9;
        const std::uint64_t wanted = BareMachine::data(1);
        bare.machine.write(wanted, {reinterpret_cast<const std::uint8_t*>(&nine), 4});
        bare.give(2, {lw(6, 8, 0)}, wanted);
        bare.machine.run(bare.machine.stands_at() + moment, {});
        bare.machine.address_space_changes(full, AddressSpace::page_bytes, true);
        bare.run();
        CHECK(bare.x(2, 6) == nine);
        CHECK(bare.statistic("bank", "evictions") <= 1);
    }
}

// A tile's L2 gives the place of a line away at once: what its sharers have to do is waited for without it.
TEST_CASE("full set: one line of a tile's L2 leaves for one that comes, and its sharers alone are told") {
    BareMachine bare;  // the L2 has 32 sets of 2 lines: 4096 bytes
    bare.memory.set_home(BareMachine::data(6), AddressSpace::page_bytes, 5);
    const std::uint64_t at = BareMachine::data(5);
    for (const std::uint32_t reader : {40u, 41u}) {
        bare.give(reader, {lw(5, 8, 0)}, at);
        bare.run();
        bare.give(reader, {lw(5, 8, 0)}, at + 2048);
        bare.run();
    }
    REQUIRE(bare.statistic("l2", "evictions") == 0);
    bare.give(42, {lw(6, 8, 0)}, BareMachine::data(6));
    bare.run();
    CHECK(bare.statistic("l2", "evictions") == 1);
    CHECK(bare.statistic("home", "invalidations") == 2);
}

}  // namespace croftsim
