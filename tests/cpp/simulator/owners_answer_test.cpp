// Owners that answer requesters themselves, on bare machines: what three hops cost against four. And the kernel sees
// the bytes of a line also while they are on their way from one core to another.

#include <doctest/doctest.h>

#include "critical_sections.hpp"
#include "interrupt_programs.hpp"

namespace croftsim {

using namespace assemble;

namespace {

MachineDescription answering(std::vector<Protocol> quarters, bool owners_answer = true) {
    MachineDescription machine = four_by_four(std::move(quarters));
    if (owners_answer) machine.shared->answers = LevelDescription::Answers::owner;
    return machine;
}
// Before the banks, or before a filter, four tiles share a cache.
MachineDescription in_clusters(Protocol l1, bool is_filter) {
    MachineDescription machine = answering({l1});
    LevelDescription& cluster = machine.levels.emplace_back();
    cluster.name = "cluster";
    cluster.shared_by = 4;
    cluster.size = 1024;
    cluster.ways = 4;
    cluster.service = 2;
    cluster.protocol = Protocol::moesi;
    cluster.answers = LevelDescription::Answers::owner;
    if (is_filter) machine.shared->inclusion = LevelDescription::Inclusion::filter;
    return machine;
}
std::vector<MachineDescription> all_machines() {
    std::vector<MachineDescription> machines;
    for (const Protocol l1 : {Protocol::mesi, Protocol::moesi, Protocol::denovo_line}) {
        machines.push_back(answering({l1}));
        for (const bool is_filter : {false, true}) machines.push_back(in_clusters(l1, is_filter));
    }
    machines.push_back(answering({Protocol::mesi}));
    machines.back().shared->inclusion = LevelDescription::Inclusion::filter;
    machines.push_back(answering(l1_protocols()));
    return machines;
}

const std::uint64_t at = BareMachine::data(0);       // whose bank is at column 0, row 0
constexpr std::uint32_t owner = 15, requester = 12;  // 6 routers from the bank, and 3; 3 from each other

struct Took {
    std::uint64_t cycles, by_owners;
    bool operator==(const Took&) const = default;
};
std::ostream& operator<<(std::ostream& to, const Took& took) {
    return to << took.cycles << " cycles, " << took.by_owners << " by owners";
}
// The requester's code takes that, when the owner has done its own.
Took took(const MachineDescription& machine, const std::vector<Word>& before, const std::vector<Word>& code) {
    Bare bare(machine);
    bare.give(owner, before, at);
    bare.run();
    std::vector<Word> timed{addi(5, 0, 1), rdcycle(10)};
    append(timed, code);
    timed.push_back(rdcycle(11));
    bare.give(requester, timed, at);
    bare.run();
    return {bare.x(requester, 11) - bare.x(requester, 10), bare.statistic("bank", "by_owners")};
}

const std::vector<Word> writes{addi(5, 0, 7), sw(5, 8, 0), fence}, reads{lw(6, 8, 0), add(7, 6, 6)};

}  // namespace

// The L1 is searched (1). A message over n links takes 1 + 2n + 1 cycles, and the bank's own link is one of them. The
// request goes over 4, the bank serves it (6), and its recall goes over 7. The owner answers behind 1 cycle. The line
// has five flits, of which the last arrives 4 cycles behind the first. From the owner to the requester it goes over 3
// links, and is filled (1). Else it goes over 7 links to the bank, which serves it (6), and from there over 4.
TEST_CASE("owners that answer: a dirty line takes three hops for four, and not a cycle less or more") {
    constexpr std::uint64_t asked = 1 + 10 + 6 + 16 + 1, three = asked + 12 + 1, four = asked + 20 + 6 + 14 + 1;
    constexpr std::uint64_t of_load = 2, of_atomic = 3;  // to issue it and what uses its result
    for (const Protocol l1 : {Protocol::mesi, Protocol::moesi}) {
        CAPTURE(name_of(l1));
        CHECK(took(answering({l1}, false), writes, reads) == Took{four + of_load, 0});
        CHECK(took(answering({l1}), writes, reads) == Took{three + of_load, 1});
        CHECK(took(answering({l1}), {lw(5, 8, 0)}, reads) == Took{three + of_load, 1});  // its own, clean
    }
    for (const Protocol l1 : {Protocol::mesi, Protocol::moesi, Protocol::denovo_line}) {
        CAPTURE(name_of(l1));
        const std::vector<Word> adds{amoadd_w(6, 5, 8), add(7, 6, 6)};
        CHECK(took(answering({l1}, false), writes, adds) == Took{four + of_atomic, 0});
        CHECK(took(answering({l1}), writes, adds) == Took{three + of_atomic, 1});
    }
}

TEST_CASE("owners that answer: who has a copy asks for no bytes, and an owner that has left a line answers nobody") {
    Bare bare(answering({Protocol::moesi}));
    bare.give(owner, writes, at);
    bare.run();
    bare.give(requester, {lw(6, 8, 0), amoadd_w(7, 6, 8)}, at);
    bare.run();
    CHECK(bare.statistic("bank", "recalls") == 2);
    CHECK(bare.statistic("bank", "by_owners") == 1);  // of the load
    // Two more lines of its L1's set have come.
    CHECK(took(answering({Protocol::mesi}), {lw(5, 8, 0), lw(5, 8, 256), lw(5, 8, 512)}, reads).by_owners == 0);
}

// One core writes the line, and another asks for it and writes beside.
TEST_CASE("owners that answer: the kernel sees and changes a line that is on its way from one core to another") {
    for (const MachineDescription& machine : all_machines())
        for (std::uint64_t moment = 550; moment < 800; ++moment) {
            CAPTURE(name_of(machine.kinds[0].protocol));
            CAPTURE(machine.levels.size());
            CAPTURE(machine.shared->is_filter());
            CAPTURE(moment);
            Bare bare(machine);
            bare.give(owner, writes, at);
            std::vector<Word> late;
            work(late, 550);
            append(late, {addi(5, 0, 9), sw(5, 8, 4), fence, lw(6, 8, 0)});
            bare.give(requester, late, at);
            bare.machine.run(moment, {});
            const auto word = [&](std::uint64_t address) {
                std::uint32_t value = 0;
                bare.machine.read(address, {reinterpret_cast<std::uint8_t*>(&value), 4});
                return value;
            };
            CHECK(word(at) == 7);
            const std::uint32_t written = 77;
            bare.machine.write(at + 8, {reinterpret_cast<const std::uint8_t*>(&written), 4});
            CHECK(word(at + 8) == 77);
            bare.machine.synchronise_instructions();
            std::uint32_t in_memory = 0;
            bare.memory.read_dram(at, &in_memory, 4);
            CHECK(in_memory == 7);
            if (moment % 2) bare.machine.address_space_changes(at, AddressSpace::page_bytes, false);
            CHECK(word(at) == 7);
            bare.run();
            CHECK(bare.x(requester, 6) == 7);
            CHECK(word(at) == 7);
            CHECK(word(at + 4) == 9);
            CHECK(word(at + 8) == 77);
        }
}

TEST_CASE("owners that answer: critical sections lose nothing, and no cycle depends on how far cores run ahead") {
    for (const MachineDescription& machine : all_machines()) {
        CAPTURE(name_of(machine.kinds[0].protocol));
        CAPTURE(machine.levels.size());
        CAPTURE(machine.shared->is_filter());
        const Seen exact = run_episodes(machine, 20, 6, 0, 0);
        CHECK(exact.differences == 0);
        CHECK(exact.total == 16 * 20);
        CHECK(run_episodes(machine, 20, 6, 0, 200).statistics == exact.statistics);
        CHECK(run_episodes(machine, 20, 6, 1, 200).statistics == exact.statistics);
        CHECK(added_by_reservations(machine, at, 10) == 16 * 10);
    }
}

}  // namespace croftsim
