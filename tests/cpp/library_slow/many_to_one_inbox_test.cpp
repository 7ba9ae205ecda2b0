// Many to one, where the senders come and go.

#include <croft/channel/inbox.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include "policies_under_test.hpp"

namespace {

struct tagged {
    std::uint32_t sender;
    std::uint32_t number;
};

}  // namespace

TEST_CASE_TEMPLATE("inbox: threads join, send, go and join again; every message arrives once, in its sender's order",
                   Policies, packed_policies, turns_policies, paper_policies, drowsy_packed_policies, drowsy_policies) {
    for (const std::size_t degree : {1u, 3u, 16u}) {
        constexpr std::uint32_t threads = 4, visits = 60;
        croft::inbox<tagged, Policies> inbox(degree);
        std::vector<std::thread> senders;
        for (std::uint32_t t = 0; t < threads; ++t)
            senders.emplace_back([&inbox, t] {
                for (std::uint32_t visit = 0; visit < visits; ++visit) {
                    auto sender = inbox.join();
                    for (std::uint32_t i = 0; i < visit % 7; ++i) sender->send({t * visits + visit, i});
                }
            });
        std::thread closing([&] {
            for (std::thread& sender : senders) sender.join();
            inbox.close();
        });
        std::vector<std::uint32_t> next(threads * visits);
        std::uint32_t wrong = 0;
        while (const auto message = inbox.receive()) wrong += message->number != next[message->sender]++;
        closing.join();
        CHECK(wrong == 0);
        for (std::uint32_t i = 0; i < threads * visits; ++i) wrong += next[i] != i % visits % 7;
        CHECK(wrong == 0);
        CHECK(inbox.ended());
        CHECK_FALSE(inbox.receive().has_value());
    }
}

TEST_CASE_TEMPLATE("inbox: who has joined and sent nothing is nobody's message", Policies, packed_policies,
                   turns_policies, paper_policies) {
    for (const std::size_t degree : {1u, 3u, 16u}) {
        croft::inbox<int, Policies> inbox(degree);
        for (int visit = 0; visit < 40; ++visit) {
            auto sender = inbox.join();
            for (int look = 0; look < 3; ++look) REQUIRE_FALSE(inbox.try_receive().has_value());
            REQUIRE(inbox.senders() == 1);
            for (int i = 0; i < visit % 9; ++i) {
                sender->send(i);
                REQUIRE(inbox.try_receive() == i);
            }
            sender.close();
            REQUIRE_FALSE(inbox.try_receive().has_value());
            REQUIRE(inbox.senders() == 0);
        }
    }
}

TEST_CASE("inbox: what was sent before it was closed, and by who is still there, is received") {
    croft::inbox<int> inbox(4);
    auto early = inbox.join();
    early->send(1);
    inbox.close();
    CHECK_THROWS_AS(inbox.join(), croft::disconnected);
    early->send(2);
    CHECK(inbox.receive() == 1);
    CHECK(inbox.try_receive() == 2);
    CHECK_FALSE(inbox.try_receive().has_value());
    CHECK_FALSE(inbox.ended());
    {
        const auto gone = std::move(early);
    }
    CHECK_FALSE(inbox.receive().has_value());
    CHECK(inbox.ended());
}

TEST_CASE("inbox: who joins is heard beside one who never stops") {
    croft::inbox<int> inbox(4);
    auto busy = inbox.join();
    for (int i = 0; i < 3; ++i) busy->send(0);
    CHECK(inbox.receive() == 0);
    auto late = inbox.join();
    late->send(1);
    busy->send(0);
    CHECK(inbox.receive() == 0);  // the round that it joined in
    CHECK(inbox.receive() == 1);
}

TEST_CASE("inbox: a channel is used again when its sender has gone, with what it had room for") {
    croft::inbox<int> inbox(3);
    std::set<const void*> channels;
    for (int round = 0; round < 50; ++round) {
        {
            auto sender = inbox.join();
            channels.insert(&*sender);
            for (int i = 0; i < round % 3; ++i) CHECK(sender->try_send(i));
            sender->acquire() = 7;  // handed out, and never published
        }
        for (int i = 0; i < round % 3; ++i) CHECK(inbox.receive() == i);
        CHECK_FALSE(inbox.try_receive().has_value());
    }
    CHECK(channels.size() == 1);
}

TEST_CASE("inbox: a receiver that leaves ends the waiting of all, and nobody joins") {
    for (int round = 0; round < 50; ++round) {
        croft::inbox<int, drowsy_packed_policies> inbox(1);
        std::atomic<int> told{0};
        std::vector<std::thread> senders;
        for (int i = 0; i < 3; ++i)
            senders.emplace_back([&] {
                try {
                    auto sender = inbox.join();
                    for (;;) sender->send(1);
                } catch (const croft::disconnected&) {
                    ++told;
                }
            });
        for (int i = 0; i < round % 4; ++i) inbox.receive();
        inbox.leave();
        for (std::thread& sender : senders) sender.join();
        CHECK(told == 3);
        CHECK_THROWS_AS(inbox.join(), croft::disconnected);
    }
}

TEST_CASE("inbox: for a bounded time") {
    using namespace std::chrono_literals;
    croft::inbox<int, drowsy_packed_policies> inbox(1);
    CHECK_FALSE(inbox.receive_for(1ms).has_value());
    std::thread other([&] { inbox.join()->send(5); });
    CHECK(inbox.receive_for(std::chrono::hours(1000)) == 5);
    other.join();
    inbox.close();
    CHECK_FALSE(inbox.receive_for(std::chrono::hours(1000)).has_value());
    CHECK_THROWS_AS(croft::inbox<int>(0), std::invalid_argument);
}
