// User-level interrupts between cores at their edges: when a request is refused, and that a core handles one at a time.
// The tests also say what an interrupt costs on each kind of core.

#include <doctest/doctest.h>

#include "big_cores.hpp"

namespace croftsim {
namespace {

constexpr std::uint64_t refused = ~std::uint64_t{0};

// Answers with the request's word plus 100, and counts in x20.
const std::vector<Word> answer{csrrs(21, 0x043),  srli(22, 21, 32), slli(21, 21, 32),    srli(21, 21, 32),
                               addi(21, 21, 100), addi(20, 20, 1),  uli_respond(22, 21), uret};

// Up to, and without, enabling interrupts. `sources`: whether requests are among them.
std::vector<Word> with_handler(const std::vector<Word>& handler, bool sources = true) {
    std::vector<Word> code{auipc_x7,        addi(7, 7, 24),
                           csrrw(0x005, 7), sources ? lui(6, 1 << 24) : addi(6, 0, 0),
                           csrrw(0x004, 6), jal(4 + 4 * static_cast<std::int32_t>(handler.size()))};
    append(code, handler);
    return code;
}
constexpr Word enable = csrrsi(0x000, 1), disable = csrrci(0x000, 1);

// Asks core 5 when `after` cycles have gone by; the answer is in x10, how long it took in x11.
std::vector<Word> thief(std::int32_t after) {
    std::vector<Word> code{addi(6, 0, 7), addi(5, 0, 5)};
    work(code, after);
    append(code, {rdcycle(12), uli_request(5, 6), uli_response(10), rdcycle(11), sub(11, 11, 12)});
    return code;
}

std::uint64_t statistic(const Bare& bare, std::uint32_t core, const char* name) {
    for (const Statistic& row : bare.machine.statistics())
        if (row.part == "core" && row.index == core && row.name == name) return row.value;
    return 0;
}

}  // namespace

TEST_CASE("a request is refused while the one buffer is taken, also when the receiver has its interrupts enabled") {
    Bare bare(with_interrupts());
    const std::uint64_t at = BareMachine::data(0);
    // The handler enables interrupts and takes its time, some 4,000 cycles, before it answers.
    std::vector<Word> slow{enable, addi(24, 0, 2000), addi(24, 24, -1), bnez(24, -4)};
    append(slow, answer);
    std::vector<Word> code = with_handler(slow);
    code.push_back(enable);
    work(code, 12000);
    bare.give(5, code, at);
    bare.give(0, thief(600), at);
    bare.give(3, thief(2000), at);
    bare.give(9, thief(9000), at);
    bare.run();
    CHECK(bare.x(0, 10) == 107);
    CHECK(bare.x(3, 10) == refused);
    CHECK(bare.x(9, 10) == 107);  // the buffer is free again
    CHECK(bare.x(5, 20) == 2);
    CHECK(bare.x(5, 9) == 4000);
    CHECK(bare.x(0, 11) > 4000);
    CHECK(bare.x(3, 11) < 50);  // at once
    CHECK(bare.statistic("uli", "nacks") == 1);
    CHECK(bare.statistic("uli", "handled") == 2);
}

TEST_CASE("a request is refused where interrupts are disabled, requests are no source of them, or no program runs") {
    const auto ask = [](const std::vector<Word>& receiver) {
        Bare bare(with_interrupts());
        const std::uint64_t at = BareMachine::data(0);
        if (!receiver.empty()) bare.give(5, receiver, at);
        bare.give(0, thief(600), at);
        bare.run();
        CHECK(bare.x(0, 11) < 50);
        CHECK(bare.statistic("uli", "handled") == (bare.x(0, 10) == refused ? 0 : 1));
        return bare.x(0, 10);
    };
    std::vector<Word> never = with_handler(answer), no_source = with_handler(answer, false),
                      ended = with_handler(answer);
    work(never, 6000);
    no_source.push_back(enable);
    work(no_source, 6000);
    ended.push_back(enable);
    std::vector<Word> no_more = with_handler(answer), listens = with_handler(answer);
    append(no_more, {enable, disable});
    work(no_more, 6000);
    listens.push_back(enable);
    work(listens, 6000);
    CHECK(ask(never) == refused);
    CHECK(ask(no_source) == refused);
    CHECK(ask(no_more) == refused);
    CHECK(ask(ended) == refused);
    CHECK(ask({}) == refused);
    CHECK(ask(listens) == 107);
}

TEST_CASE("a thread that has moved is interrupted as before, on its new core") {
    Bare bare(with_interrupts());
    const std::uint64_t at = BareMachine::data(0);
    std::vector<Word> code = with_handler(answer);
    append(code, {enable, ecall});
    work(code, 6000);
    bare.give(6, code, at);
    bare.run();
    const Hart moved = bare.machine.hart(6);
    bare.machine.vacate(6);
    bare.machine.start(5, moved);
    bare.give(0, thief(600), at);
    bare.run();
    CHECK(bare.x(0, 10) == 107);
    CHECK(bare.x(5, 20) == 1);
}

TEST_CASE("an interrupt costs what the machine says, to the cycle") {
    const auto latency = [](std::uint32_t cost) {
        MachineDescription machine = with_interrupts();
        machine.kinds[0].interrupt = cost;
        Bare bare(machine);
        const std::uint64_t at = BareMachine::data(0);
        std::vector<Word> code = with_handler(answer);
        code.push_back(enable);
        work(code, 6000);
        bare.give(5, code, at);
        bare.give(0, thief(600), at);
        bare.run();
        CHECK(bare.x(0, 10) == 107);
        CHECK(statistic(bare, 5, "interrupt") == cost);
        return bare.x(0, 11);
    };
    const std::uint64_t least = latency(1);
    for (const std::uint32_t cost : {2u, 5u, 17u, 50u, 1000u}) CHECK(latency(cost) == least + cost - 1);
}

TEST_CASE("an interrupt costs by the kind of core that takes it") {
    MachineDescription machine = mixed();
    machine.uli = UliDescription{1, 1};
    const std::uint32_t costs[] = {50, 5, 7, 11};  // of the big ones, and of the tiny ones
    for (std::size_t kind = 0; kind < 4; ++kind) machine.kinds[kind].interrupt = costs[kind];
    Bare bare(machine);
    const std::uint64_t at = BareMachine::data(0);
    constexpr std::uint32_t receivers[] = {1, 5, 9, 13};
    for (const std::uint32_t core : receivers) {
        std::vector<Word> code = with_handler(answer);
        code.push_back(enable);
        work(code, 12000);
        bare.give(core, code, at);
    }
    std::vector<Word> asks{addi(6, 0, 7)};
    work(asks, 600);
    for (int again = 0; again < 3; ++again)
        for (const std::uint32_t core : receivers)
            append(asks, {addi(5, 0, static_cast<std::int32_t>(core)), uli_request(5, 6), uli_response(10)});
    bare.give(12, asks, at);
    bare.run();
    CHECK(bare.statistic("uli", "nacks") == 0);
    for (std::size_t kind = 0; kind < 4; ++kind) {
        CAPTURE(kind);
        CHECK(bare.x(receivers[kind], 20) == 3);
        CHECK(statistic(bare, receivers[kind], "interrupts") == 3);
        CHECK(statistic(bare, receivers[kind], "interrupt") == 3 * costs[kind]);
    }
}

}  // namespace croftsim
