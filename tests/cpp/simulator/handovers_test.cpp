#include "record/handovers.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace croftsim {
namespace {

using Kind = ExecutionLog::Kind;
constexpr std::uint64_t sends = 0x100, receives = 0x200, flag = 0x4000;

struct Told {
    std::vector<Handovers::Handed> handed;
    Handovers::Tenant tenant{3, 0};
    std::vector<Handover> code{{sends, sends + 4, Handover::send}, {receives, receives + 4, Handover::receive}};
    Handovers handovers{
        4, code, [this](std::uint64_t, std::uint64_t time) { return time < 500 ? Handovers::Tenant{3, 0} : tenant; },
        [this](const Handovers::Handed& one) { handed.push_back(one); }};

    void send(std::uint32_t core, std::uint64_t address, std::uint64_t time) {
        handovers.accessed(core, {sends, address, time, 0, Kind::store, 4});
    }
    void receive(std::uint32_t core, std::uint64_t address, std::uint64_t time) {
        handovers.accessed(core, {receives, address, time, 0, Kind::load, 4});
    }
};

TEST_CASE("a message goes from who stored its flag to who has found it, however late that is told") {
    Told told;
    told.receive(1, flag, 90);
    told.send(0, flag, 10);
    told.handovers.order_until(90);
    CHECK(told.handed.empty());
    CHECK(told.handovers.unreceived() == 1);
    told.handovers.order_until(100);
    REQUIRE(told.handed.size() == 1);
    CHECK(told.handed[0].from.core == 0);
    CHECK(told.handed[0].from.time == 10);
    CHECK(told.handed[0].to.core == 1);
    CHECK(told.handed[0].to.time == 90);
    CHECK(told.handed[0].allocation == 3);
    CHECK(told.handovers.unreceived() == 0);
}

TEST_CASE("what was left in memory that has become something else is not received") {
    Told told;
    told.tenant = {4, 500};
    told.send(0, flag, 10);
    told.handovers.order_until(100);
    told.send(2, flag, 600);
    told.receive(1, flag, 700);
    told.handovers.finish();
    REQUIRE(told.handed.size() == 1);
    CHECK(told.handed[0].from.core == 2);
    CHECK(told.handed[0].allocation == 4);
}

TEST_CASE("messages of the user network are known by their numbers") {
    Told told;
    told.handovers.received({1, 50}, flag);
    told.handovers.sent({0, 40}, flag);
    told.handovers.sent({0, 45}, flag + 1);
    told.receive(1, flag, 60);  // an address, and no number
    told.handovers.finish();
    REQUIRE(told.handed.size() == 1);
    CHECK(told.handed[0].by == Handovers::By::user_network);
    CHECK(told.handed[0].from.time == 40);
    CHECK(told.handed[0].to.time == 50);
    CHECK(told.handovers.unreceived() == 1);
}

TEST_CASE("of what nobody receives the older half is forgotten when there is a million of it") {
    Told told;
    constexpr std::uint64_t million = 1 << 20;
    for (std::uint64_t i = 0; i <= million; ++i) told.send(0, flag + 64 * i, 1 + i);
    told.handovers.order_until(million + 10);
    told.receive(1, flag, million + 20);
    told.receive(1, flag + 64 * million, million + 30);
    told.handovers.finish();
    REQUIRE(told.handed.size() == 1);
    CHECK(told.handed[0].from.time == 1 + million);
    CHECK(told.handovers.unreceived() == million);
}

}  // namespace
}  // namespace croftsim
