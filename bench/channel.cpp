// Measures what a message costs between two cores of this machine: by each kind of channel, the baselines, and the
// queues of other libraries. It prints one-way latencies, and the throughput of a stream, at 8 and 64 bytes. Beside
// them stands the time that the machine itself takes to move a cache line (table.hpp).
//
//     bench_channel [ROUNDS [CORE CORE]]

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/channel/many_to_many.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/channel/request_reply.hpp>
#include <croft/paper/channel/lamport_queue.hpp>
#include <croft/paper/channel/lock_queue.hpp>
#include <croft/paper/channel/null_slot_queue.hpp>
#include <croft/paper/channel/unbounded_queue.hpp>

#include "peers/queue_peers.hpp"
#include "table.hpp"
#include "traffic.hpp"

namespace {

using namespace bench;

template <class Events>
struct by : croft::policies {
    using events = Events;
};
using paper = croft::events::flags<croft::events::booleans>;
using split = croft::events::flags<croft::events::turns, croft::events::ack_place::own_line>;

template <class Policies>
struct kind {
    template <std::size_t Bytes>
    struct queue {
        croft::channel<payload<Bytes>, Policies> channel;
        explicit queue(std::size_t capacity) : channel(capacity) {}
        void send(const payload<Bytes>& message) { channel.send(message); }
        payload<Bytes> receive() { return *channel.receive(); }
    };
};
struct lock {
    template <std::size_t Bytes>
    struct queue {
        croft::lock_queue<payload<Bytes>> channel;
        explicit queue(std::size_t capacity) : channel(capacity) {}
        void send(const payload<Bytes>& message) { channel.send(message); }
        payload<Bytes> receive() { return *channel.receive(); }
    };
};
// A queue of pointers carries the message in memory that the sender goes through again and again. That memory is longer
// than the queue, so its pointees cost lines too, as a program's would. Without a bound it is as long as the stream.
template <template <class, class> class Channel, bool Bounded>
struct pointers {
    template <std::size_t Bytes>
    struct queue {
        Channel<payload<Bytes>*, croft::policies> channel;
        std::vector<payload<Bytes>> memory;
        std::size_t next = 0;
        explicit queue(std::size_t capacity) : channel(capacity), memory(Bounded ? 2 * capacity : streamed(capacity)) {}
        void send(const payload<Bytes>& message) {
            memory[next] = message;
            channel.send(&memory[next]);
            if (++next == memory.size()) next = 0;
        }
        payload<Bytes> receive() { return **channel.receive(); }
    };
};

template <class Kind, std::size_t Bytes>
void add(table& rows, const std::string& name, std::size_t capacity) {
    const std::string row = std::to_string(Bytes) + " bytes, " + name + ", K=" + std::to_string(capacity);
    using queue = typename Kind::template queue<Bytes>;
    rows.add(table::unit::latency, row, [capacity] { return latency<queue, Bytes>(capacity); });
    rows.add(table::unit::stream, row, [capacity] { return stream<queue, Bytes>(capacity); });
}
template <class Kind>
void add(table& rows, const std::string& name, std::initializer_list<std::size_t> capacities) {
    for (const std::size_t capacity : capacities) {
        add<Kind, 8>(rows, name, capacity);
        add<Kind, 64>(rows, name, capacity);
    }
}

// Many messages at a time: 64 sent with one call, all received that have come.
double stream_of_runs(std::size_t capacity) {
    croft::channel<std::uint64_t> channel(capacity);
    constexpr std::uint64_t messages = batched_messages, together = batch;
    const double seconds = time_of(
        [&] {
            std::uint64_t some[together];
            for (std::uint64_t i = 0; i < messages; i += together) {
                for (std::uint64_t j = 0; j < together; ++j) some[j] = i + j;
                channel.send(some, some + together);
            }
            channel.close();
        },
        [&] {
            std::uint64_t expected = 0, wrong = 0;
            for (;;) {
                const auto some = channel.receive_some_in_place();
                if (some.empty()) break;
                for (const std::uint64_t message : some) wrong += message != expected++;
                channel.set_ack(some.size());
            }
            expect(wrong == 0 && expected == messages);
        });
    return million_a_second(messages, seconds);
}

// Two senders, in turn, on one core into a receiver on the other.
double fan_in(std::size_t capacity) {
    croft::many_to_one<std::uint64_t> channel(2, capacity);
    constexpr std::uint64_t messages = fan_in_messages;
    const double seconds = time_of(
        [&] {
            for (std::uint64_t i = 0; i < messages; ++i) channel.sender(i % 2).send(i);
            for (std::size_t i = 0; i < 2; ++i) channel.sender(i).close();
        },
        [&] {
            std::uint64_t received = 0;
            while (channel.receive()) ++received;
            expect(received == messages);
        });
    return million_a_second(messages, seconds);
}

// Two senders that are two receivers as well.
struct shared_queue {
    croft::many_to_many<std::uint64_t> channel;
    explicit shared_queue(std::size_t capacity) : channel(2, 2, capacity) {}
    void send(std::uint64_t message) { channel.send(message); }
    std::uint64_t receive() { return *channel.receive(); }
};

// A hop of a request and its reply.
double request_and_reply() {
    croft::request_reply<std::uint64_t> channel;
    return one_way(time_of(
        [&] {
            for (std::uint64_t i = 0; i < trips; ++i) expect(channel.call(i) == i + 1);
            channel.close();
        },
        [&] {
            while (const auto request = channel.receive()) channel.reply(*request + 1);
        }));
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 31;
    if (rounds < 1 || (argc != 1 && argc != 2 && argc != 4) || (argc < 4 && cores[0] == cores[1])) {
        std::fprintf(stderr, "usage: bench_channel [ROUNDS [CORE CORE]], on a machine with two cores or more\n");
        return 2;
    }
    if (argc == 4) cores = {std::atoi(argv[2]), std::atoi(argv[3])};

    table rows;
    add<kind<croft::policies>>(rows, "croft (the default)", {1, 64, 256, 1024});
    for (const std::size_t capacity : {64u, 256u, 1024u, 4096u})
        rows.add(table::unit::stream, "8 bytes, croft (the default), many at a time, K=" + std::to_string(capacity),
                 [capacity] { return stream_of_runs(capacity); });
    for (const std::size_t capacity : {64u, 1024u})
        rows.add(table::unit::stream, "8 bytes, croft, two senders into one, K=" + std::to_string(capacity),
                 [capacity] { return fan_in(capacity); });
    rows.add(table::unit::stream, "8 bytes, croft, many to many, shared by two, K=1024",
             [] { return shared_by_two<shared_queue>(1024); });
    rows.add(table::unit::latency, "8 bytes, croft, request/reply, a hop", request_and_reply);
    add<kind<by<croft::events::flags<>>>>(rows, "croft, turns", {1, 64});
    add<kind<by<split>>>(rows, "croft, turns, ack in a line of its own", {1, 64});
    add<kind<by<paper>>>(rows, "croft, the papers' booleans", {1, 64});
    add<kind<by<croft::events::lamport>>>(rows, "baseline, Lamport's ring", {64, 1024});
    add<pointers<croft::null_slot_queue, true>>(rows, "baseline, FastFlow's bounded", {64, 1024});
    add<pointers<croft::unbounded_queue, false>>(rows, "baseline, FastFlow's unbounded", {1024});
    add<lock>(rows, "baseline, lock and condition", {1024});
    add_queue_peers(rows);
    rows.measure(rounds);

    std::printf("%s, cores %d and %d, medians of %d rounds in turn\n", croft::port::machine_name, cores[0], cores[1],
                rounds);
    rows.print();
    return 0;
}
