#pragma once
// The two kinds of traffic that any queue is measured with: a message there and back, and a stream.
//
// A queue is a class with a constructor from its capacity, send(message) and receive(), both of which wait.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "two_cores.hpp"

namespace bench {

// 8 bytes are a number, more are an array of them.
template <std::size_t Bytes>
struct larger {
    std::array<std::uint64_t, Bytes / 8> words;
};
template <std::size_t Bytes>
using payload = std::conditional_t<Bytes == 8, std::uint64_t, larger<Bytes>>;

template <class Payload>
Payload filled(std::uint64_t value) {
    if constexpr (sizeof(Payload) == 8) {
        return value;
    } else {
        Payload made;
        made.words.fill(value);
        return made;
    }
}
inline std::uint64_t last_word(std::uint64_t message) { return message; }
template <std::size_t Bytes>
std::uint64_t last_word(const larger<Bytes>& message) {
    return message.words.back();
}

inline std::uint64_t streamed(std::size_t capacity) { return capacity < 8 ? 10'000 : 200'000; }
// For the streams of many at a time, and of two senders.
inline constexpr std::uint64_t batched_messages = 1'000'000, batch = 64, fan_in_messages = 200'000;
inline double million_a_second(std::uint64_t messages, double seconds) {
    return static_cast<double>(messages) / seconds / 1e6;
}
inline void expect(bool right) {
    if (!right) std::abort();
}

// Nanoseconds one way.
template <class Queue, std::size_t Bytes>
double latency(std::size_t capacity) {
    Queue there(capacity), back(capacity);
    return one_way(time_of(
        [&] {
            for (std::uint64_t i = 0; i < trips; ++i) {
                there.send(filled<payload<Bytes>>(i));
                expect(last_word(back.receive()) == i);
            }
        },
        [&] {
            for (std::uint64_t i = 0; i < trips; ++i) back.send(there.receive());
        }));
}

// Million messages a second.
template <class Queue, std::size_t Bytes>
double stream(std::size_t capacity) {
    Queue queue(capacity);
    const std::uint64_t messages = streamed(capacity);
    const double seconds = time_of(
        [&] {
            for (std::uint64_t i = 0; i < messages; ++i) queue.send(filled<payload<Bytes>>(i));
        },
        [&] {
            std::uint64_t wrong = 0;
            for (std::uint64_t i = 0; i < messages; ++i) wrong += last_word(queue.receive()) != i;
            expect(wrong == 0);
        });
    return million_a_second(messages, seconds);
}

// A queue of many senders and receivers: both threads send a message and receive one, in turn.
template <class Queue>
double shared_by_two(std::size_t capacity) {
    Queue queue(capacity);
    const auto send_and_receive = [&] {
        for (std::uint64_t i = 0; i < fan_in_messages / 2; ++i) {
            queue.send(i);
            expect(queue.receive() < fan_in_messages / 2);
        }
    };
    return million_a_second(fan_in_messages, time_of(send_and_receive, send_and_receive));
}

}  // namespace bench
