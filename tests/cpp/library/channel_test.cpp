// The symmetric channel: what holds by all policies (the others: library_slow/channel_policies_test.cpp), and by one.

#define POLICIES SOME_POLICIES
#include "channel_cases.hpp"

#include <memory>
#include <stdexcept>
#include <vector>

TEST_CASE("a message in a slot keeps what it owns, for whoever fills the slot next") {
    croft::channel<std::vector<int>> channel(1);
    channel.acquire().assign(1000, 1);
    channel.publish();
    CHECK(channel.receive_in_place()->size() == 1000);
    channel.set_ack();
    CHECK(channel.acquire().capacity() >= 1000);
}

TEST_CASE("messages are destroyed with their channel") {
    const auto shared = std::make_shared<int>(1);
    {
        croft::channel<std::shared_ptr<int>> channel(8);
        for (int i = 0; i < 5; ++i) channel.send(shared);
        CHECK(shared.use_count() == 6);
        CHECK(channel.receive().has_value());
        CHECK(shared.use_count() == 5);  // moved out, not copied
    }
    CHECK(shared.use_count() == 1);
}

TEST_CASE("a channel's ends are given in braces, or a home of one's own making is") {
    croft::channel<int> here(4, {.sender = 0, .receiver = 1});
    croft::channel<int> there(4, croft::homes::hashed{});
    croft::channel<int, homed_policies<croft::homes::at_core>> elsewhere(4, {.sender = 0, .receiver = 1, .home = 1});
    here.send(4);
    there.send(4);
    elsewhere.send(4);
    CHECK(here.receive() == 4);
    CHECK(there.receive() == 4);
    CHECK(elsewhere.receive() == 4);
}

TEST_CASE("a channel without slots is refused") { CHECK_THROWS_AS(croft::channel<int>(0), std::invalid_argument); }
