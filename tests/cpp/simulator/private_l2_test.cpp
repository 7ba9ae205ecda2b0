// An L2 of a core's own before the banks that all share, on bare machines. The tests say what it costs and saves, and
// what others' writes do to it.

#include <doctest/doctest.h>

#include "interrupt_programs.hpp"

namespace croftsim {

using namespace assemble;

namespace {

constexpr SecondCacheDescription shape{{1024, 64, 4, 6}, 3};
constexpr Protocol owning_nothing[] = {Protocol::gpu_wt, Protocol::gpu_wb};

// Every kind of core that can have a private L2 has one.
MachineDescription with_private_l2(std::vector<Protocol> quarters, const SecondCacheDescription& l2 = shape) {
    MachineDescription machine = four_by_four(std::move(quarters));
    for (CoreKind& kind : machine.kinds)
        if (!traits_of(kind.protocol).owns) kind.l2 = l2;
    return machine;
}

// Between two rdcycles around `code`, behind `before`.
std::uint64_t cycles_of(const MachineDescription& machine, std::vector<Word> before, const std::vector<Word>& code) {
    Bare bare(machine);
    work(before, 600);
    before.push_back(rdcycle(10));
    append(before, code);
    before.push_back(rdcycle(11));
    bare.give(1, before, BareMachine::data(0));
    bare.run();
    return bare.x(1, 11) - bare.x(1, 10);
}

}  // namespace

TEST_CASE("private L2: a load that hits there takes l2.hit, and not a cycle less or more") {
    const std::vector<Word> use{lw(6, 8, 0), add(7, 6, 6)};
    for (const Protocol l1 : owning_nothing)
        for (const std::uint32_t hit : {1u, 2u, 6u, 7u}) {
            SecondCacheDescription l2 = shape;
            l2.hit = hit;
            const MachineDescription machine = with_private_l2({l1}, l2);
            // The line has lost its place in the L1's set, which has two.
            const std::vector<Word> lost{lw(5, 8, 0), lw(5, 8, 256), lw(5, 8, 512)};
            const std::uint64_t in_l1 = cycles_of(machine, {lw(5, 8, 0)}, use);
            CHECK(cycles_of(machine, lost, use) == in_l1 + hit - machine.kinds[0].l1d.hit);
            CHECK(cycles_of(four_by_four({l1}), lost, use) > in_l1 + 7);
        }
}

TEST_CASE("private L2: a fence behind a store to a line that it owns waits for l2.store, and for no bank") {
    for (const Protocol l1 : owning_nothing) {
        std::uint64_t took[4];
        for (std::uint32_t store = 0; store < 4; ++store) {
            SecondCacheDescription l2 = shape;
            l2.store = store;
            took[store] = cycles_of(with_private_l2({l1}, l2), {sw(5, 8, 0), fence}, {sw(5, 8, 4), fence});
        }
        CAPTURE(name_of(l1));
        CHECK(took[2] == took[1] + 1);
        CHECK(took[3] == took[1] + 2);
        CHECK(took[3] < cycles_of(four_by_four({l1}), {sw(5, 8, 0), fence}, {sw(5, 8, 4), fence}));
    }
}

TEST_CASE("private L2: a line that leaves it dirty is at its bank, and one that is clean leaves without a word") {
    Bare bare(with_private_l2({Protocol::gpu_wb}, {{256, 64, 1, 6}, 3}));
    const std::uint64_t at = BareMachine::data(0);
    bare.give(1, {addi(5, 0, 7), sw(5, 8, 0), fence, lw(6, 8, 256), lw(6, 8, 512), lw(6, 8, 0), lw(6, 8, 4)}, at);
    bare.run();
    CHECK(bare.statistic("l2", "evictions") == 3);
    CHECK(bare.statistic("l2", "write_backs") == 1);
    CHECK(bare.statistic("bank", "write_backs") == 1);
    std::uint32_t value = 0;
    bare.machine.read(at, {reinterpret_cast<std::uint8_t*>(&value), 4});
    CHECK(value == 7);
}

TEST_CASE("private L2: a core that waits on a line sleeps until another writes it, whatever that one's caches are") {
    for (const Protocol waiter : owning_nothing)
        for (const Protocol writer : {Protocol::mesi, Protocol::denovo, Protocol::gpu_wt, Protocol::gpu_wb}) {
            Bare bare(with_private_l2({waiter, writer}));
            const std::uint64_t at = BareMachine::data(0);
            constexpr Word again = 0xff5ff06f;  // jal x0, -12
            bare.give(3, {lr_w(5, 8), bnez(5, 12), wrs_nto, again, rdcycle(10)}, at);
            std::vector<Word> late(3000, addi(7, 7, 1));
            append(late, {addi(5, 0, 3), rdcycle(11), sw(5, 8, 0), fence});
            bare.give(12, late, at);
            bare.run();
            CAPTURE(name_of(waiter));
            CAPTURE(name_of(writer));
            CHECK(bare.x(3, 5) == 3);
            CHECK(bare.x(3, 10) < bare.x(12, 11) + 200);
            CHECK(bare.statistic("core", "line_waits") < 4);
        }
}

TEST_CASE("private L2: additions by lr and sc are all done, beside cores of every other sort") {
    for (const Protocol other : {Protocol::mesi, Protocol::denovo, Protocol::gpu_wt, Protocol::gpu_wb}) {
        CAPTURE(name_of(other));
        const MachineDescription machine = with_private_l2({Protocol::gpu_wb, other});
        CHECK(added_by_reservations(machine, BareMachine::data(0), 20) == 16 * 20);
    }
}

TEST_CASE("private L2: episodes without races see every last write, and no cycle depends on how far cores run ahead") {
    for (const Protocol other : {Protocol::mesi, Protocol::denovo, Protocol::gpu_wt, Protocol::gpu_wb}) {
        const MachineDescription machine = with_private_l2({Protocol::gpu_wb, other});
        CAPTURE(name_of(other));
        const Seen exact = run_episodes(machine, 12, 4, 0, 0), ahead = run_episodes(machine, 12, 4, 0, 200);
        CHECK(exact.differences == 0);
        CHECK(exact.total == 16 * 12);
        CHECK(ahead.statistics == exact.statistics);
    }
}

}  // namespace croftsim
