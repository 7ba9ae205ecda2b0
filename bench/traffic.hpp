#pragma once
// The two kinds of traffic that any queue is measured with: a message there and back, and a stream.
//
// A queue is a class with a constructor from its capacity, send(message) and receive(), both of which wait.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "two_cores.hpp"

namespace bench {

template <std::size_t Bytes>
struct payload {
    std::array<std::uint64_t, Bytes / 8> words;
};

inline std::uint64_t streamed(std::size_t capacity) { return capacity < 8 ? 10'000 : 200'000; }
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
                payload<Bytes> message;
                message.words.fill(i);
                there.send(message);
                expect(back.receive().words.back() == i);
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
            for (std::uint64_t i = 0; i < messages; ++i) {
                payload<Bytes> message;
                message.words.fill(i);
                queue.send(message);
            }
        },
        [&] {
            std::uint64_t wrong = 0;
            for (std::uint64_t i = 0; i < messages; ++i) wrong += queue.receive().words.back() != i;
            expect(wrong == 0);
        });
    return static_cast<double>(messages) / seconds / 1e6;
}

}  // namespace bench
