// A core's track of the timeline: slices lie within or behind each other, whoever ends them.

#include <doctest/doctest.h>

#include "record/landmarks.hpp"
#include "record/marked_text.hpp"
#include "record/track.hpp"

namespace croftsim {
namespace {

constexpr std::uint64_t unlimited = 1 << 20;
using Kind = Track::Kind;

// How many packets there are of a slice's beginning, of a slice's end and of an instant. In each, the type of its event
// is the first field (record/timeline.cpp).
struct Counted {
    int begins = 0, ends = 0, instants = 0;
    bool operator==(const Counted&) const = default;
};
Counted counted(Timeline& timeline) {
    Counted found;
    const std::string packets = timeline.take().packets;
    for (std::size_t at = 0; at + 1 < packets.size(); at += 2 + static_cast<std::uint8_t>(packets[at + 1])) {
        const std::size_t event = packets.find("\x48", at) + 1;  // field 9, a varint
        (packets[event] == 1 ? found.begins : packets[event] == 2 ? found.ends : found.instants)++;
    }
    return found;
}

}  // namespace

TEST_CASE("who ends a slice ends what has begun within it, and an end without a beginning is none") {
    Timeline timeline(0, ~std::uint64_t{0}, unlimited);
    Track track(timeline, 0);
    track.begin(Kind::thread, Trace::thread, 1);
    track.begin(Kind::mark, Trace::own, 2);
    track.begin(Kind::landmark, Trace::landmarks, 3, 5);
    track.begin(Kind::landmark, Trace::landmarks + 1, 4, 6);
    track.end_latest(Kind::mark, 0, 9);
    track.end_latest(Kind::mark, 0, 10);
    track.end_latest(Kind::landmark, Trace::landmarks, 11);
    CHECK(track.returned(0, 12) == 0);
    track.instant(Trace::own, 13);
    track.end_all(14);
    CHECK(counted(timeline) == Counted{4, 4, 1});
}

TEST_CASE("returns end landmarks of the calls that are over, and handlers with what began in them") {
    Timeline timeline(0, ~std::uint64_t{0}, unlimited);
    Track track(timeline, 0);
    track.begin(Kind::thread, Trace::thread, 1);
    track.begin(Kind::landmark, Trace::landmarks, 2, 3);
    track.begin(Kind::handler, Trace::handler, 3, 4);
    track.begin(Kind::landmark, Trace::landmarks, 4, 5);
    track.begin(Kind::mark, Trace::own, 5);
    // In a handler nothing that began before it ends.
    track.end_latest(Kind::landmark, Trace::landmarks + 1, 6);
    CHECK(track.returned(5, 6) == 0);
    CHECK(track.returned(4, 7) == 1);
    CHECK(track.returned(3, 8) == 0);
    CHECK(track.returned(2, 9) == 0);
    CHECK(counted(timeline) == Counted{5, 4, 0});
    // The thread alone is left.
    track.end_all(10);
    CHECK(counted(timeline) == Counted{0, 1, 0});
}

TEST_CASE("a landmark that begins again in the same call has ended") {
    Timeline timeline(0, ~std::uint64_t{0}, unlimited);
    Track track(timeline, 0);
    track.begin(Kind::landmark, Trace::landmarks, 1, 3);
    track.begin(Kind::landmark, Trace::landmarks, 2, 3);
    CHECK(counted(timeline) == Counted{2, 1, 0});
    track.begin(Kind::landmark, Trace::landmarks, 3, 4);  // a call of it
    CHECK(counted(timeline) == Counted{1, 0, 0});
}

TEST_CASE("of another time than the one that is looked at there is what reaches into it") {
    Timeline timeline(100, 200, unlimited);
    Track track(timeline, 0);
    track.begin(Kind::thread, Trace::thread, 1);
    track.begin(Kind::mark, Trace::own, 2);
    track.end_latest(Kind::mark, 0, 50);
    track.instant(Trace::own, 60);
    track.wait(1, 70, 120);
    track.begin(Kind::mark, Trace::own, 130);
    track.begin(Kind::mark, Trace::own, 250);
    track.instant(Trace::own, 260);
    track.end_all(300);
    CHECK(counted(timeline) == Counted{3, 3, 0});
}

TEST_CASE("without room marks and waits are left out, and what is open ends") {
    Timeline timeline(0, ~std::uint64_t{0}, 1);
    Track track(timeline, 0);
    track.begin(Kind::thread, Trace::thread, 1);
    track.begin(Kind::mark, Trace::own, 2);
    track.wait(1, 3, 4);
    track.instant(Trace::own, 5);
    track.end_all(6);
    const Trace trace = timeline.take();
    CHECK(trace.left_out == 3);
    CHECK(trace.left_out_from == 2);
}

TEST_CASE("the text of a mark ends where the program may not read on, and is bounded") {
    AddressSpace memory;
    constexpr std::uint64_t page = 0x10000;
    REQUIRE(memory.map(page, AddressSpace::page_bytes, Permission::read | Permission::write));
    CHECK(marked_text(memory, 0) == "?");
    CHECK(marked_text(memory, ~std::uint64_t{0}) == "?");
    const std::string text(200, 'x'), strange("a\tb\xff");
    memory.write_dram(page, text.data(), text.size());
    CHECK(marked_text(memory, page) == std::string(80, 'x'));
    const std::uint64_t last = page + AddressSpace::page_bytes - 4;
    memory.write_dram(last, strange.data(), 4);
    CHECK(marked_text(memory, last) == "a?b?");
}

TEST_CASE("landmarks of an address are found in the order in which they are told") {
    const Landmarks landmarks({{0x2000, 1, false}, {0x1000, 2, true}, {0x1000, 0, false}});
    CHECK(landmarks.at(0x1002).empty());
    REQUIRE(landmarks.at(0x1000).size() == 2);
    CHECK(landmarks.at(0x1000)[0].ends);
    CHECK(landmarks.at(0x1000)[1].what == 0);
    CHECK(landmarks.at(0x1000 + 2 * (1 << 14)).empty());  // looks like it at first sight
}

}  // namespace croftsim
