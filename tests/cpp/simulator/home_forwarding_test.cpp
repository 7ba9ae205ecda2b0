// Lines that go to their home without having been asked for, on bare machines whose caches are levels. The tests show
// the cost of the next load there, who has the line then, and the fate of one that its home cannot take.

#include <doctest/doctest.h>

#include "critical_sections.hpp"

namespace croftsim {

using namespace assemble;

namespace {

constexpr Word ntl_pall = 0x00300033;
constexpr Word forward(Word rs1, Word options) { return options << 20 | rs1 << 15 | 0x0b; }
constexpr Word into_l1 = 1, synchronous = 4;

MachineDescription with_levels(bool forwards, bool is_filter = false) {
    MachineDescription machine = four_by_four({Protocol::mesi});
    machine.kinds[0].l2 = SecondCacheDescription{{1024, 64, 2, 4}, 1};
    if (forwards) machine.forwarding = ForwardingDescription{2, 50};
    if (is_filter) machine.shared->inclusion = LevelDescription::Inclusion::filter;
    return machine;
}

constexpr std::uint32_t writer = 15, home = 12;
const std::uint64_t at = BareMachine::data(home);

const std::vector<Word> owned{addi(5, 0, 7), sw(5, 8, 0), sw(5, 8, 4), fence};
const std::vector<Word> around{addi(5, 0, 7), ntl_pall, sw(5, 8, 0), ntl_pall, sw(5, 8, 4)};

// Cycles of a load at the home, behind the writer's code.
struct Loaded {
    std::uint64_t cycles, value;
    bool operator==(const Loaded&) const = default;
};
std::ostream& operator<<(std::ostream& to, const Loaded& one) {
    return to << one.value << " in " << one.cycles << " cycles";
}
Loaded loaded_at_home(Bare& bare) {
    bare.give(home, {rdcycle(10), lw(6, 8, 4), add(7, 6, 6), rdcycle(11)}, at);
    bare.run();
    return {bare.x(home, 11) - bare.x(home, 10), bare.x(home, 6)};
}
Loaded loaded_behind(const MachineDescription& machine, std::vector<Word> code, Word options) {
    Bare bare(machine);
    code.push_back(forward(8, options));
    bare.give(writer, code, at);
    bare.run();
    return loaded_at_home(bare);
}

}  // namespace

TEST_CASE("a forwarded line is in its home's L2, or L1 too, and a load there asks nobody") {
    for (const bool is_filter : {false, true})
        for (const auto& code : {owned, around}) {
            CAPTURE(is_filter);
            CAPTURE(code.size());
            const Loaded elsewhere = loaded_behind(with_levels(false, is_filter), code, into_l1);
            CHECK(elsewhere.value == 7);
            CHECK(elsewhere.cycles > 20);  // at least the bank is asked
            CHECK(loaded_behind(with_levels(true, is_filter), code, 0) == Loaded{6, 7});
            CHECK(loaded_behind(with_levels(true, is_filter), code, into_l1) == Loaded{3, 7});
        }
}

TEST_CASE("who forwards keeps nothing, and stores that do not allocate never bring the line") {
    for (const auto& code : {owned, around}) {
        Bare bare(with_levels(true));
        std::vector<Word> both = code;
        both.push_back(forward(8, into_l1 + synchronous));
        bare.give(writer, both, at);
        bare.run();
        const std::uint64_t missed = bare.statistic("l1d", "load_misses");
        CHECK(bare.statistic("l1d", "store_misses") == (code == owned ? 1 : 0));
        CHECK(bare.statistic("bank", "pushed") == 1);
        CHECK(bare.statistic("l2", "pushed") == 1);
        bare.give(writer, {lw(6, 8, 4)}, at);
        bare.run();
        CHECK(bare.x(writer, 6) == 7);
        CHECK(bare.statistic("l1d", "load_misses") == missed + 1);
    }
}

TEST_CASE("a fence behind stores that do not allocate waits for them, and a load of the line does") {
    Bare bare(with_levels(true));
    std::vector<Word> code = around;
    append(code, {fence, lw(9, 8, 0)});
    bare.give(writer, code, at);
    bare.run();
    CHECK(bare.x(writer, 9) == 7);
    CHECK(bare.statistic("bank", "writes") == 1);  // two stores, one message
    CHECK(bare.statistic("bank", "pushed") == 0);  // nobody has forwarded

    Bare unfenced(with_levels(true));
    code = around;
    code.push_back(lw(9, 8, 0));
    unfenced.give(writer, code, at);
    unfenced.run();
    CHECK(unfenced.x(writer, 9) == 7);  // when the line has been sent because it was due
}

TEST_CASE("lines are sent to make room for others, and a page without a home is its writer's own affair") {
    for (const bool has_home : {true, false}) {
        CAPTURE(has_home);
        Bare bare(with_levels(true));
        if (!has_home) bare.memory.set_home(at, AddressSpace::page_bytes, Page::default_home);
        std::vector<Word> code{addi(5, 0, 7)};
        for (int line = 0; line < 3; ++line) append(code, {ntl_pall, sw(5, 8, 64 * line + 4)});
        append(code, {fence, forward(8, into_l1)});
        bare.give(writer, code, at);
        bare.run();
        CHECK(bare.statistic("bank", "writes") == (has_home ? 3 : 0));  // else the writer's own L2 takes them
        CHECK(bare.statistic("bank", "pushed") == 0);                   // the fence has sent the line already
        CHECK(loaded_at_home(bare).value == 7);
    }
}

TEST_CASE("a home whose set has lines of its L1 refuses what comes unasked, and loses nothing") {
    Bare bare(with_levels(true));
    // Two lines of the same set of the L2, which the L1 has: their places would have to be asked for.
    bare.give(home, {lw(5, 8, 512), lw(6, 8, 1024)}, at);
    bare.run();
    std::vector<Word> code = owned;
    code.push_back(forward(8, into_l1));
    bare.give(writer, code, at);
    bare.run();
    CHECK(bare.statistic("l2", "pushes_refused") == 1);
    CHECK(loaded_at_home(bare).value == 7);
}

// The core owns line Y, and another owns line X. It stores to X and then to Y, and the other reads Y before it has been
// asked for X.
TEST_CASE("a store is not seen before the one before it where stores are visible in order, and else may be") {
    for (const auto stores : {CoreDescription::Stores::any, CoreDescription::Stores::in_order}) {
        CAPTURE((stores == CoreDescription::Stores::in_order));
        MachineDescription machine = four_by_four({Protocol::mesi});
        machine.kinds[0].core.stores = stores;
        Bare bare(machine);
        bare.give(home, {sw(0, 8, 0), fence}, at);
        bare.run();
        bare.give(writer, {sw(0, 8, 64), fence}, at);
        bare.run();
        bare.give(writer, {addi(5, 0, 1), rdcycle(10), sw(5, 8, 0), sw(5, 8, 64), rdcycle(11), fence}, at);
        bare.give(home, {lw(9, 8, 64)}, at);
        bare.run();
        CHECK(bare.x(writer, 11) - bare.x(writer, 10) == 3);  // neither waits
        CHECK(bare.x(home, 9) == (stores == CoreDescription::Stores::any));
        bare.give(home, {lw(9, 8, 0), lw(10, 8, 64)}, at);
        bare.run();
        CHECK(bare.x(home, 9) == 1);
        CHECK(bare.x(home, 10) == 1);  // although its line had been taken away when its turn came
    }
}

}  // namespace croftsim
