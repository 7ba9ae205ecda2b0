#include "record/channel_counts.hpp"

#include <doctest/doctest.h>

namespace croftsim {
namespace {

constexpr auto memory = Handovers::By::message;

Handovers::Handed message(std::uint64_t sent, std::uint64_t received, std::uint32_t from = 0, std::uint32_t to = 1) {
    return {memory, 0x1000, 7, {from, sent}, {to, received}};
}

TEST_CASE("messages are counted by their two cores, with their cycles and the most at once") {
    ChannelCounts counts;
    counts.received(message(10, 40));
    counts.received(message(20, 50));
    counts.received(message(30, 60));  // the first three
    counts.received(message(40, 70));  // the first one is received as it is sent
    counts.received(message(100, 101));
    counts.received(message(100, 300, 1, 0));
    const auto channels = counts.take();
    REQUIRE(channels.size() == 2);
    CHECK(channels[0].sender == 0);
    CHECK(channels[0].receiver == 1);
    CHECK(channels[0].allocation == 7);
    CHECK(channels[0].line == 0);
    CHECK(channels[0].messages == 5);
    CHECK(channels[0].under_way == 4 * 30 + 1);
    CHECK(channels[0].most == 3);
    CHECK(channels[1].messages == 1);
    CHECK(channels[1].most == 1);
}

TEST_CASE("how many were under way at once is not known where one overtook another") {
    ChannelCounts counts;
    counts.received(message(20, 50));
    counts.received(message(10, 60));
    counts.received(message(70, 80));
    const auto channels = counts.take();
    REQUIRE(channels.size() == 1);
    CHECK(channels[0].messages == 3);
    CHECK(channels[0].under_way == 30 + 50 + 10);
    CHECK(channels[0].most == 0);
}

TEST_CASE("flags outside of allocations are told apart by their lines, those of the user network are not") {
    ChannelCounts counts;
    for (const std::uint64_t address : {0x1000u, 0x1004u, 0x1040u}) {
        counts.received({memory, address, Lines::nothing, {0, 1}, {1, 2}});
        counts.received({Handovers::By::user_network, address, Lines::nothing, {0, 1}, {1, 2}});
    }
    const auto channels = counts.take();
    REQUIRE(channels.size() == 3);
    std::uint64_t by_network = 0, in_line = 0;
    for (const Lines::Channel& one : channels) {
        if (one.by_user_network) by_network += one.messages;
        if (!one.by_user_network && one.line == 0x1000) in_line += one.messages;
    }
    CHECK(by_network == 3);
    CHECK(in_line == 2);
}

}  // namespace
}  // namespace croftsim
