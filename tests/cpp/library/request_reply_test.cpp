// The request/reply channel: every request gets its own reply, and then the end.

#include <croft/channel/request_reply.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "policies_under_test.hpp"

TEST_CASE_TEMPLATE("request/reply: each call gets its reply, and the server the end", Policies, packed_policies,
                   spinning_policies, drowsy_packed_policies) {
    croft::request_reply<std::uint64_t, std::uint64_t, Policies> channel;
    std::uint64_t served = 0;
    std::thread server([&] {
        while (const auto request = channel.receive()) {
            ++served;
            channel.reply(*request + 1);
        }
        if (channel.receive()) served = 0;  // and again
    });
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < 3000; ++i) wrong += channel.call(i) != i + 1;
    channel.close();
    server.join();
    CHECK(wrong == 0);
    CHECK(served == 3000);
}

TEST_CASE("request/reply: in place, larger than a line, with work between request and reply") {
    struct block {
        std::array<std::uint64_t, 40> words;
    };
    croft::request_reply<block, std::string> channel;
    std::thread server([&] {
        while (const block* request = channel.receive_in_place()) {
            if (request != channel.receive_in_place()) std::abort();  // until it is answered
            channel.reply().assign(request->words.back(), 'x');
            channel.publish_reply();
        }
    });
    for (std::uint64_t i = 0; i < 500; ++i) {
        channel.request().words.fill(i);
        channel.publish();
        const std::string expected(i, 'x');
        CHECK(channel.await_reply() == expected);
        CHECK(channel.await_reply() == expected);  // the client's until the next request
    }
    channel.close();
    server.join();
}

TEST_CASE("request/reply: messages that can only be moved are moved") {
    croft::request_reply<std::unique_ptr<int>> channel;
    std::thread server([&] {
        while (auto request = channel.receive()) channel.reply(std::move(*request));
    });
    auto sent = std::make_unique<int>(7);
    const int* const there = sent.get();
    CHECK(channel.call(std::move(sent)).get() == there);
    channel.close();
    server.join();
}

TEST_CASE("request/reply: its ends are given in braces, or a home of one's own making is") {
    croft::request_reply<int> here({.sender = 0, .receiver = 1});
    croft::request_reply<int> there(croft::homes::hashed{});
    for (auto* const channel : {&here, &there}) {
        channel->request() = 4;
        channel->publish();
        CHECK(channel->receive() == 4);
    }
}
