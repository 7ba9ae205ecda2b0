// Prefetchers of L1s, on bare machines. The tests say which lines they bring, and which loads no longer miss. No cycle
// depends on how far a core runs ahead.

#include <doctest/doctest.h>

#include "interrupt_programs.hpp"
#include "l1_protocols.hpp"

namespace croftsim {

using namespace assemble;

namespace {

using Policy = PrefetchDescription::Policy;

// Loads at these distances from the start of the page, each with time to let everything arrive before the next.
struct PrefetchedLoads {
    std::uint64_t misses, prefetches, used, cycles;
    bool operator==(const PrefetchedLoads&) const = default;
};
PrefetchedLoads run_loads(Protocol l1, std::optional<PrefetchDescription> prefetch, const std::vector<std::int32_t>& at,
                          std::int32_t between = 300, std::uint32_t run_ahead = 64) {
    MachineDescription machine = four_by_four({l1});
    for (CoreKind& kind : machine.kinds) kind.prefetch = prefetch;
    BareMachine bare(0, machine, run_ahead);
    std::vector<Word> code;
    for (const std::int32_t offset : at) {
        code.push_back(lw(5, 8, offset));
        append(code, {add(6, 5, 5)});
        if (between > 0) work(code, between);
    }
    code.push_back(rdcycle(11));
    bare.give(1, code, BareMachine::data(0));
    bare.run();
    return {bare.statistic("l1d", "load_misses"), bare.statistic("l1d", "prefetches"),
            bare.statistic("l1d", "prefetches_used"), bare.x(1, 11)};
}
std::vector<std::int32_t> lines(std::int32_t step, std::int32_t count) {
    std::vector<std::int32_t> at;
    for (std::int32_t i = 0; i < count; ++i) at.push_back(i * step * 64);
    return at;
}

}  // namespace

TEST_CASE("prefetch: behind one miss the next line comes, and its first use brings the one behind it") {
    for (const Protocol l1 : l1_protocols()) {
        CAPTURE(name_of(l1));
        const PrefetchedLoads without = run_loads(l1, std::nullopt, lines(1, 8));
        const PrefetchedLoads with = run_loads(l1, PrefetchDescription{Policy::next_line}, lines(1, 8));
        CHECK(without.misses == 8);
        CHECK(with.misses == 1);
        CHECK(with.prefetches == 8);
        CHECK(with.used == 7);
        CHECK(with.cycles < without.cycles);
        const PrefetchedLoads far = run_loads(l1, PrefetchDescription{Policy::next_line, 2}, lines(1, 8));
        CHECK(far.misses == 1);
        CHECK(far.prefetches == 9);
    }
}

TEST_CASE("prefetch: a load for which the line is late waits for it, and asks for nothing") {
    for (const Protocol l1 : l1_protocols()) {
        CAPTURE(name_of(l1));
        const PrefetchedLoads without = run_loads(l1, std::nullopt, lines(1, 8), 0);
        const PrefetchedLoads with = run_loads(l1, PrefetchDescription{Policy::next_line}, lines(1, 8), 0);
        CHECK(with.misses == 6);  // two come while the core waits for the line before
        CHECK(with.prefetches == 8);
        CHECK(with.used == 7);
        CHECK(with.cycles < without.cycles);
    }
}

TEST_CASE("prefetch: a stride that has come twice is followed, up and down, and one that changes is not") {
    const PrefetchDescription stride{Policy::stride};
    const auto misses = [&](const std::vector<std::int32_t>& at) {
        return run_loads(Protocol::mesi, stride, at).misses;
    };
    CHECK(misses(lines(3, 8)) == 3);
    std::vector<std::int32_t> down;
    for (std::int32_t i = 24; i >= 3; i -= 3) down.push_back(i * 64);
    CHECK(misses(down) == 3);
    CHECK(misses({0, 64, 256, 320, 1024, 1088}) == 6);
    CHECK(run_loads(Protocol::mesi, stride, {0, 64, 256, 320, 1024, 1088}).prefetches == 0);
}

TEST_CASE("prefetch: nothing is asked for beyond the pages that may be read") {
    // The last line of the last page: behind it nothing is mapped.
    MachineDescription machine = four_by_four({Protocol::mesi});
    for (CoreKind& kind : machine.kinds) kind.prefetch = PrefetchDescription{Policy::next_line, 4};
    Bare bare(machine);
    const std::uint64_t last = BareMachine::data(machine.tiles()) - 64;
    bare.give(1, {lw(5, 8, 0), add(6, 5, 5)}, last);
    bare.run();
    CHECK(bare.statistic("l1d", "prefetches") == 0);
    CHECK(bare.statistic("l1d", "load_misses") == 1);
}

TEST_CASE("prefetch: no cycle depends on how far cores run ahead") {
    for (const Protocol l1 : l1_protocols())
        for (const std::int32_t between : {0, 20, 300}) {
            CAPTURE(name_of(l1));
            CAPTURE(between);
            const PrefetchDescription next{Policy::next_line, 2};
            CHECK(run_loads(l1, next, lines(1, 12), between, 0) == run_loads(l1, next, lines(1, 12), between, 200));
        }
}

}  // namespace croftsim
