// The user dynamic network, user-level interrupts and the DMA engine, to the cycle where that is promised.

#include <doctest/doctest.h>

#include <cstring>

#include "bare_machine.hpp"

namespace croftsim {

using namespace assemble;

namespace {

constexpr Word custom(Word funct7, Word rd, Word rs1, Word rs2) {
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | rd << 7 | 0x0b;
}
constexpr Word send(Word to, Word word) { return custom(0x08, 0, to, word); }
constexpr Word open(Word to, Word words) { return custom(0x09, 0, to, words); }
constexpr Word push(Word word) { return custom(0x0a, 0, word, 0); }
constexpr Word receive(Word rd, Word queue) { return custom(0x0b, rd, 0, queue); }
constexpr Word waiting(Word rd, Word queue) { return custom(0x0c, rd, 0, queue); }
constexpr Word map(Word tag, Word queue) { return custom(0x0d, 0, tag, queue); }
constexpr Word copy(Word to, Word from, Word bytes) { return bytes << 27 | from << 20 | to << 15 | 1 << 12 | 0x0b; }
constexpr Word copied(Word rd) { return custom(0x10, rd, 0, 0); }
constexpr Word csrrw(Word csr, Word rs1) { return csr << 20 | rs1 << 15 | 1 << 12 | 0x73; }
constexpr Word csrrsi(Word csr, Word bits) { return csr << 20 | bits << 15 | 6 << 12 | 0x73; }
constexpr Word uret = 0x00200073, auipc_x7 = 7 << 7 | 0x17;

constexpr Word xor_(Word rd, Word rs1, Word rs2) { return add(rd, rs1, rs2) | 4 << 12; }
constexpr Word or_(Word rd, Word rs1, Word rs2) { return add(rd, rs1, rs2) | 6 << 12; }

using Code = std::vector<Word>;

void append(Code& code, const Code& more) { code.insert(code.end(), more.begin(), more.end()); }

// x5 = tag << 16 | core, and x6 = the tag.
Code destination(std::int32_t tag, std::int32_t core) { return {lui(5, tag << 16), addi(5, 5, core), addi(6, 0, tag)}; }

}  // namespace

TEST_CASE("a word takes the cycles of its instructions and of the way, and not one more") {
    for (const std::uint32_t far : {1u, 9u, 63u}) {
        BareMachine bare;
        const std::uint64_t hops = far % 8 + far / 8;
        bare.give(far, {addi(6, 0, 3), map(6, 2), receive(10, 2), rdcycle(11)}, 0);
        Code code = destination(3, static_cast<std::int32_t>(far));
        code.insert(code.end(), 40, addi(0, 0, 0));  // the receiver waits already
        append(code, {addi(9, 0, 77), rdcycle(12), send(5, 9)});
        bare.give(0, code, 0);
        bare.run();
        CHECK(bare.x(far, 10) == 77);
        // rdcycle 1 and send 1; into the mesh 5, the hops, out 5, a flit behind the header 1; receive 1.
        CHECK(bare.x(far, 11) - bare.x(0, 12) == 2 + 5 + hops + 5 + 1 + 1);
    }
}

TEST_CASE("a message of several words stays together, whoever else sends") {
    BareMachine bare;
    for (const std::int32_t sender : {1, 2, 9}) {
        Code code = destination(1, 0);
        append(code, {addi(7, 0, 3), addi(8, 0, sender)});
        for (int i = 0; i < 8; ++i) append(code, {open(5, 7), push(8), push(8), push(8)});
        bare.give(static_cast<std::uint32_t>(sender), code, 0);
    }
    Code code{addi(6, 0, 1), map(6, 0)};
    for (int i = 0; i < 24; ++i) {
        append(code, {receive(7, 0), receive(8, 0), receive(9, 0)});
        append(code, {xor_(10, 7, 8), xor_(11, 8, 9), or_(10, 10, 11), or_(12, 12, 10)});
    }
    bare.give(0, code, 0);
    bare.run();
    CHECK(bare.x(0, 12) == 0);
    CHECK(bare.statistic("user_port", "words_received") == 72);
}

TEST_CASE("a sender waits once its queue and the network are full, and goes on when there is room") {
    BareMachine bare;  // queues of 128 words, 16 in the network
    Code code = destination(1, 9);
    for (int i = 0; i < 200; ++i) code.push_back(send(5, 6));
    bare.give(0, code, 0);
    bare.give(9, {addi(6, 0, 1), map(6, 0)}, 0);
    bare.run();
    CHECK(bare.statistic("user_port", "words_sent") == 128 + 16);
    bare.give(9, {receive(7, 0), waiting(8, 0)}, 0);
    bare.run();
    CHECK(bare.x(9, 8) == 128);  // the next one came in with the room
    CHECK(bare.statistic("user_port", "words_sent") == 128 + 16 + 1);
    bare.give(9, Code(199, receive(7, 0)), 0);
    bare.run();
    CHECK(bare.statistic("user_port", "words_sent") == 200);
    CHECK(bare.statistic("user_port", "words_received") == 200);
}

TEST_CASE("a message of a tag that no queue is mapped to goes to the catch-all and interrupts") {
    const auto run = [](std::uint32_t run_ahead) {
        BareMachine bare(0, eight_by_eight(), run_ahead);
        Code sender = destination(5, 9);
        sender.insert(sender.end(), 300, addi(0, 0, 0));
        append(sender, {addi(9, 0, 42), rdcycle(13), send(5, 9)});
        bare.give(0, sender, 0);
        bare.give(9,
                  {auipc_x7, addi(7, 7, 16), bnez(7, 24), addi(0, 0, 0), rdcycle(11), receive(10, 4), addi(13, 13, 1),
                   uret,  // the handler, 16 bytes in
                   csrrw(0x005, 7), lui(8, 1 << 20), csrrw(0x004, 8), csrrsi(0x000, 1), addi(12, 12, 1), bnez(10, 8),
                   bnez(7, -8)},  // counts until the word is there
                  0);
        bare.run();
        CHECK(bare.x(9, 10) == 42);
        CHECK(bare.x(9, 13) == 1);
        CHECK(bare.statistic("core", "interrupts") == 1);
        CHECK(bare.statistic("user_port", "unmapped") == 1);
        // rdcycle, send, the way of 2 hops, and then the 7 cycles of the interrupt; the core was between two blocks.
        const std::uint64_t arrival = bare.x(0, 13) + 2 + 5 + 2 + 5 + 1;
        CHECK(bare.x(9, 11) >= arrival + 7);
        CHECK(bare.x(9, 11) <= arrival + 7 + 3);
        return std::pair(bare.x(9, 11), bare.x(9, 12));
    };
    const auto exact = run(0);
    for (const std::uint32_t run_ahead : {1u, 10u, 64u, 200u}) CHECK(run(run_ahead) == exact);
}

TEST_CASE("DMA copies bytes of any alignment, past the caches of those who have old copies") {
    BareMachine bare;
    const std::uint64_t from = BareMachine::data(3), to = BareMachine::data(7);
    std::vector<std::uint8_t> bytes(600);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + 1);
    bare.memory.write_dram(from, bytes.data(), bytes.size());
    for (const std::uint32_t reader : {7u, 8u, 20u}) bare.give(reader, {lw(5, 8, 0), lw(6, 8, 128)}, to);
    bare.run();
    bare.give(20,
              {lui(5, static_cast<std::int32_t>(to)), addi(5, 5, 5), lui(6, static_cast<std::int32_t>(from)),
               addi(6, 6, 3), addi(7, 0, 501), copy(5, 6, 7), copied(9), bnez(9, 8), bnez(5, -8)},
              0);
    bare.run();
    std::vector<std::uint8_t> got(600);
    bare.machine.read(to, got);
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == (i >= 5 && i < 506 ? bytes[i - 5 + 3] : 0));
    for (const std::uint32_t reader : {7u, 8u, 20u}) {
        bare.give(reader, {lw(5, 8, 128)}, to);
        bare.run();
        std::uint32_t expected = 0;
        std::memcpy(&expected, bytes.data() + 126, 4);
        CHECK(static_cast<std::uint32_t>(bare.x(reader, 5)) == expected);
    }
}

}  // namespace croftsim
