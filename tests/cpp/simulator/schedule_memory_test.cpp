// An out-of-order core's memory of its window, and that nothing but the host's time depends on it.

#include "core/schedule_memory.hpp"

#include <doctest/doctest.h>

#include <random>

#include "big_cores.hpp"

namespace croftsim {
namespace {

std::vector<ScheduleStep> steps_of(std::initializer_list<std::uint64_t> targets) {
    std::vector<ScheduleStep> steps;
    for (const std::uint64_t target : targets) {
        ScheduleStep& step = steps.emplace_back();
        step.kind = ScheduleStep::Kind::transfer;
        step.executed = step.taken = true;
        step.target = target;
    }
    return steps;
}

std::unique_ptr<Segment> lasting(std::uint32_t cycles) {
    auto segment = std::make_unique<Segment>();
    segment->latest = segment->duration = cycles;
    return segment;
}

// Every row of the statistics, and registers.
std::vector<std::uint64_t> seen(const MachineDescription& machine, const std::vector<Word>& code,
                                std::uint32_t run_ahead) {
    Bare bare(machine, 0, run_ahead);
    bare.give(0, code, BareMachine::data(0));
    bare.run();
    std::vector<std::uint64_t> all{bare.machine.stands_at()};
    for (const Statistic& row : bare.machine.statistics()) all.push_back(row.value);
    for (std::uint32_t i = 1; i < 32; ++i) all.push_back(bare.x(0, i));
    std::array<std::uint8_t, 512> bytes;
    for (std::size_t at = 0; at < 1024; at += bytes.size()) {
        bare.machine.read(BareMachine::data(0) + at, bytes);
        for (const std::uint8_t byte : bytes) all.push_back(byte);
    }
    return all;
}

constexpr Word xor_(Word rd, Word rs1, Word rs2) { return 0x4033 | rs2 << 20 | rs1 << 15 | rd << 7; }
constexpr Word andi(Word rd, Word rs1, std::int32_t imm) { return i_type(0x13, 7, rd, rs1, imm); }
constexpr Word slli(Word rd, Word rs1, Word by) { return 0x1013 | by << 20 | rs1 << 15 | rd << 7; }
constexpr Word srli(Word rd, Word rs1, Word by) { return 0x5013 | by << 20 | rs1 << 15 | rd << 7; }

// A loop of random instructions: arithmetic of every latency, loads and stores of 1 to 8 bytes, branches, calls. Loads
// and stores go to a few addresses. Those and the branches depend on the data.
std::vector<Word> random_loop(std::uint32_t seed, std::int32_t rounds) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t bound) { return static_cast<Word>(random() % bound); };
    const auto some = [&] { return 10 + below(8); };
    std::vector<Word> body{slli(5, 6, 13), xor_(6, 6, 5), srli(5, 6, 7), xor_(6, 6, 5), slli(5, 6, 17), xor_(6, 6, 5)};
    for (int i = 0; i < 24; ++i) {
        switch (below(9)) {
            case 0:
                body.push_back(mul(some(), some(), some()));
                break;
            case 1:
                body.push_back(div_(some(), some(), 6));
                break;
            case 2:
            case 3: {  // of 1, 2, 4 or 8 bytes, at one of sixteen addresses, perhaps across two lines
                const Word log = below(4);
                append(body, {andi(7, 6, static_cast<std::int32_t>(below(16)) * 8 | 7), add(7, 7, 8)});
                const auto offset = static_cast<std::int32_t>(below(2) * 57);
                body.push_back(below(2) ? (lw(some(), 7, offset) & ~Word{7 << 12}) | log << 12
                                        : (sw(some(), 7, offset) & ~Word{7 << 12}) | log << 12);
                break;
            }
            case 4:
                append(body, {andi(7, 6, 1 << below(6)), bnez(7, 8), addi(some(), some(), 1)});
                break;
            case 5:
                append(body, {jal(1, 8), jal(0, 8), ret});  // to the third, which returns to the second
                break;
            default:
                body.push_back(below(2) ? add(some(), some(), some()) : xor_(some(), some(), some()));
                break;
        }
    }
    std::vector<Word> code{addi(6, 0, static_cast<std::int32_t>(seed % 1000 + 1)), addi(9, 0, rounds)};
    append(code, body);
    append(code, {addi(9, 9, -1), bnez(9, -static_cast<std::int32_t>(4 * (body.size() + 1)))});
    return code;
}

}  // namespace

TEST_CASE("schedule memory: segments share their first steps, part at an outcome, and are kept once") {
    ScheduleMemory memory;
    ScheduleState& state = memory.state({1, 2, 3});
    CHECK(&state == &memory.state({1, 2, 3}));
    CHECK(&state != &memory.state({1, 2}));
    memory.add(state, steps_of({1, 2, 3, 4}), lasting(9));
    memory.add(state, steps_of({1, 2, 5}), lasting(7));
    memory.add(state, steps_of({1, 2, 3, 4}), lasting(9));
    memory.add(state, steps_of({1, 6}), lasting(8));
    REQUIRE(state.root.next.size() == 1);
    const ScheduleNode& one = *state.root.next[0];
    CHECK(one.steps.empty());
    CHECK(one.least_latest == 7);
    REQUIRE(one.next.size() == 2);
    const ScheduleNode &two = *one.next[0], &six = *one.next[1];
    CHECK(two.first.target == 2);
    CHECK(two.least_latest == 7);
    REQUIRE(two.next.size() == 2);
    CHECK(two.next[0]->steps.size() == 1);
    CHECK(two.next[0]->segment->duration == 9);
    CHECK(two.next[1]->segment->duration == 7);
    CHECK(six.segment->duration == 8);
}

TEST_CASE("an out-of-order core does the same to the cycle and to the count whether it remembers or not") {
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
        const std::vector<Word> code = random_loop(seed, 400);
        MachineDescription machine = one_big();
        if (seed % 2) machine.kinds[0].l1i = CacheDescription{4096, 64, 2, 1};
        if (seed % 3 == 0) window_of(machine).reorder_buffer = window_of(machine).load_store_queue = 12;
        if (seed % 5 == 0) window_of(machine).registers = 44;
        if (seed % 2 == 0) {
            OutOfOrderDescription& window = window_of(machine);
            window.load_store_queue = window.return_addresses = 0;
            window.load_queue = window.store_queue = 8;
            window.squash = 4;
            window.indirect_sets = 64;
            window.same_line = OutOfOrderDescription::SameLine::blocks;
            window.entry_reuse = window.register_reuse = 4;
            window.load_reuse = window.store_delay = 2;
        }
        if (seed % 4 < 2) {
            window_of(machine).issue_queue = 5;
            window_of(machine).l1_accesses = 1 + seed % 2;
        }
        if (seed % 7 == 0) window_of(machine).fetch_width = 1;
        CAPTURE(seed);
        CHECK(seen(machine, code, 64) == seen(machine, code, 0));
    }
}

}  // namespace croftsim
