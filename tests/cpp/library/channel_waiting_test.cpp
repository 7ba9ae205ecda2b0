// Waiting for a bounded time, and the end of a stream whose receiver goes away. Nobody waits for ever, and nothing that
// was given back is lost.

#include <croft/channel/channel.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/channel/one_to_many.hpp>
#include <croft/channel/request_reply.hpp>
#include <croft/paper/channel/lamport_queue.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "policies_under_test.hpp"

namespace {

using namespace std::chrono_literals;

// Long enough that nobody comes to its end in a test.
constexpr auto for_ever = std::chrono::hours(1'000'000);

struct lamport_policies : croft::policies {
    using events = croft::events::lamport;
};

// Fills a channel; how many messages that took.
template <class Channel>
int fill(Channel& channel) {
    int sent = 0;
    while (channel.try_send(sent)) ++sent;
    return sent;
}

}  // namespace

#define WAITING_POLICIES packed_policies, paper_policies, spinning_policies, drowsy_policies, lamport_policies

TEST_CASE_TEMPLATE("a receiver that waits for a bounded time waits that long, and no longer", Policies,
                   WAITING_POLICIES) {
    croft::channel<int, Policies> channel(2);
    const auto end = std::chrono::steady_clock::now() + 3ms;
    CHECK_FALSE(channel.receive_until(end).has_value());
    CHECK(std::chrono::steady_clock::now() >= end);
    CHECK_FALSE(channel.ended());
    CHECK_FALSE(channel.receive_for(0ns).has_value());
    CHECK_FALSE(channel.receive_for(-1s).has_value());
    CHECK(channel.receive_in_place_for(1us) == nullptr);
    CHECK_FALSE(channel.receive_until(std::chrono::system_clock::now() + 1ms).has_value());

    channel.send(7);
    CHECK(channel.receive_for(0ns) == 7);  // what is there is given, whatever the time
    channel.send(8);
    CHECK(*channel.receive_in_place_until(std::chrono::steady_clock::time_point::min()) == 8);
    channel.set_ack();
    channel.close();
    CHECK_FALSE(channel.receive_for(for_ever).has_value());
    CHECK(channel.ended());
}

TEST_CASE_TEMPLATE("a sender that waits for a bounded time keeps what it could not send", Policies, WAITING_POLICIES) {
    croft::channel<std::unique_ptr<int>, Policies> channel(1);
    CHECK(channel.send_for(std::make_unique<int>(1), 1ms));
    auto second = std::make_unique<int>(2);
    const auto end = std::chrono::steady_clock::now() + 3ms;
    CHECK_FALSE(channel.send_until(std::move(second), end));
    CHECK(std::chrono::steady_clock::now() >= end);
    CHECK(*second == 2);
    CHECK(channel.acquire_for(1us) == nullptr);
    CHECK(**channel.receive() == 1);
    CHECK(channel.send_for(std::move(second), 0ns));
    CHECK(**channel.receive() == 2);
}

TEST_CASE_TEMPLATE("who waits for a long time is woken by what it waits for", Policies, WAITING_POLICIES) {
    croft::channel<std::uint32_t, Policies> there(1), back(1);
    constexpr std::uint32_t messages = 2000;
    std::thread partner([&] {
        while (const auto message = there.receive_for(for_ever))
            while (!back.send_for(*message + 1, for_ever)) std::abort();
    });
    std::uint32_t wrong = 0;
    for (std::uint32_t i = 0; i < messages; ++i) {
        wrong += !there.send_until(i, std::chrono::steady_clock::time_point::max());
        wrong += back.receive_for(for_ever) != i + 1;
    }
    there.close();
    partner.join();
    CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("waits that end at any time lose and repeat nothing", Policies, WAITING_POLICIES) {
    croft::channel<std::uint32_t, Policies> channel(2);
    constexpr std::uint32_t messages = 3000;
    std::thread sender([&] {
        for (std::uint32_t i = 0; i < messages; ++i)
            for (auto patience = 0ns; !channel.send_for(i, patience); patience += 3us) {
            }
        channel.close();
    });
    std::uint32_t expected = 0, wrong = 0;
    while (!channel.ended())
        if (const auto message = channel.receive_for(std::chrono::microseconds(expected % 50)))
            wrong += *message != expected++;
    sender.join();
    CHECK(wrong == 0);
    CHECK(expected == messages);
}

TEST_CASE("many to one: for a bounded time, from any sender, and to the end") {
    croft::many_to_one<int, drowsy_packed_policies> channel(3, 2);
    CHECK_FALSE(channel.receive_for(1ms).has_value());
    std::thread sender([&] { channel.sender(2).send(5); });
    CHECK(channel.receive_for(for_ever) == 5);
    CHECK(channel.last_sender() == 2);
    sender.join();
    for (std::size_t i = 0; i < 3; ++i) channel.sender(i).close();
    CHECK_FALSE(channel.receive_for(for_ever).has_value());
    CHECK(channel.ended());
}

TEST_CASE("one to many: without waiting, and for a bounded time") {
    croft::one_to_many<int, drowsy_packed_policies> channel(2, 1);
    CHECK(channel.try_send(1));
    CHECK(channel.send_for(2, 1ms));
    CHECK_FALSE(channel.try_send(3));
    CHECK(channel.try_acquire() == nullptr);
    CHECK_FALSE(channel.send_for(3, 1ms));
    std::thread receiver([&] { channel.receiver(1).receive(); });
    CHECK(channel.send_for(3, for_ever));
    CHECK(channel.last_receiver() == 1);
    receiver.join();
    CHECK(channel.receiver(1).receive() == 3);
    *channel.try_acquire() = 4;
    channel.publish();
    CHECK(channel.receiver(1).receive() == 4);
}

TEST_CASE("request/reply: a reply that comes too late is dropped by the next call") {
    croft::request_reply<int> channel;
    CHECK_FALSE(channel.try_receive().has_value());
    CHECK_FALSE(channel.receive_for(1ms).has_value());
    CHECK_FALSE(channel.call_for(1, 1ms).has_value());
    CHECK_FALSE(channel.call_for(2, 1ms).has_value());  // not even asked: the reply to 1 is owed
    CHECK(channel.poll_reply() == nullptr);
    CHECK(channel.receive_for(for_ever) == 1);
    channel.reply(10);
    std::thread server([&] {
        while (const auto request = channel.receive()) channel.reply(*request * 10);
    });
    CHECK(channel.call_for(3, for_ever) == 30);
    CHECK(channel.call(4) == 40);
    channel.request() = 5;
    channel.publish();
    CHECK(*channel.await_reply_for(for_ever) == 50);
    channel.close();
    server.join();
    CHECK(channel.ended());
}

// ---- who goes away ----

TEST_CASE_TEMPLATE("a sender that finds no room and nobody there is told so, whatever it calls", Policies,
                   WAITING_POLICIES) {
    for (const std::size_t degree : {1u, 16u}) {
        croft::channel<int, Policies> channel(degree);
        CHECK_FALSE(channel.disconnected());
        fill(channel);
        channel.leave();
        CHECK(channel.disconnected());
        int some[] = {1, 2, 3};
        CHECK_THROWS_AS(channel.send(1), croft::disconnected);
        CHECK_THROWS_AS(channel.send(some, some + 3), croft::disconnected);
        CHECK_THROWS_AS(channel.try_send(1), croft::disconnected);
        CHECK_THROWS_AS(channel.send_for(1, for_ever), croft::disconnected);
        CHECK_THROWS_AS(channel.acquire(), croft::disconnected);
        CHECK_THROWS_AS(channel.try_acquire(), croft::disconnected);
        CHECK_THROWS_AS(channel.acquire_until(std::chrono::steady_clock::now()), croft::disconnected);
        channel.close();  // does not wait
    }
}

TEST_CASE_TEMPLATE("a sender that waits is woken by a receiver that leaves", Policies, WAITING_POLICIES) {
    for (const bool timed : {false, true}) {
        croft::channel<int, Policies> channel(4);
        int heard = 0, said = 0;
        std::thread sender([&] {
            try {
                for (;;)
                    if (timed)
                        channel.send_for(1, for_ever);
                    else
                        channel.send(1);
            } catch (const croft::disconnected&) {
                heard = said;  // what the receiver did before it left
            }
            channel.close();
        });
        for (int i = 0; i < 100; ++i) channel.receive();
        said = 42;
        channel.leave();
        sender.join();
        CHECK(heard == 42);
    }
}

TEST_CASE("a sender that wants to close is not held up by a receiver that leaves") {
    croft::channel<int, drowsy_packed_policies> channel(1);
    channel.send(1);
    std::thread sender([&] { channel.close(); });
    channel.leave();
    sender.join();
    CHECK(channel.disconnected());
}

TEST_CASE("many to one: a receiver that leaves leaves all its senders") {
    croft::many_to_one<int, drowsy_packed_policies> channel(3, 1);
    std::vector<std::thread> senders;
    std::atomic<int> told{0};
    for (std::size_t i = 0; i < 3; ++i)
        senders.emplace_back([&, i] {
            try {
                for (;;) channel.sender(i).send(1);
            } catch (const croft::disconnected&) {
                ++told;
            }
        });
    for (int i = 0; i < 100; ++i) channel.receive();
    channel.leave();
    for (std::thread& sender : senders) sender.join();
    CHECK(told == 3);
}

TEST_CASE("one to many: nothing more goes to who has left, and the sender is told when all have") {
    croft::one_to_many<int, drowsy_packed_policies> channel(3, 1);
    channel.receiver(1).leave();
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 2; ++i) {
            channel.send(i);
            CHECK(channel.last_receiver() != 1);
        }
        CHECK_FALSE(channel.try_send(2));
        CHECK(channel.receiver(0).receive().has_value());
        CHECK(channel.receiver(2).receive().has_value());
    }
    fill(channel);
    std::thread receivers([&] {
        channel.receiver(0).leave();
        channel.receiver(2).leave();
    });
    CHECK_THROWS_AS(channel.send(3), croft::disconnected);
    receivers.join();
    CHECK_THROWS_AS(channel.try_send(3), croft::disconnected);
    CHECK_THROWS_AS(channel.send_for(3, for_ever), croft::disconnected);
    channel.close();
}

TEST_CASE("request/reply: a client is told of a server that has left, but gets a reply that was made before") {
    croft::request_reply<int, int, drowsy_packed_policies> channel;
    std::thread server([&] {
        channel.reply(*channel.receive() + 1);
        channel.leave();
    });
    CHECK(channel.call(1) == 2);
    CHECK_THROWS_AS(channel.call(2), croft::disconnected);
    CHECK_THROWS_AS(channel.poll_reply(), croft::disconnected);
    CHECK_THROWS_AS(channel.await_reply_for(for_ever), croft::disconnected);
    server.join();
    CHECK(channel.disconnected());
    channel.close();
}
