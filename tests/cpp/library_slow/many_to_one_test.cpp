// The asymmetric channels: many senders into one receiver, one sender to many receivers; the fairness of their choice.

#include <croft/channel/many_to_one.hpp>
#include <croft/channel/one_to_many.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "policies_under_test.hpp"

namespace {

struct tagged {
    std::uint32_t sender;
    std::uint32_t number;
};

constexpr std::uint32_t messages = 1000;

}  // namespace

TEST_CASE_TEMPLATE("every sender's messages arrive once and in its order", Policies, ALL_POLICIES) {
    for (const std::uint32_t senders : {1u, 2u, 5u}) {
        for (const std::size_t degree : {1u, 3u, 16u}) {
            croft::many_to_one<tagged, Policies> channel(senders, degree);
            std::vector<std::thread> threads;
            for (std::uint32_t s = 0; s < senders; ++s)
                threads.emplace_back([&channel, s] {
                    for (std::uint32_t i = 0; i < messages; ++i) channel.sender(s).send({s, i});
                    channel.sender(s).close();
                });
            std::vector<std::uint32_t> next(senders);
            std::uint32_t wrong = 0;
            while (const auto message = channel.receive()) {
                wrong += message->sender != channel.last_sender();
                wrong += message->number != next[message->sender]++;
            }
            CHECK(wrong == 0);
            for (const std::uint32_t n : next) CHECK(n == messages);
            CHECK(channel.ended());
            CHECK_FALSE(channel.receive().has_value());
            for (std::thread& thread : threads) thread.join();
        }
    }
}

TEST_CASE("the choice is fair: it begins after the sender served last") {
    croft::many_to_one<int> channel(3, 4);
    for (int round = 0; round < 2; ++round)
        for (int sender = 0; sender < 3; ++sender) channel.sender(sender).send(sender);
    // All have two messages: they take turns.
    for (const int expected : {0, 1, 2, 0}) CHECK(*channel.receive() == expected);
    // Sender 0 sends again and again; the others are served all the same, and first.
    channel.sender(0).send(0);
    channel.sender(0).send(0);
    for (const int expected : {1, 2, 0, 0}) CHECK(*channel.receive() == expected);
    CHECK_FALSE(channel.try_receive().has_value());
    CHECK_FALSE(channel.ended());
}

TEST_CASE("a message stays the one handed out until it is acknowledged") {
    croft::many_to_one<int> channel(2, 2);
    channel.sender(0).send(10);
    int* const first = channel.receive_in_place();
    channel.sender(1).send(20);
    CHECK(channel.receive_in_place() == first);
    CHECK(channel.try_receive_in_place() == first);
    channel.set_ack();
    CHECK(*channel.receive_in_place() == 20);
}

TEST_CASE("a stream ends when the last sender has closed, in any order") {
    croft::many_to_one<int> channel(3, 1);
    channel.sender(1).close();
    CHECK_FALSE(channel.try_receive().has_value());
    CHECK_FALSE(channel.ended());
    channel.sender(0).send(7);
    CHECK(*channel.try_receive() == 7);
    channel.sender(0).close();
    channel.sender(2).close();
    CHECK_FALSE(channel.receive().has_value());
    CHECK(channel.ended());
}

TEST_CASE_TEMPLATE("one to many: every message goes to one receiver, in order for each", Policies, ALL_POLICIES) {
    constexpr std::size_t receivers = 3;
    croft::one_to_many<std::uint32_t, Policies> channel(receivers, 2);
    std::vector<std::vector<std::uint32_t>> got(receivers);
    std::vector<std::thread> threads;
    for (std::size_t r = 0; r < receivers; ++r)
        threads.emplace_back([&, r] {
            while (const auto message = channel.receiver(r).receive()) got[r].push_back(*message);
        });
    for (std::uint32_t i = 0; i < messages; ++i) channel.send(i);
    channel.close();
    for (std::thread& thread : threads) thread.join();
    std::vector<int> seen(messages);
    for (const auto& list : got)
        for (std::size_t i = 0; i < list.size(); ++i) {
            ++seen[list[i]];
            if (i) CHECK(list[i - 1] < list[i]);
        }
    CHECK(seen == std::vector<int>(messages, 1));
}

TEST_CASE("one to many: the choice is fair among receivers with room, and passes by those without") {
    croft::one_to_many<int> channel(3, 1);
    std::vector<std::size_t> chosen;
    const auto send = [&] {
        channel.acquire() = 1;
        channel.acquire() = 2;  // the same slot until it is published
        chosen.push_back(channel.last_receiver());
        channel.publish();
    };
    send(), send(), send();
    CHECK(channel.receiver(2).receive() == 2);
    send();
    CHECK(channel.receiver(0).receive() == 2);
    CHECK(channel.receiver(1).receive() == 2);
    send(), send();
    CHECK(chosen == std::vector<std::size_t>{0, 1, 2, 2, 0, 1});
}

TEST_CASE("asymmetric channels of nobody are refused") {
    CHECK_THROWS_AS(croft::many_to_one<int>(0, 1), std::invalid_argument);
    CHECK_THROWS_AS(croft::one_to_many<int>(0, 1), std::invalid_argument);
    CHECK_THROWS_AS(croft::one_to_many<int>(1, 0), std::invalid_argument);
}
