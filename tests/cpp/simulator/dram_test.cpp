// DDR2-800 at a machine's clock of 400 MHz, where a cycle is a clock of the DRAM. So the numbers can be counted on the
// standard's own. Bank b's row r of 8 KiB begins at (8 r + b) x 8 KiB.

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "contract/post.hpp"
#include "machine/event_queue.hpp"
#include "memory/address_space.hpp"
#include "memory/controller.hpp"
#include "memory/dram_rank.hpp"

namespace croftsim {
namespace {

constexpr double dram_clock = 400;

// One line after another, each begun at the time given.
class Sequence {
public:
    explicit Sequence(DramStandard standard = DramStandard::ddr2_800, double mhz = dram_clock)
        : rank_(traits_of(standard).times, mhz, DramMapping::groups) {}

    DramRank::Burst read(std::uint32_t bank, std::uint64_t row, std::uint64_t time) {
        return does(bank, row, false, time);
    }
    DramRank::Burst write(std::uint32_t bank, std::uint64_t row, std::uint64_t time) {
        return does(bank, row, true, time);
    }
    const DramRank& rank() const { return rank_; }

private:
    DramRank::Burst does(std::uint32_t bank, std::uint64_t row, bool writes, std::uint64_t time) {
        rank_.refresh_until(time);
        const DramRank::Burst burst = rank_.next({bank, row}, writes, time);
        rank_.perform({bank, row}, writes, burst);
        return burst;
    }
    DramRank rank_;
};

// Asks a controller for lines, and notes when it answers.
class AskedLines final : public Post {
public:
    explicit AskedLines(std::uint32_t queue) : AskedLines({DramStandard::ddr2_800, queue}, dram_clock) {}
    AskedLines(const DramDescription& dram, double clock_mhz) {
        MemoryDescription shape;
        shape.controllers = {{0, 0}};
        shape.stripe = 8192;
        shape.latency = 30;        // of which 10 are DDR2's
        shape.write_latency = 29;  // of which 9 are
        shape.occupancy = 1;
        shape.dram = dram;
        controller_.emplace(node, shape, clock_mhz, *this);
    }

    void ask(MessageKind kind, std::uint64_t line, std::uint32_t source, std::uint64_t time) {
        Message* const message = pool_.make(kind, node, line);
        message->awaited = true;
        put(source, message, time);
    }
    // "line at time" of each answer, in the order of time.
    std::string answers() {
        while (arriving_.next() != never) controller_->receive(arriving_.pop());
        std::string text;
        for (const auto& [time, line] : answered_)
            text += (text.empty() ? "" : ", ") + line + " at " + std::to_string(time);
        return text;
    }
    // From the first answer to the last.
    std::uint64_t lasted() {
        answers();
        return answered_.rbegin()->first - answered_.begin()->first;
    }
    const MemoryController& controller() const { return *controller_; }

    static std::uint64_t at(std::uint64_t bank, std::uint64_t row, std::uint64_t line = 0) {
        return (8 * row + bank) * 8192 + line * 64;
    }

private:
    static constexpr std::uint32_t node = 100;

    void put(std::uint32_t source, Message* message, std::uint64_t time) {
        message->source = source;
        message->sequence = ++sequence_;
        message->time = time;
        arriving_.push(message);
    }
    void send(std::uint32_t, Message* message, std::uint64_t time) override {
        const std::uint64_t row = message->line / 8192;
        answered_.emplace(time, std::to_string(row % 8) + "." + std::to_string(row / 8));
        pool_.release(message);
    }
    void send_self(std::uint32_t source, Message* message, std::uint64_t time) override { put(source, message, time); }
    MessagePool& pool() override { return pool_; }
    void expect_send(std::uint32_t, std::uint64_t) override {}
    AddressSpace& memory() override { return memory_; }
    std::uint32_t home_of(std::uint64_t, std::uint32_t) const override { return 0; }
    std::uint32_t controller_of(std::uint64_t) const override { return node; }

    MessagePool pool_;
    AddressSpace memory_;
    EventQueue arriving_;
    std::uint64_t sequence_ = 0;
    std::multimap<std::uint64_t, std::string> answered_;  // bank.row
    std::optional<MemoryController> controller_;
};

}  // namespace

TEST_CASE("DRAM: a closed bank is activated, an open row is read at once, another row costs a precharge, too") {
    Sequence lines;
    const auto closed = lines.read(0, 0, 100);
    CHECK(closed.meets == DramRank::Meets::closed_bank);
    CHECK(closed.activate == 100);
    CHECK(closed.column == 105);  // tRCD
    CHECK(closed.first == 110);   // CL
    const auto open = lines.read(0, 0, 105);
    CHECK(open.meets == DramRank::Meets::open_row);
    CHECK(open.column == 109);  // behind a burst of four clocks, not before
    CHECK(open.first == 114);
    const auto other = lines.read(0, 1, 106);
    CHECK(other.meets == DramRank::Meets::other_row);
    CHECK(other.activate == 123);  // the bank is precharged at 118 = tRAS behind its activate; tRP
    CHECK(other.column == 128);
    // Long after, nothing is left but the precharge.
    CHECK(lines.read(0, 2, 1000).activate == 1005);
}

TEST_CASE("DRAM: activates of other banks wait for tRRD, and the fifth for tFAW") {
    Sequence lines;
    CHECK(lines.read(0, 0, 100).activate == 100);
    CHECK(lines.read(1, 0, 100).activate == 103);
    CHECK(lines.read(2, 0, 100).activate == 106);
    CHECK(lines.read(3, 0, 100).activate == 109);
    CHECK(lines.read(4, 0, 100).activate == 114);  // tRRD alone would be 112
    CHECK(lines.read(5, 0, 130).activate == 130);  // the second of the last four is at 106: tFAW is over
}

TEST_CASE("DRAM: the data bus turns round") {
    Sequence lines;
    CHECK(lines.read(0, 0, 100).column == 105);
    CHECK(lines.write(0, 0, 100).column == 111);  // 6 clocks behind the read: BL/2 + 2
    CHECK(lines.write(0, 0, 100).column == 115);
    CHECK(lines.read(0, 0, 100).column == 126);  // 11 behind a write: WL + BL/2 + tWTR
    Sequence written;
    CHECK(written.write(0, 0, 100).first == 109);     // tRCD, WL
    CHECK(written.write(0, 1, 100).activate == 124);  // data until 113, tWR until 119, tRP
}

TEST_CASE("DRAM: a refresh closes the rows, and is over before the next line") {
    SUBCASE("an open row is precharged first") {
        Sequence lines;
        lines.read(0, 0, 100);
        CHECK(lines.read(0, 0, 3119).meets == DramRank::Meets::open_row);  // one clock before
        CHECK(lines.rank().refreshes() == 0);
    }
    SUBCASE("exactly when it is due") {
        Sequence lines;
        lines.read(0, 0, 100);
        const auto late = lines.read(0, 0, 3120);
        CHECK(late.meets == DramRank::Meets::closed_bank);
        CHECK(late.activate == 3120 + 5 + 51);  // tRP, tRFC
        CHECK(lines.rank().refreshes() == 1);
    }
    SUBCASE("closed banks need no precharge, and long idle times no loop") {
        Sequence lines;
        CHECK(lines.read(0, 0, 3125).activate == 3120 + 51);
        const std::uint64_t much_later = 3120ull * 1'000'000'000'000;
        CHECK(lines.read(0, 0, much_later + 51).activate == much_later + 51);
        CHECK(lines.read(0, 0, 2 * much_later + 50).activate == 2 * much_later + 51);
        CHECK(lines.rank().refreshes() == 2'000'000'000'000);
    }
}

TEST_CASE("DRAM: bank groups share what lies between two commands") {
    Sequence lines(DramStandard::ddr4_2400, 1000.0 / 0.833);
    CHECK(lines.read(0, 0, 100).activate == 100);
    CHECK(lines.read(4, 0, 100).activate == 106);
    CHECK(lines.read(1, 0, 100).activate == 110);
    CHECK(lines.read(0, 0, 1000).column == 1000);
    CHECK(lines.read(1, 0, 1000).column == 1004);
    CHECK(lines.read(1, 0, 1000).column == 1010);
}

TEST_CASE("DRAM: each of the standard's times is rounded up to cycles of the machine") {
    const DramRank rank(traits_of(DramStandard::ddr2_800).times, 866, DramMapping::rows);
    CHECK(rank.cycles().rcd == 11);  // 12.5 ns are 10.8 cycles
    CHECK(rank.cycles().line == 9);  // 8.66
    CHECK(rank.cycles().rc == 50);   // 57.5 ns
    CHECK(rank.cycles().refi == 6755);
    CHECK(rank.idle_read() == 22);
}

TEST_CASE("DRAM: consecutive lines are in one row, or go round a row of each bank group") {
    const DramTimes& times = traits_of(DramStandard::ddr4_2400).times;
    const DramRank rows(times, 1000, DramMapping::rows), groups(times, 1000, DramMapping::groups);
    std::map<std::pair<std::uint32_t, std::uint64_t>, int> lines;  // of each row
    for (std::uint64_t address = 0; address < 2 * 16 * 8192; address += 64) {
        CHECK(rows.place_of(address).bank == address / 8192 % 16);
        CHECK(rows.place_of(address).row == address / 8192 / 16);
        const DramRank::Place place = groups.place_of(address);
        CHECK(place.bank % times.groups == address / 64 % 4);
        CHECK(place.bank / times.groups == address / (4 * 8192) % 4);
        ++lines[{place.bank, place.row}];
    }
    CHECK(lines.size() == 2 * 16);
    for (const auto& [place, count] : lines) CHECK(count == 8192 / 64);
    // One without groups has one group.
    const DramTimes& of_none = traits_of(DramStandard::ddr3_1600).times;
    const DramRank same(of_none, 800, DramMapping::rows), either(of_none, 800, DramMapping::groups);
    for (std::uint64_t address = 0; address < 2 * 8 * 8192; address += 64) {
        CHECK(either.place_of(address).bank == same.place_of(address).bank);
        CHECK(either.place_of(address).row == same.place_of(address).row);
    }
}

TEST_CASE("DRAM: a stream has the whole bandwidth between two refreshes, and two thirds where tCCD_L rules") {
    struct Stream {
        DramStandard standard;
        std::optional<DramMapping> mapping;
        MessageKind kind;
        std::uint64_t clocks;  // of 1,000 lines
    };
    for (const auto& [standard, mapping, kind, clocks] : {
             Stream{DramStandard::ddr3_1600, {}, MessageKind::memory_read, 3996},
             // If four rows are opened at once, the first is preferred while others are still closed.
             Stream{DramStandard::ddr4_2400, {}, MessageKind::memory_read, 4060},
             Stream{DramStandard::ddr4_2400, {}, MessageKind::memory_write, 3996},
             Stream{DramStandard::ddr4_2400, DramMapping::rows, MessageKind::memory_read, 5980},
             Stream{DramStandard::hbm2, {}, MessageKind::memory_read, 1998},
             Stream{DramStandard::hbm2, DramMapping::groups, MessageKind::memory_read, 2004},
         }) {
        const DramTraits& traits = traits_of(standard);
        CAPTURE(traits.name);
        AskedLines lines({standard, 16, mapping}, 1e6 / traits.times.clock_ps);
        for (std::uint64_t line = 0; line < 1000; ++line) lines.ask(kind, line * 64, 1, 100 + line);
        CHECK(lines.lasted() == clocks);
        if (mapping != DramMapping::rows) CHECK(999 * traits.times.line >= clocks * 95 / 100);
    }
}

TEST_CASE("a controller serves the first whose row is open, else the oldest") {
    const auto ask = [](AskedLines& lines) {
        lines.ask(MessageKind::memory_read, AskedLines::at(0, 0), 1, 100);
        lines.ask(MessageKind::memory_read, AskedLines::at(0, 1, 0), 2, 101);
        lines.ask(MessageKind::memory_read, AskedLines::at(0, 2, 0), 3, 102);
        lines.ask(MessageKind::memory_read, AskedLines::at(0, 1, 1), 4, 103);
    };
    AskedLines free(16), in_order(1);
    ask(free);
    ask(in_order);
    // Row 0: activated at 100, read at 105, data at 110. Row 1, behind tRC: 123, 128, 133; its second line a burst
    // later. Row 2: 146, 151, 156. And 20 beside the DRAM.
    CHECK(free.answers() == "0.0 at 130, 0.1 at 153, 0.1 at 157, 0.2 at 176");
    CHECK(free.controller().statistics().closed_banks == 1);
    CHECK(free.controller().statistics().open_rows == 1);
    CHECK(free.controller().statistics().other_rows == 2);
    CHECK(in_order.answers() == "0.0 at 130, 0.1 at 153, 0.2 at 176, 0.1 at 199");
}

TEST_CASE("a controller lets nothing overtake what the same home wrote before") {
    const auto ask = [](AskedLines& lines, std::uint32_t reader) {
        lines.ask(MessageKind::memory_read, AskedLines::at(0, 0), 1, 100);
        lines.ask(MessageKind::memory_read, AskedLines::at(0, 1, 0), 1, 101);
        lines.ask(MessageKind::memory_write, AskedLines::at(0, 2, 0), 2, 102);
        lines.ask(MessageKind::memory_read, AskedLines::at(0, 1, 1), reader, 103);
    };
    AskedLines others(16), own(16);
    ask(others, 3);
    CHECK(others.answers() == "0.0 at 130, 0.1 at 153, 0.1 at 157, 0.2 at 175");
    ask(own, 2);
    // Row 2's write: 146, 151, data 155 to 159, tWR until 165, tRP; row 1 again: 170, 175, 180.
    CHECK(own.answers() == "0.0 at 130, 0.1 at 153, 0.2 at 175, 0.1 at 200");
}

TEST_CASE("a controller chooses late: what comes while the bus is busy takes part, one cycle later it does not") {
    // The first line's burst begins at 105, so the next is chosen at 105 + 4 - 5 - 5 = 99: at once, when it comes. A
    // line of another row keeps the bank until 128, so the one behind it is chosen at 128 + 4 - 10 = 122.
    const auto with_last_at = [](std::uint64_t time) {
        AskedLines lines(16);
        lines.ask(MessageKind::memory_read, AskedLines::at(0, 0), 1, 100);
        lines.ask(MessageKind::memory_read, AskedLines::at(0, 1, 0), 2, 101);
        lines.ask(MessageKind::memory_read, AskedLines::at(0, 2, 0), 3, 102);
        lines.ask(MessageKind::memory_read, AskedLines::at(0, 1, 1), 4, time);
        return lines.answers();
    };
    CHECK(with_last_at(122) == "0.0 at 130, 0.1 at 153, 0.1 at 157, 0.2 at 176");
    CHECK(with_last_at(123) == "0.0 at 130, 0.1 at 153, 0.2 at 176, 0.1 at 199");
}

}  // namespace croftsim
