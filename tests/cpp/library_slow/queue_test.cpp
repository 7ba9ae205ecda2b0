// Tests of every queue of one sender and one receiver, the channels and the baselines alike, for capacities of 1, 2, 3
// and 16. Messages are first in, first out, nothing is lost or doubled, and there is an end. Run under ThreadSanitizer
// it is a stress test.

#include <croft/channel/channel.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/paper/channel/lamport_queue.hpp>
#include <croft/paper/channel/lock_queue.hpp>
#include <croft/paper/channel/null_slot_queue.hpp>
#include <croft/paper/channel/unbounded_queue.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include "policies_under_test.hpp"

namespace {

constexpr std::size_t capacities[] = {1, 2, 3, 16};
constexpr std::uint32_t messages = 4000;

template <std::size_t Bytes>
struct sized {
    std::array<unsigned char, Bytes> bytes;
};
template <std::size_t Bytes>
sized<Bytes> number(std::uint32_t value) {
    sized<Bytes> made;
    for (std::size_t i = 0; i < Bytes; ++i)
        made.bytes[i] = static_cast<unsigned char>(value + i * 37 + (value >> 8) * i);
    return made;
}

template <template <class> class Queue>
struct of {
    template <class Message>
    using queue = Queue<Message>;
};
template <class Message>
using packed = croft::channel<Message, packed_policies>;
template <class Message>
using turns = croft::channel<Message, turns_policies>;
template <class Message>
using paper = croft::channel<Message, paper_policies>;
template <class Message>
using batched = croft::channel<Message, batched_policies>;
template <class Message>
using lamport = croft::lamport_queue<Message>;
template <class Message>
using drowsy_lamport = croft::lamport_queue<Message, drowsy_packed_policies>;
template <class Message>
using lock = croft::lock_queue<Message>;
template <class Message>
using null_slot = croft::null_slot_queue<Message>;
template <class Message>
using drowsy_null_slot = croft::null_slot_queue<Message, drowsy_packed_policies>;
template <class Message>
using unbounded = croft::unbounded_queue<Message>;
template <class Message>
using drowsy_unbounded = croft::unbounded_queue<Message, drowsy_packed_policies>;

// A stream of what make(i) makes; is(message, i) tells whether it is the right one.
template <class Queue, class Make, class Is>
void expect_stream(std::size_t capacity, Make make, Is is) {
    CAPTURE(capacity);
    Queue queue(capacity);
    std::thread sender([&] {
        for (std::uint32_t i = 0; i < messages; ++i) {
            if (i % 5 != 0) {
                queue.send(make(i));
            } else {
                auto message = make(i);
                while (!queue.try_send(std::move(message))) std::this_thread::yield();  // untouched if it fails
            }
        }
        queue.close();
    });
    std::uint32_t got = 0, wrong = 0;
    while (!queue.ended()) {
        auto message = got % 3 ? queue.receive() : queue.try_receive();
        if (message)
            wrong += !is(*message, got++);
        else
            std::this_thread::yield();
    }
    CHECK(wrong == 0);
    CHECK(got == messages);
    CHECK_FALSE(queue.receive().has_value());
    sender.join();
}

template <class Queue, std::size_t Bytes>
void expect_stream_of(std::size_t capacity) {
    using message = sized<Bytes>;
    expect_stream<typename Queue::template queue<message>>(
        capacity, number<Bytes>,
        [](const message& got, std::uint32_t i) { return got.bytes == number<Bytes>(i).bytes; });
}

}  // namespace

#define OF_VALUES of<packed>, of<turns>, of<paper>, of<batched>, of<lamport>, of<drowsy_lamport>, of<lock>
#define OF_POINTERS of<null_slot>, of<drowsy_null_slot>, of<unbounded>, of<drowsy_unbounded>

TEST_CASE_TEMPLATE("queues: trivially copyable messages of many sizes", Queue, OF_VALUES) {
    for (const std::size_t capacity : capacities) {
        expect_stream_of<Queue, 1>(capacity);
        expect_stream_of<Queue, 7>(capacity);
        expect_stream_of<Queue, 28>(capacity);
        expect_stream_of<Queue, 56>(capacity);
        expect_stream_of<Queue, 57>(capacity);
        expect_stream_of<Queue, 64>(capacity);
        expect_stream_of<Queue, 200>(capacity);
    }
}

TEST_CASE_TEMPLATE("queues: messages that can only be moved", Queue, OF_VALUES) {
    using message = std::unique_ptr<std::uint32_t>;
    for (const std::size_t capacity : capacities)
        expect_stream<typename Queue::template queue<message>>(
            capacity, [](std::uint32_t i) { return std::make_unique<std::uint32_t>(i); },
            [](const message& got, std::uint32_t i) { return got && *got == i; });
}

TEST_CASE_TEMPLATE("queues: pointers, and what they lead to", Queue, OF_VALUES, OF_POINTERS) {
    for (const std::size_t capacity : capacities) {
        std::vector<std::uint32_t> numbers(messages);
        expect_stream<typename Queue::template queue<std::uint32_t*>>(
            capacity,
            [&](std::uint32_t i) {
                numbers[i] = i + 1;  // not before it is sent
                return &numbers[i];
            },
            [](const std::uint32_t* got, std::uint32_t i) { return *got == i + 1; });
    }
}

TEST_CASE_TEMPLATE("queues: as many messages fit as was asked for", Queue, OF_VALUES, of<null_slot>) {
    for (const std::size_t capacity : capacities) {
        CAPTURE(capacity);
        std::uint32_t number = 0;
        typename Queue::template queue<std::uint32_t*> queue(capacity);
        std::size_t sent = 0;
        while (sent < 100 && queue.try_send(&number)) ++sent;
        CHECK(sent >= capacity);
        CHECK(sent < capacity + capacity / 4 + 1);  // where acks are held back there may be room for more
    }
}

TEST_CASE("the unbounded queue never waits, and uses emptied rings again") {
    std::vector<std::uint32_t> numbers(1000);
    for (const std::size_t ring : capacities) {
        croft::unbounded_queue<std::uint32_t*> queue(ring);
        for (int round = 0; round < 3; ++round) {
            for (std::uint32_t& number : numbers) CHECK(queue.try_send(&number));
            for (std::uint32_t& number : numbers) CHECK(*queue.try_receive() == &number);
            CHECK_FALSE(queue.try_receive().has_value());
        }
        queue.send(&numbers[0]);  // left inside: rings are freed all the same
    }
}

TEST_CASE_TEMPLATE("queues of pointers refuse null", Queue, OF_POINTERS) {
    typename Queue::template queue<int*> queue(1);
    CHECK_THROWS_AS(queue.send(nullptr), std::invalid_argument);
    int number = 0;
    queue.send(&number);
    CHECK(*queue.receive() == &number);
}

TEST_CASE_TEMPLATE("queues without room are refused", Queue, OF_VALUES, OF_POINTERS) {
    CHECK_THROWS_AS(typename Queue::template queue<int*>(0), std::invalid_argument);
}

// ---- many to one ----

namespace {

constexpr std::uint32_t senders = 3;
using packed_many_to_one = croft::many_to_one<std::uint32_t*, packed_policies>;
using turns_many_to_one = croft::many_to_one<std::uint32_t*, turns_policies>;

template <class Queue>
void expect_merged(Queue& queue) {
    std::vector<std::vector<std::uint32_t>> numbers(senders, std::vector<std::uint32_t>(messages));
    std::vector<std::thread> threads;
    for (std::uint32_t s = 0; s < senders; ++s)
        threads.emplace_back([&, s] {
            for (std::uint32_t i = 0; i < messages; ++i) {
                numbers[s][i] = s << 16 | i;
                queue.sender(s).send(&numbers[s][i]);
            }
            queue.sender(s).close();
        });
    std::vector<std::uint32_t> next(senders);
    std::uint32_t wrong = 0;
    while (const auto got = queue.receive()) wrong += (**got & 0xffff) != next[**got >> 16]++;
    CHECK(wrong == 0);
    CHECK(next == std::vector<std::uint32_t>(senders, messages));
    CHECK(queue.ended());
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE_TEMPLATE("many to one: each sender's messages arrive once and in order", Queue, packed_many_to_one,
                   turns_many_to_one, croft::lamport_many_to_one<std::uint32_t*>,
                   croft::null_slot_many_to_one<std::uint32_t*>, croft::unbounded_many_to_one<std::uint32_t*>) {
    for (const std::size_t capacity : capacities) {
        Queue queue(senders, capacity);
        expect_merged(queue);
    }
}
TEST_CASE("many to one: senders who share the lock queue") {
    for (const std::size_t capacity : capacities) {
        croft::lock_queue<std::uint32_t*> queue(capacity, senders);
        expect_merged(queue);
    }
}
