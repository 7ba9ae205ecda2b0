// The four L1 protocols of big.TINY at one shared L2, on bare machines. The tests say what programs that synchronise
// see, whatever protocols their cores follow, and what a plain access costs.

#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "critical_sections.hpp"
#include "interrupt_programs.hpp"
#include "loose_machine.hpp"

namespace croftsim {

using namespace assemble;

namespace {

constexpr Word doubleword = 1 << 12;  // added to lw or sw
constexpr Word ld(Word rd, Word rs1, std::int32_t imm) { return lw(rd, rs1, imm) + doubleword; }
constexpr Word sd(Word rs2, Word rs1, std::int32_t imm) { return sw(rs2, rs1, imm) + doubleword; }
constexpr Word sb(Word rs2, Word rs1, std::int32_t imm) { return sw(rs2, rs1, imm) - (2 << 12); }

}  // namespace

TEST_CASE("a user-level interrupt calls the handler, whose word comes back; a core that does not listen refuses") {
    Bare bare(with_interrupts());
    const std::uint64_t at = BareMachine::data(0);
    bare.give(5, victim(900, 6000), at);
    std::vector<Word> thief{addi(6, 0, 7), addi(5, 0, 5)};
    work(thief, 300);
    append(thief, {rdcycle(12), uli_request(5, 6), uli_response(10), rdcycle(13)});
    work(thief, 3000);  // by now the victim's interrupts are disabled
    append(thief, {uli_request(5, 6), uli_response(11)});
    bare.give(0, thief, at);
    bare.run();
    CHECK(bare.x(0, 10) == 107);
    CHECK(bare.x(0, 11) == ~std::uint64_t{0});
    CHECK(bare.x(5, 20) == 1);
    CHECK(bare.x(5, 9) == 300 + 2000);
    // Core 5 is 2 hops away. rdcycle 1, request 1, in 1, 2 hops of 2, out 1. Up to the end of the loop's round 2,
    // interrupt 5, the handler's seven cycles, the last of which responds. The same way back, and the response 1.
    const std::uint64_t there_and_back = bare.x(0, 13) - bare.x(0, 12) - (2 + 1 + 4 + 1 + 5 + 7 + 1 + 4 + 1 + 1);
    CHECK(there_and_back <= 2);
    CHECK(bare.statistic("uli", "requests") == 2);
    CHECK(bare.statistic("uli", "nacks") == 1);
    CHECK(bare.statistic("uli", "handled") == 1);
}

TEST_CASE("of requests that meet at one core, one is handled at a time and the others are refused") {
    Bare bare(with_interrupts());
    const std::uint64_t at = BareMachine::data(0);
    bare.give(5, victim(6000, 3), at);
    for (const std::uint32_t core : {1u, 4u, 6u, 9u}) {
        std::vector<Word> thief{addi(6, 0, static_cast<std::int32_t>(core)), addi(5, 0, 5)};
        work(thief, 300);
        append(thief, {uli_request(5, 6), uli_response(10)});
        bare.give(core, thief, at);
    }
    bare.run();
    std::uint64_t answered = 0;
    for (const std::uint32_t core : {1u, 4u, 6u, 9u}) {
        const std::uint64_t word = bare.x(core, 10);
        if (word == ~std::uint64_t{0}) continue;
        CHECK(word == core + 100);
        ++answered;
    }
    CHECK(answered == bare.x(5, 20));
    CHECK(answered >= 1);
    CHECK(answered < 4);
    CHECK(bare.statistic("uli", "nacks") == 4 - answered);
}

TEST_CASE("a core that waits for a response still handles others' requests: two that ask each other both get answers") {
    Bare bare(with_interrupts());
    const std::uint64_t at = BareMachine::data(0);
    for (const std::uint32_t core : {0u, 15u}) {
        std::vector<Word> code = victim(3, 3);
        code.resize(15);  // up to enabling
        work(code, 60);
        append(code,
               {addi(5, 0, 15 - static_cast<std::int32_t>(core)), addi(6, 0, 1), uli_request(5, 6), uli_response(10)});
        work(code, 600);
        bare.give(core, code, at);
    }
    bare.run();
    for (const std::uint32_t core : {0u, 15u}) {
        CHECK(bare.x(core, 10) == 101);
        CHECK(bare.x(core, 20) == 1);
    }
}

TEST_CASE("critical sections see each other's writes under every protocol, alone and mixed") {
    std::vector<std::vector<Protocol>> machines;
    for (const Protocol protocol : l1_protocols()) machines.push_back({protocol});
    machines.push_back(l1_protocols());
    machines.push_back({Protocol::mesi, Protocol::gpu_wb});
    machines.push_back({Protocol::denovo, Protocol::gpu_wt});
    for (const auto& quarters : machines) {
        std::string which;
        for (const Protocol protocol : quarters) which += name_of(protocol) + std::string(" ");
        CAPTURE(which);
        const Seen seen = run_episodes(quarters, 60, 12);
        CHECK(seen.differences == 0);
        CHECK(seen.total == 16 * 60);
    }
}

TEST_CASE("neither the window nor running ahead changes cycles or statistics under any protocol") {
    const std::vector<Protocol> mixed = l1_protocols();
    const Seen exact = run_episodes(mixed, 30, 9, 0, 0);
    for (const std::uint32_t window : {1u, 2u, 4u})
        for (const std::uint32_t run_ahead : {0u, 20u, 200u}) {
            const Seen seen = run_episodes(mixed, 30, 9, window, run_ahead);
            CHECK(seen.cycles == exact.cycles);
            CHECK(seen.statistics == exact.statistics);
        }
}

TEST_CASE("atomic additions lose nothing, at the home and in L1s") {
    for (const auto& quarters :
         std::vector<std::vector<Protocol>>{{Protocol::mesi}, {Protocol::denovo}, {Protocol::gpu_wb}, l1_protocols()}) {
        Bare bare(four_by_four(quarters));
        const std::uint64_t at = BareMachine::data(3);
        std::vector<Word> code{addi(5, 0, 1)};
        for (int i = 0; i < 40; ++i) code.push_back(amoadd_w(6, 5, 8));
        for (std::uint32_t core = 0; core < 16; ++core) bare.give(core, code, at + core % 2 * 4);
        bare.run();
        std::uint32_t values[2] = {};
        bare.machine.read(at, {reinterpret_cast<std::uint8_t*>(values), 8});
        CHECK(values[0] == 8 * 40);
        CHECK(values[1] == 8 * 40);
    }
}

TEST_CASE("load-reserved and store-conditional count without loss under every protocol") {
    for (const auto& quarters : std::vector<std::vector<Protocol>>{
             {Protocol::mesi}, {Protocol::denovo}, {Protocol::gpu_wt}, {Protocol::gpu_wb}, l1_protocols()}) {
        CHECK(added_by_reservations(four_by_four(quarters), BareMachine::data(2), 20) == 16 * 20);
    }
}

// Whatever has come of the lines by then: in L1s, clean and dirty, on their way, at their banks, nowhere.
TEST_CASE("what the kernel writes, of a few lines or of many, every core reads, and who waits there is woken") {
    std::vector<MachineDescription> machines;
    for (const Protocol protocol : l1_protocols()) machines.push_back(four_by_four({protocol}));
    machines.push_back(machines.back());
    machines.back().kinds[0].protocol = Protocol::gpu_wb;
    machines.back().kinds[0].l2 = SecondCacheDescription{{1024, 64, 4, 6}, 3};
    for (const MachineDescription& machine : machines)
        for (const std::size_t bytes : {std::size_t{300}, std::size_t{1500}})
            for (std::uint64_t moment = 1; moment < 600; moment += 7) {
                CAPTURE(name_of(machine.kinds[0].protocol));
                CAPTURE(bytes);
                CAPTURE(moment);
                BareMachine bare(0, machine);
                const std::uint64_t at = BareMachine::data(3), first = at + 30;
                std::vector<Word> uses;
                for (std::int32_t offset = 0; offset < 2048; offset += 192)
                    append(uses, {lw(5, 8, offset), sw(0, 8, offset + 1984 >= 2048 ? offset : offset + 1984)});
                bare.give(1, uses, at);
                bare.give(2, {lw(5, 8, 64), lw(5, 8, 128), lw(5, 8, 1024)}, at);
                bare.give(3, {addi(8, 8, 256), lr_w(5, 8), wrs_nto, addi(9, 0, 1)}, at);
                bare.machine.run(moment, {});
                std::vector<std::uint8_t> written(bytes);
                for (std::size_t i = 0; i < bytes; ++i) written[i] = static_cast<std::uint8_t>(i % 251 + 1);
                bare.machine.write(first, written);
                std::vector<std::uint8_t> back(bytes);
                bare.machine.read(first, back);
                CHECK(back == written);
                bare.run();
                bare.machine.write(first, written);  // once more, for who was to use the lines still
                bare.run();
                CHECK(bare.x(3, 9) == 1);
                for (const std::uint32_t core : {1u, 2u, 5u})
                    for (const std::int32_t offset : {32, 64, 128, 256}) {
                        bare.give(core, {0x0230000f /* fence r, rw */, lw(6, 8, offset)}, at);
                        bare.run();
                        std::int32_t expected = 0;
                        std::memcpy(&expected, written.data() + offset - 30, sizeof expected);
                        CHECK(bare.x(core, 6) == static_cast<std::uint64_t>(std::int64_t{expected}));
                    }
            }
}

// A core writes the line, another reads it, and the first one writes it again: it asks with a dirty copy or without.
TEST_CASE("what the kernel writes is not lost to a line whose owner shares it and asks for it again") {
    std::vector<MachineDescription> machines;
    for (const Protocol protocol : l1_protocols())
        for (const bool level : {false, true}) {
            MachineDescription& machine = machines.emplace_back(four_by_four({protocol}));
            if (!level) continue;
            LevelDescription& cluster = machine.levels.emplace_back();
            cluster.name = "cluster";
            cluster.shared_by = 4;
            cluster.size = 1024;
            cluster.ways = 4;
            cluster.protocol = Protocol::moesi;
            if (traits_of(protocol).owns) machine.shared->inclusion = LevelDescription::Inclusion::filter;
        }
    for (const MachineDescription& machine : machines)
        for (std::uint64_t moment = 300; moment < 1300; moment += 3) {
            CAPTURE(name_of(machine.kinds[0].protocol));
            CAPTURE(machine.levels.size());
            CAPTURE(moment);
            BareMachine bare(0, machine);
            const std::uint64_t at = BareMachine::data(3);
            std::vector<Word> owner{addi(5, 0, 1), sw(5, 8, 0), fence};
            work(owner, 600);
            append(owner, {addi(5, 0, 2), sw(5, 8, 0), fence});
            std::vector<Word> reader;
            work(reader, 350);
            append(reader, {lw(6, 8, 0)});
            bare.give(1, owner, at);
            bare.give(6, reader, at);
            bare.machine.run(moment, {});
            const std::uint32_t written = 77;
            bare.machine.write(at + 8, {reinterpret_cast<const std::uint8_t*>(&written), 4});
            bare.run();
            bare.give(9, {0x0230000f /* fence r, rw */, lw(6, 8, 8), lw(7, 8, 0)}, at);
            bare.run();
            CHECK(bare.x(9, 6) == 77);
            CHECK(bare.x(9, 7) == 2);
        }
}

TEST_CASE("what the kernel writes costs each core once, however many lines it is") {
    LooseMachine::Shape shape;
    shape.protocols.assign(8, Protocol::mesi);
    LooseMachine machine(shape);
    machine.system().write(LooseMachine::first_line, std::vector<std::uint8_t>(100 * line_bytes), 0);
    CHECK(machine.refreshed == 8);
}

TEST_CASE("a store-conditional says 0 or 1, also when its page has gone on the way") {
    std::vector<MachineDescription> machines{eight_by_eight()};
    for (const Protocol protocol : l1_protocols()) machines.push_back(four_by_four({protocol}));
    machines.push_back(four_by_four({Protocol::gpu_wb}));
    machines.back().kinds[0].l2 = SecondCacheDescription{{1024, 64, 4, 6}, 3};
    for (const MachineDescription& machine : machines) {
        CAPTURE(name_of(machine.kinds[0].protocol));
        const std::uint64_t at = BareMachine::data(3), seven = 7;
        for (std::uint64_t moment = 0; moment < 400; ++moment) {
            CAPTURE(moment);
            BareMachine bare(0, machine);
            bare.machine.write(at, {reinterpret_cast<const std::uint8_t*>(&seven), sizeof seven});
            bare.give(2, {lw(5, 8, 0)}, at);  // another sharer, who has to be asked
            bare.run();
            bare.give(1, {addi(6, 0, 9), lr_w(5, 8), sc_w(7, 6, 8)}, at);
            bare.machine.run(bare.machine.stands_at() + moment, {});
            bare.memory.clear(at, AddressSpace::page_bytes);
            bare.machine.address_space_changes(at, AddressSpace::page_bytes, true);
            bare.run();
            CHECK(bare.x(1, 7) <= 1);
        }
    }
}

TEST_CASE("a core that waits on a line sleeps until the other's store is on its way, under every pair of protocols") {
    for (const Protocol waiter : l1_protocols())
        for (const Protocol writer : l1_protocols()) {
            CAPTURE(name_of(waiter));
            CAPTURE(name_of(writer));
            Bare bare(four_by_four({waiter, writer}));
            const std::uint64_t at = BareMachine::data(0);
            //                 again while the word is 0
            bare.give(3, {lr_w(5, 8), bnez(5, 12), wrs_nto, i_type(0x63, 0, 0, 0, 0), rdcycle(10)}, at);
            std::vector<Word> loop{lr_w(5, 8), bnez(5, 12), wrs_nto};
            loop.push_back(0xff5ff06f);  // jal x0, -12
            loop.push_back(rdcycle(10));
            bare.give(3, loop, at);
            std::vector<Word> late(3000, addi(7, 7, 1));
            append(late, {addi(5, 0, 3), rdcycle(11), sw(5, 8, 0), fence});
            bare.give(12, late, at);
            bare.run();
            CHECK(bare.x(3, 5) == 3);
            CHECK(bare.x(3, 10) > bare.x(12, 11));
            CHECK(bare.x(3, 10) < bare.x(12, 11) + 200);
            CHECK(bare.statistic("core", "line_waits") < 4);
        }
}

TEST_CASE(
    "a reader without an acquire keeps an old copy under the software protocols, and not where writers invalidate") {
    for (const Protocol protocol : l1_protocols()) {
        Bare bare(four_by_four({protocol}));
        const std::uint64_t at = BareMachine::data(0);
        std::vector<Word> reader{lw(5, 8, 0)};
        work(reader, 3000);
        append(reader, {lw(5, 8, 0), 0x0230000f /* fence r, rw */, lw(6, 8, 0)});
        bare.give(1, reader, at);
        std::vector<Word> writer;
        work(writer, 600);
        append(writer, {addi(5, 0, 9), sw(5, 8, 0), fence});
        bare.give(2, writer, at);
        bare.run();
        CAPTURE(name_of(protocol));
        CHECK(bare.x(1, 5) == (traits_of(protocol).writers_invalidate ? 9 : 0));
        CHECK(bare.x(1, 6) == 9);
    }
}

TEST_CASE("a core sees its own store at once, also while it waits for the ownership of a line of which it has a copy") {
    for (const Protocol protocol : l1_protocols())
        for (const std::uint32_t run_ahead : {0u, 200u}) {
            Bare bare(four_by_four({protocol}), 0, run_ahead);
            const std::uint64_t at = BareMachine::data(0);
            bare.give(2, {lw(5, 8, 0)}, at);
            bare.run();
            bare.give(1, {lw(5, 8, 0), lw(5, 8, 4), addi(6, 0, 7), sw(6, 8, 0), lw(7, 8, 0), lw(10, 8, 4)}, at);
            bare.run();
            CAPTURE(name_of(protocol));
            CHECK(bare.x(1, 7) == 7);
            CHECK(bare.x(1, 10) == 0);
        }
}

TEST_CASE(
    "GPU-WT with one store on its way at a time: the next waits, and one across two lines goes when it is alone") {
    std::uint64_t took[2] = {};
    for (const std::uint32_t stores : {1u, 4u}) {
        MachineDescription machine = four_by_four({Protocol::gpu_wt});
        machine.kinds[0].core.outstanding_stores = stores;
        Bare bare(machine);
        const std::uint64_t at = BareMachine::data(0);
        std::vector<Word> code{addi(5, 0, 0x123), rdcycle(10)};
        for (int line = 1; line <= 3; ++line) append(code, {sw(5, 8, 64 * line - 2), sw(5, 8, 64 * line + 8)});
        append(code, {rdcycle(11), fence});
        bare.give(1, code, at);
        bare.run();
        for (int line = 1; line <= 3; ++line) {
            std::uint8_t bytes[4] = {};
            bare.machine.read(at + 64 * line - 2, bytes);
            CHECK(bytes[0] == 0x23);
            CHECK(bytes[1] == 0x01);
            CHECK(bytes[2] == 0);
        }
        took[stores == 1] = bare.x(1, 11) - bare.x(1, 10);
    }
    // All but the first wait for a message to the home and back: at least 2 cycles into the network and out, twice.
    CHECK(took[1] > took[0] + 3 * 4);
}

TEST_CASE("a store over a word that its core owns and one that it does not survives its line's eviction in between") {
    for (const Protocol protocol : l1_protocols()) {
        Bare bare(four_by_four({protocol}));
        const std::uint64_t at = BareMachine::data(0);
        bare.give(2, {lw(6, 8, 512)}, at);  // from now on the home has it
        std::vector<Word> code{addi(5, 0, 1), addi(7, 0, -1)};
        append(code, {sw(5, 8, 0), fence, lw(6, 8, 256)});  // one word of the line, then another line of the set
        work(code, 600);
        append(code, {sd(7, 8, 512), sd(7, 8, 0), fence});  // the first's answer evicts the line of the second
        append(code, {lw(6, 8, 768), lw(6, 8, 1024), ld(10, 8, 0)});
        bare.give(1, code, at);
        bare.run();
        CAPTURE(name_of(protocol));
        CHECK(bare.x(1, 10) == ~std::uint64_t{0});
    }
}

TEST_CASE("a byte that another L1 writes takes the whole word from its owner, which then sees that byte") {
    for (const Protocol writer : {Protocol::gpu_wt, Protocol::gpu_wb, Protocol::mesi, Protocol::denovo}) {
        Bare bare(four_by_four({Protocol::denovo, writer}));
        const std::uint64_t at = BareMachine::data(0);
        std::vector<Word> owner{addi(5, 0, 1), addi(7, 0, 3), sw(5, 8, 0), fence};
        work(owner, 3000);
        append(owner, {fence, sb(7, 8, 0), fence, lw(10, 8, 0)});
        bare.give(1, owner, at);
        std::vector<Word> other{addi(6, 0, 2)};
        work(other, 900);
        append(other, {sb(6, 8, 1), fence});
        bare.give(9, other, at);
        bare.run();
        CAPTURE(name_of(writer));
        CHECK(bare.x(1, 10) == 0x203);
    }
}

TEST_CASE("croft.clean and croft.drop are counted apart from releases and acquires") {
    constexpr Word clean = 0x0600000b, drop = 0x0400000b;
    Bare bare(four_by_four({Protocol::gpu_wb}));
    const std::uint64_t at = BareMachine::data(0);
    bare.give(1, {lw(5, 8, 0), lw(5, 8, 64), sw(5, 8, 128), clean, drop, sw(5, 8, 128), fence}, at);
    bare.run();
    CHECK(bare.statistic("l1d", "flush_flushed") == 1);
    CHECK(bare.statistic("l1d", "flushes") == 1);
    CHECK(bare.statistic("l1d", "release_flushed") == 1);
    CHECK(bare.statistic("l1d", "invalidate_invalidated") == 3);
    CHECK(bare.statistic("l1d", "invalidates") == 1);
    // fence rw,rw acquires too: nothing is left but the line it has just cleaned
    CHECK(bare.statistic("l1d", "acquire_invalidated") == 1);
}

TEST_CASE("who owns the line may write all of its words; who owns words asks for each") {
    for (const Protocol protocol : {Protocol::denovo, Protocol::denovo_line}) {
        Bare bare(four_by_four({protocol}));
        const std::uint64_t at = BareMachine::data(0);
        bare.give(1, {addi(5, 0, 7), sw(5, 8, 0), fence, sw(5, 8, 4), fence, sw(5, 8, 60), fence, lw(6, 8, 8)}, at);
        bare.run();
        const bool lines = protocol == Protocol::denovo_line;
        CHECK(bare.statistic("bank", "owns") == (lines ? 1 : 3));
        CHECK(bare.statistic("bank", "reads") == (lines ? 0 : 1));
        CHECK(bare.x(1, 6) == 0);
        // Another's word of the line takes it away as a whole, or not at all.
        bare.give(2, {addi(5, 0, 9), sw(5, 8, 16), fence, lw(7, 8, 4)}, at);
        bare.run();
        CHECK(bare.x(2, 7) == 7);
        CHECK(bare.statistic("l1d", "invalidated") == (lines ? 1 : 0));
    }
}

TEST_CASE("a reader of a line that another owns gets all of it, and the owner stays the owner") {
    Bare bare(four_by_four({Protocol::denovo_line}));
    const std::uint64_t at = BareMachine::data(0);
    bare.give(1, {addi(5, 0, 7), sw(5, 8, 0), sw(5, 8, 60), fence}, at);
    bare.run();
    bare.give(2, {lw(6, 8, 0), lw(7, 8, 60), lw(9, 8, 32)}, at);
    bare.run();
    CHECK(bare.x(2, 6) == 7);
    CHECK(bare.x(2, 7) == 7);
    CHECK(bare.statistic("l1d", "load_misses") == 1);
    bare.give(1, {addi(5, 0, 8), sw(5, 8, 4), fence}, at);
    bare.run();
    CHECK(bare.statistic("bank", "owns") == 1);
}

TEST_CASE("GPU-WB that fetches: a store that misses waits as long as a load, and one to a whole line not at all") {
    MachineDescription machine = four_by_four({Protocol::gpu_wb_fetch});
    machine.kinds[0].core.loads_block = CoreDescription::Loads::at_once;
    const std::uint64_t at = BareMachine::data(0);
    const auto took = [&](const std::vector<Word>& code) {
        Bare bare(machine);
        bare.give(2, {lw(6, 8, 0), lw(6, 8, 256)}, at);  // the home has both
        bare.run();
        std::vector<Word> all{addi(5, 0, 7)};
        append(all, {rdcycle(30)});
        append(all, code);
        append(all, {rdcycle(31)});
        bare.give(1, all, at);
        bare.run();
        return std::pair(bare.x(1, 31) - bare.x(1, 30), bare.statistic("bank", "reads"));
    };
    const auto load = took({lw(6, 8, 0)}), store = took({sw(5, 8, 0)});
    CHECK(store.first == load.first);
    CHECK(store.second == load.second);
    CHECK(store.first > 10);
    CHECK(took({lw(6, 8, 0), sw(5, 8, 0), sw(5, 8, 4)}).first == load.first + 2);
    // Both lines that a store lies in.
    CHECK(took({sw(5, 8, 318)}).second == load.second + 1);
    // An acquire leaves the dirty word, and the next store to the line fetches again.
    const auto partly = took({sw(5, 8, 0), 0x0230000f /* fence r, rw */, sw(5, 8, 4), lw(9, 8, 0)});
    CHECK(partly.second == load.second + 1);
    machine.kinds[0].protocol = Protocol::gpu_wb;
    CHECK(took({sw(5, 8, 0)}).first == 2);
}

TEST_CASE("a store for which the core waits takes as long as an atomic; with one outstanding the next store waits") {
    for (const Protocol protocol : {Protocol::mesi, Protocol::denovo, Protocol::denovo_line}) {
        CAPTURE(name_of(protocol));
        const auto took = [&](std::uint32_t outstanding, const std::vector<Word>& code) {
            MachineDescription machine = four_by_four({protocol});
            machine.kinds[0].core.outstanding_stores = outstanding;
            Bare bare(machine);
            std::vector<Word> all{addi(5, 0, 7), rdcycle(30)};
            append(all, code);
            append(all, {rdcycle(31), fence});
            bare.give(1, all, BareMachine::data(0));
            bare.run();
            std::uint32_t word = 0;
            bare.machine.read(BareMachine::data(0), {reinterpret_cast<std::uint8_t*>(&word), 4});
            CHECK(word == 7);
            return bare.x(1, 31) - bare.x(1, 30);
        };
        CHECK(took(1, {sw(5, 8, 0)}) == 2);
        CHECK(took(0, {sw(5, 8, 0)}) + 1 == took(0, {amoadd_w(6, 5, 8)}));  // whose own cycle comes behind
        CHECK(took(0, {sw(5, 8, 0), sw(5, 8, 0)}) == took(0, {sw(5, 8, 0)}) + 1);
        CHECK(took(0, {sw(5, 8, 0), sw(5, 8, 62)}) > took(0, {sw(5, 8, 0)}) + 20);  // two lines
        if (protocol == Protocol::denovo) continue;                                 // which asks for word after word
        CHECK(took(0, {0x0040200f | 8 << 15 /* cbo.zero x8 */, sw(5, 8, 0)}) == took(0, {sw(5, 8, 0)}) + 1);
    }
}

TEST_CASE("a load-reserved keeps its line for as long as it is to, to the cycle, whatever becomes of it") {
    const std::uint64_t at = BareMachine::data(0);
    for (const Protocol protocol : {Protocol::mesi, Protocol::denovo, Protocol::denovo_line})
        for (const bool ends : {false, true}) {
            CAPTURE(name_of(protocol));
            const auto stored_at = [&](std::uint32_t hold) {
                MachineDescription machine = four_by_four({protocol});
                machine.shared->reservation_hold = hold;
                Bare bare(machine);
                std::vector<Word> keeper{lr_w(5, 8), addi(5, 5, 1)};
                if (ends) keeper.push_back(sc_w(6, 5, 8));
                work(keeper, 3000);
                bare.give(1, keeper, at);
                std::vector<Word> other;
                work(other, 300);  // the line is there, and asked for long before it may go
                append(other, {addi(6, 0, 9), sw(6, 8, 0), fence, rdcycle(31)});
                bare.give(2, other, at);
                bare.run();
                CHECK(bare.statistic("bank", "recalls") == 1);
                return bare.x(2, 31);
            };
            const std::uint64_t thousand = stored_at(1000);
            CHECK(stored_at(1001) == thousand + 1);
            CHECK(stored_at(1200) == thousand + 200);
            CHECK(stored_at(2) < thousand - 300);
            CHECK(stored_at(2) == stored_at(3));  // over before it is asked for
        }
}

TEST_CASE("counting by reservations ends with lines that are kept, and readers of a kept line under DeNovo get it") {
    for (const Protocol protocol : {Protocol::mesi, Protocol::denovo, Protocol::denovo_line}) {
        MachineDescription machine = four_by_four({protocol});
        machine.shared->reservation_hold = 128;
        CHECK(added_by_reservations(machine, BareMachine::data(2), 20) == 16 * 20);
    }
    MachineDescription machine = four_by_four({Protocol::denovo_line});
    machine.shared->reservation_hold = 2000;
    Bare bare(machine);
    bare.give(1, {lr_w(5, 8)}, BareMachine::data(0));
    std::vector<Word> reader;
    work(reader, 300);
    append(reader, {rdcycle(30), lw(6, 8, 0), rdcycle(31)});
    bare.give(2, reader, BareMachine::data(0));
    bare.run();
    CHECK(bare.x(2, 31) - bare.x(2, 30) < 100);
}

TEST_CASE("a message with written bytes takes the network for its words, or for a line whatever it carries") {
    const auto flits = [](Protocol protocol, SharedCacheDescription::Data data, std::vector<Word> code) {
        MachineDescription machine = four_by_four({protocol});
        machine.shared->data = data;
        Bare bare(machine);
        code.insert(code.begin(), addi(5, 0, 7));
        code.push_back(fence);
        bare.give(1, code, BareMachine::data(0));
        bare.run();
        return bare.statistic("coherence_mesh", "flits");
    };
    using Data = SharedCacheDescription::Data;
    // A word is one flit of 16 bytes, a line four; both have a header.
    const std::vector<Word> store{sw(5, 8, 0)}, add{amoadd_w(6, 5, 8)}, load{lw(6, 8, 0)};
    CHECK(flits(Protocol::gpu_wt, Data::lines, store) == flits(Protocol::gpu_wt, Data::words, store) + 3);
    CHECK(flits(Protocol::gpu_wb, Data::lines, store) == flits(Protocol::gpu_wb, Data::words, store) + 3);
    CHECK(flits(Protocol::gpu_wt, Data::lines, add) == flits(Protocol::gpu_wt, Data::words, add) + 6);
    for (const Protocol protocol : l1_protocols())
        CHECK(flits(protocol, Data::lines, load) == flits(protocol, Data::words, load));
}

}  // namespace croftsim
