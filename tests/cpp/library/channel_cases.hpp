#pragma once
// Every channel, by any number of slots, is first in, first out; nothing is lost or duplicated. Whoever includes
// this defines POLICIES, those of policies_under_test.hpp that it is to hold for.

#include <croft/channel/channel.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "policies_under_test.hpp"

namespace {

constexpr std::size_t degrees[] = {1, 2, 3, 7, 16, 100};
constexpr std::uint64_t messages = 3000;

// Larger than a line, so that a message seen half written would show.
struct block {
    std::array<std::uint64_t, 40> words;
    void fill(std::uint64_t value) { words.fill(value); }
    bool holds(std::uint64_t value) const {
        for (const std::uint64_t word : words)
            if (word != value) return false;
        return true;
    }
};

}  // namespace

TEST_CASE_TEMPLATE("messages by value arrive once and in order, and then the end", Policies, POLICIES) {
    for (const std::size_t degree : degrees) {
        CAPTURE(degree);
        croft::channel<std::uint64_t, Policies> channel(degree);
        std::thread sender([&] {
            for (std::uint64_t i = 0; i < messages; ++i) channel.send(i);
            channel.close();
        });
        std::uint64_t expected = 0, wrong = 0;
        while (const auto message = channel.receive()) wrong += *message != expected++;
        CHECK(wrong == 0);
        CHECK(expected == messages);
        CHECK(channel.ended());
        CHECK_FALSE(channel.receive().has_value());  // and again
        sender.join();
    }
}

TEST_CASE_TEMPLATE("messages in place are complete when they are seen, and stay until acknowledged", Policies,
                   POLICIES) {
    for (const std::size_t degree : degrees) {
        CAPTURE(degree);
        croft::channel<block, Policies> channel(degree);
        std::thread sender([&] {
            for (std::uint64_t i = 0; i < messages; ++i) {
                block& slot = channel.acquire();
                slot.fill(i);
                if (&slot != &channel.acquire()) std::abort();  // the same slot until it is published
                channel.publish();
            }
            channel.close();
        });
        std::uint64_t expected = 0, wrong = 0;
        while (block* message = channel.receive_in_place()) {
            wrong += message != channel.receive_in_place();
            wrong += !message->holds(expected);
            message->fill(~expected);  // the receiver owns it, and may write
            wrong += !message->holds(~expected);
            ++expected;
            channel.set_ack();
        }
        CHECK(wrong == 0);
        CHECK(expected == messages);
        sender.join();
    }
}

TEST_CASE_TEMPLATE("messages that can only be moved are moved", Policies, POLICIES) {
    for (const std::size_t degree : degrees) {
        croft::channel<std::unique_ptr<std::uint64_t>, Policies> channel(degree);
        std::thread sender([&] {
            for (std::uint64_t i = 0; i < messages; ++i) channel.send(std::make_unique<std::uint64_t>(i));
            channel.send(nullptr);  // no value is taken for the end
            channel.close();
        });
        std::uint64_t expected = 0, wrong = 0;
        while (auto message = channel.receive()) {
            if (expected < messages)
                wrong += !*message || **message != expected;
            else
                wrong += *message != nullptr;
            ++expected;
        }
        CHECK(wrong == 0);
        CHECK(expected == messages + 1);
        sender.join();
    }
}

TEST_CASE_TEMPLATE("a channel that is reopened has nothing, however often one looks, until the next stream begins",
                   Policies, POLICIES) {
    for (const std::size_t degree : degrees) {
        CAPTURE(degree);
        croft::channel<int, Policies> channel(degree);
        for (int stream = 0; stream < 40; ++stream) {
            for (int i = 0; i < stream % 9; ++i) {
                channel.send(i);
                REQUIRE(channel.try_receive() == i);
            }
            channel.close();
            CHECK_FALSE(channel.try_receive().has_value());
            CHECK(channel.ended());
            channel.reopen();
            for (int look = 0; look < 3; ++look) {
                REQUIRE_FALSE(channel.try_receive().has_value());
                REQUIRE_FALSE(channel.ended());
            }
        }
    }
}

TEST_CASE_TEMPLATE("without waiting", Policies, POLICIES) {
    for (const std::size_t degree : degrees) {
        croft::channel<std::uint64_t, Policies> channel(degree);
        std::thread sender([&] {
            for (std::uint64_t i = 0; i < messages; ++i)
                while (!channel.try_send(i)) std::this_thread::yield();
            channel.close();
        });
        std::uint64_t expected = 0, wrong = 0;
        while (!channel.ended()) {
            if (const auto message = channel.try_receive())
                wrong += *message != expected++;
            else
                std::this_thread::yield();
        }
        CHECK(wrong == 0);
        CHECK(expected == messages);
        sender.join();
    }
}

TEST_CASE_TEMPLATE("K messages can be sent ahead, and always K again when all were received", Policies, POLICIES) {
    for (const std::size_t degree : degrees) {
        CAPTURE(degree);
        croft::channel<std::uint64_t, Policies> channel(degree);
        std::uint64_t sent = 0, received = 0;
        for (std::uint64_t round = 0; round < 200; ++round) {
            while (sent - received < degree) {
                REQUIRE(channel.try_send(sent));
                ++sent;
            }
            // Any number of them, including those that leave a batch of acks incomplete.
            for (std::uint64_t take = round % degree + 1; take > 0; --take)
                REQUIRE(*channel.try_receive() == received++);
        }
    }
}

TEST_CASE_TEMPLATE("a channel is bounded: without a receiver the sender finds it full", Policies, POLICIES) {
    for (const std::size_t degree : degrees) {
        croft::channel<int, Policies> channel(degree);
        std::size_t sent = 0;
        while (sent < 10 * degree && channel.try_send(1)) ++sent;
        CHECK(sent >= degree);
        constexpr bool holds_acks_back = std::is_same_v<typename Policies::events, croft::events::batched> ||
                                         std::is_same_v<typename Policies::events, croft::events::packed>;
        if (holds_acks_back && degree >= 8)
            CHECK(sent < degree + degree / 4);  // room for acks held back
        else
            CHECK(sent == degree);
        const std::string kept = "a message that long is not kept inside the string object";
        croft::channel<std::string, Policies> full(1);
        std::string first = kept, second = kept;
        CHECK(full.try_send(std::move(first)));
        CHECK_FALSE(full.try_send(std::move(second)));
        CHECK(second == kept);  // what could not be sent is not lost
    }
}

TEST_CASE_TEMPLATE("ranges are sent in order, and any number of what has come is acknowledged", Policies, POLICIES) {
    for (const std::size_t degree : degrees) {
        CAPTURE(degree);
        croft::channel<std::uint32_t, Policies> channel(degree);
        std::thread sender([&] {
            std::vector<std::uint32_t> some;
            std::uint32_t next = 0;
            for (std::uint32_t length = 0; next < messages; length = (length + 7) % 41) {
                some.clear();
                for (std::uint32_t i = 0; i < length; ++i) some.push_back(next++);
                channel.send(some.begin(), some.end());
                if (length % 3 == 0) channel.send(next++);  // and one by itself in between
            }
            channel.send(~0u);
            channel.close();
        });
        std::uint32_t expected = 0, wrong = 0, last = 0;
        for (std::uint32_t turn = 0;; ++turn) {
            const auto some = channel.receive_some_in_place();
            if (some.empty()) break;
            // Now all of them, now the first ones.
            const std::size_t taken = turn % 2 ? some.size() : (some.size() + 1) / 2;
            for (std::size_t i = 0; i < taken; ++i) {
                last = some[i];
                if (last != ~0u) wrong += last != expected++;
            }
            channel.set_ack(taken);
        }
        CHECK(wrong == 0);
        CHECK(expected >= messages);
        CHECK(last == ~0u);
        CHECK(channel.ended());
        sender.join();
    }
}
