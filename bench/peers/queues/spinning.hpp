#pragma once
// Turns a queue that never waits into one that spins, and adds the rows that it takes to a table.
//
// A queue is a class with a constructor from its capacity, try_send(message) and try_receive(message). If it has
// batches, it also has send_some(first, count), which returns how many it took, and receive_some(to, count).

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "../../traffic.hpp"
#include "../queue_peers.hpp"

namespace bench {

template <class Queue, class Message>
struct spinning : Queue {
    using Queue::Queue;
    void send(const Message& message) {
        while (!this->try_send(message)) croft::port::pause();
    }
    Message receive() {
        Message message;
        while (!this->try_receive(message)) croft::port::pause();
        return message;
    }
};

// 64 messages with one call, as far as there is room; all that have come.
template <class Queue>
double stream_in_batches(std::size_t capacity) {
    Queue queue(capacity);
    constexpr std::uint64_t messages = batched_messages, together = batch;
    return million_a_second(messages, time_of(
                                          [&] {
                                              std::array<std::uint64_t, together> some;
                                              for (std::uint64_t i = 0; i < messages; i += together) {
                                                  for (std::uint64_t j = 0; j < together; ++j) some[j] = i + j;
                                                  for (std::size_t sent = 0; sent < together;) {
                                                      const std::size_t now =
                                                          queue.send_some(some.data() + sent, together - sent);
                                                      if (now == 0) croft::port::pause();
                                                      sent += now;
                                                  }
                                              }
                                          },
                                          [&] {
                                              std::array<std::uint64_t, together> some;
                                              std::uint64_t expected = 0, wrong = 0;
                                              while (expected < messages) {
                                                  const std::size_t now = queue.receive_some(some.data(), together);
                                                  if (now == 0) croft::port::pause();
                                                  for (std::size_t i = 0; i < now; ++i) wrong += some[i] != expected++;
                                              }
                                              expect(wrong == 0);
                                          }));
}

// A queue for each of two senders, asked in turn.
template <class Queue>
double fan_in_of_two(std::size_t capacity) {
    const std::unique_ptr<Queue> queues[] = {std::make_unique<Queue>(capacity), std::make_unique<Queue>(capacity)};
    return million_a_second(fan_in_messages, time_of(
                                                 [&] {
                                                     for (std::uint64_t i = 0; i < fan_in_messages; ++i)
                                                         queues[i % 2]->send(i);
                                                 },
                                                 [&] {
                                                     std::uint64_t message;
                                                     for (std::uint64_t received = 0; received < fan_in_messages;) {
                                                         std::uint64_t now = 0;
                                                         for (const auto& each : queues)
                                                             now += each->try_receive(message);
                                                         if (now == 0) croft::port::pause();
                                                         received += now;
                                                     }
                                                 }));
}

// Adds the rows of `Queue<Bytes>` with messages of 8 and of 64 bytes. (The queue's name has to be its own among all
// files. g++ 12 takes two templates of one name for the same here, even if they are in unnamed namespaces.)
template <template <std::size_t> class Queue>
void add_queue(table& rows, const std::string& name) {
    const auto add_both = [&]<std::size_t Bytes>(std::integral_constant<std::size_t, Bytes>) {
        for (const std::size_t capacity : {64u, 1024u}) {
            const std::string row = std::to_string(Bytes) + " bytes, " + name + ", K=" + std::to_string(capacity);
            using queue = spinning<Queue<Bytes>, payload<Bytes>>;
            rows.add(table::unit::latency, row, [capacity] { return latency<queue, Bytes>(capacity); });
            rows.add(table::unit::stream, row, [capacity] { return stream<queue, Bytes>(capacity); });
        }
    };
    add_both(std::integral_constant<std::size_t, 8>{});
    add_both(std::integral_constant<std::size_t, 64>{});
    using words = spinning<Queue<8>, std::uint64_t>;
    rows.add(table::unit::stream, "8 bytes, " + name + ", two of them into one, K=1024",
             [] { return fan_in_of_two<words>(1024); });
    if constexpr (requires(words& queue, std::uint64_t* some) { queue.send_some(some, 1); })
        rows.add(table::unit::stream, "8 bytes, " + name + ", many at a time, K=1024",
                 [] { return stream_in_batches<words>(1024); });
}

}  // namespace bench
