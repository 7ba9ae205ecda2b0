#include <concurrentqueue/concurrentqueue.h>

#include <array>

#include "../../traffic.hpp"
#include "../queue_peers.hpp"
#include "spinning.hpp"

namespace bench {
namespace {

// A queue of many senders: each has a token, which is its own part of the queue.
double fan_in() {
    moodycamel::ConcurrentQueue<std::uint64_t> queue(1024, 2, 0);
    moodycamel::ProducerToken tokens[] = {moodycamel::ProducerToken(queue), moodycamel::ProducerToken(queue)};
    return million_a_second(fan_in_messages, time_of(
                                                 [&] {
                                                     for (std::uint64_t i = 0; i < fan_in_messages; ++i)
                                                         queue.enqueue(tokens[i % 2], i);
                                                 },
                                                 [&] {
                                                     moodycamel::ConsumerToken token(queue);
                                                     std::uint64_t message;
                                                     for (std::uint64_t received = 0; received < fan_in_messages;)
                                                         if (queue.try_dequeue(token, message))
                                                             ++received;
                                                         else
                                                             croft::port::pause();
                                                 }));
}
// Without tokens: each thread sends and receives.
struct moodycamel_shared {
    moodycamel::ConcurrentQueue<std::uint64_t> queue;
    explicit moodycamel_shared(std::size_t capacity) : queue(capacity) {}
    bool try_send(std::uint64_t message) { return queue.enqueue(message); }
    bool try_receive(std::uint64_t& message) { return queue.try_dequeue(message); }
};

const listed<queue_peer> moodycamel_many{{[](table& rows) {
    rows.add(table::unit::stream, "8 bytes, moodycamel::ConcurrentQueue, two senders into one", fan_in);
    rows.add(table::unit::stream, "8 bytes, moodycamel::ConcurrentQueue, shared by two",
             [] { return shared_by_two<spinning<moodycamel_shared, std::uint64_t>>(1024); });
}}};

}  // namespace
}  // namespace bench
