// The state of a machine that stands still: read into another one it is written again as the same bytes, and both
// machines end alike.

#include <doctest/doctest.h>

#include "base/archive.hpp"
#include "big_cores.hpp"

namespace croftsim {
namespace {

std::vector<std::uint8_t> written(Bare& bare) {
    Archive archive;
    bare.machine.serialise(archive);
    return archive.written();
}

void read_into(Bare& bare, std::span<const std::uint8_t> state) {
    Archive archive(state);
    bare.machine.serialise(archive);
    archive.end();
}

std::vector<std::uint64_t> counts(const Bare& bare) {
    std::vector<std::uint64_t> values;
    for (const Statistic& row : bare.machine.statistics()) values.push_back(row.value);
    return values;
}

// Cores that take each other's lines all the time.
void give_episodes(Bare& bare) {
    for (std::uint32_t core = 0; core < 16; ++core) bare.give(core, episodes(core, 10, 6), BareMachine::data(0));
}

// 130 tiles, for which a directory needs three words a line.
MachineDescription many_tiles(Protocol protocol) {
    MachineDescription machine = protocol == Protocol::ddc ? eight_by_eight() : four_by_four({protocol});
    machine.cores = machine.kinds[0].count = 130;
    machine.network.columns = 13;
    machine.network.rows = 10;
    return machine;
}

MachineDescription with_private_l2() {
    MachineDescription machine = four_by_four({Protocol::gpu_wt, Protocol::gpu_wb});
    for (CoreKind& kind : machine.kinds) kind.l2 = SecondCacheDescription{{2048, 64, 2, 4}, 1};
    return machine;
}

}  // namespace

TEST_CASE("a machine that takes over another one's state is that machine") {
    for (const MachineDescription& description : {eight_by_eight(), mixed(), with_private_l2()}) {
        Bare whole(description);
        give_episodes(whole);
        whole.run();
        const std::uint64_t end = whole.machine.stands_at();
        Bare stopped(description);
        give_episodes(stopped);
        for (std::uint64_t part = 1; part < 8; ++part) {
            REQUIRE(stopped.machine.run(end * part / 8, {}) == Machine::Stop::cycle_limit);
            const std::vector<std::uint8_t> state = written(stopped);
            Bare other(description);
            read_into(other, state);
            CHECK(written(other) == state);
            other.run();
            CHECK(other.machine.stands_at() == end);
            CHECK(counts(other) == counts(whole));
            for (std::uint32_t core = 0; core < 16; ++core) CHECK(other.x(core, 9) == whole.x(core, 9));
        }
    }
}

TEST_CASE("what has been decoded goes on, although memory holds something else since, and no fence.i has come") {
    constexpr std::uint64_t code_at = 0x1000000;
    for (const MachineDescription& description : {eight_by_eight(), one_big()}) {
        Bare stopped(description);
        stopped.give(0, {addi(23, 0, 200), addi(9, 9, 1), addi(23, 23, -1), bnez(23, -8)}, BareMachine::data(0));
        REQUIRE(stopped.machine.run(300, {}) == Machine::Stop::cycle_limit);
        const Word by_two = addi(9, 9, 2);
        stopped.memory.write_dram(code_at + 4, &by_two, 4);
        Bare other(description);
        read_into(other, written(stopped));
        stopped.run();
        other.run();
        CHECK(stopped.x(0, 9) == 200);
        CHECK(other.x(0, 9) == 200);
        CHECK(counts(other) == counts(stopped));
    }
}

TEST_CASE("a state that is cut short, or of another machine, is refused") {
    Bare stopped(mixed());
    give_episodes(stopped);
    stopped.machine.run(5000, {});
    const std::vector<std::uint8_t> state = written(stopped);
    for (std::size_t length = 0; length < state.size(); length += 1 + state.size() / 97) {
        Bare other(mixed());
        CHECK_THROWS_AS(read_into(other, std::span(state).first(length)), CheckpointError);
    }
    std::vector<std::uint8_t> longer = state;
    longer.push_back(0);
    Bare other(mixed());
    CHECK_THROWS_AS(read_into(other, longer), CheckpointError);
    Bare another(eight_by_eight());
    CHECK_THROWS_AS(read_into(another, state), CheckpointError);
}

TEST_CASE("a write takes its copy from each sharer, also behind the first 64 tiles, and behind a checkpoint") {
    for (const Protocol protocol : {Protocol::ddc, Protocol::mesi}) {
        const std::uint64_t at = BareMachine::data(100);
        const std::initializer_list<std::uint32_t> sharers{0, 63, 64, 127, 128, 129};
        Bare first(many_tiles(protocol));
        for (const std::uint32_t tile : sharers) first.give(tile, {lw(5, 8, 0)}, at);
        first.run();
        const std::vector<std::uint8_t> state = written(first);
        Bare second(many_tiles(protocol));
        for (std::uint32_t tile : sharers) second.give(tile, {lw(5, 8, 0)}, at);  // its pages
        read_into(second, state);
        CHECK(written(second) == state);
        const char* const cache = protocol == Protocol::ddc ? "l2" : "l1d";
        for (Bare* bare : {&first, &second}) {
            CHECK(bare->statistic(cache, "invalidated") == 0);
            bare->give(70, {addi(5, 0, 77), sw(5, 8, 0), fence}, at);
            bare->run();
            CHECK(bare->statistic(cache, "invalidated") == sharers.size());
            for (const std::uint32_t tile : sharers) bare->give(tile, {lw(5, 8, 0)}, at);
            bare->run();
            for (const std::uint32_t tile : sharers) CHECK(bare->x(tile, 5) == 77);
        }
        CHECK(counts(first) == counts(second));
    }
}

}  // namespace croftsim
