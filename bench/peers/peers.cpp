#include "peers.hpp"

#include <cstdint>
#include <cstdio>

#include "../traffic.hpp"

#if defined(HAVE_BOOST)
#include <boost/lockfree/spsc_queue.hpp>
#endif
#if defined(HAVE_READERWRITERQUEUE)
#include <readerwriterqueue/readerwriterqueue.h>
#endif
#if defined(HAVE_RTRB)
// peers/rtrb/src/lib.rs: the loops are compiled in Rust, so that no call between languages is measured.
extern "C" {
void* rtrb_queue_8(std::size_t capacity);
void* rtrb_queue_64(std::size_t capacity);
void rtrb_free_8(void*);
void rtrb_free_64(void*);
void rtrb_ping_8(void* there, void* back, std::uint64_t trips);
void rtrb_ping_64(void* there, void* back, std::uint64_t trips);
void rtrb_pong_8(void* there, void* back, std::uint64_t trips);
void rtrb_pong_64(void* there, void* back, std::uint64_t trips);
void rtrb_send_8(void* queue, std::uint64_t messages);
void rtrb_send_64(void* queue, std::uint64_t messages);
void rtrb_receive_8(void* queue, std::uint64_t messages);
void rtrb_receive_64(void* queue, std::uint64_t messages);
}
#endif

namespace bench {
namespace {

// Of a queue that never waits, one that spins.
template <class Queue, std::size_t Bytes>
struct spinning {
    Queue queue;
    explicit spinning(std::size_t capacity) : queue(capacity) {}
    void send(const payload<Bytes>& message) {
        while (!try_send(message)) croft::port::pause();
    }
    payload<Bytes> receive() {
        payload<Bytes> message;
        while (!try_receive(message)) croft::port::pause();
        return message;
    }

private:
    bool try_send(const payload<Bytes>& message) {
        if constexpr (requires { queue.push(message); })
            return queue.push(message);
        else
            return queue.try_enqueue(message);
    }
    bool try_receive(payload<Bytes>& message) {
        if constexpr (requires { queue.pop(message); })
            return queue.pop(message);
        else
            return queue.try_dequeue(message);
    }
};

template <class Queue, std::size_t Bytes>
[[maybe_unused]] void add(table& rows, const std::string& name) {
    for (const std::size_t capacity : {64u, 1024u}) {
        const std::string row = std::to_string(Bytes) + " bytes, " + name + ", K=" + std::to_string(capacity);
        rows.add(table::unit::latency, row, [capacity] { return latency<spinning<Queue, Bytes>, Bytes>(capacity); });
        rows.add(table::unit::stream, row, [capacity] { return stream<spinning<Queue, Bytes>, Bytes>(capacity); });
    }
}
[[maybe_unused]] void missing(const char* name, const char* remedy) {
    std::printf("%s is left out, as it was not found: %s, and then configure again.\n", name, remedy);
}

#if defined(HAVE_RTRB)
template <auto Make, auto Free, auto Ping, auto Pong, auto Send, auto Receive>
void add_rtrb(table& rows, const std::string& bytes) {
    for (const std::size_t capacity : {64u, 1024u}) {
        const std::string row = bytes + " bytes, rtrb, K=" + std::to_string(capacity);
        rows.add(table::unit::latency, row, [capacity] {
            void *const there = Make(capacity), *const back = Make(capacity);
            const double seconds = time_of([&] { Ping(there, back, trips); }, [&] { Pong(there, back, trips); });
            Free(there), Free(back);
            return one_way(seconds);
        });
        rows.add(table::unit::stream, row, [capacity] {
            void* const queue = Make(capacity);
            const std::uint64_t messages = streamed(capacity);
            const double seconds = time_of([&] { Send(queue, messages); }, [&] { Receive(queue, messages); });
            Free(queue);
            return static_cast<double>(messages) / seconds / 1e6;
        });
    }
}
#endif

}  // namespace

void add_peers(table& rows) {
#if defined(HAVE_BOOST)
    add<boost::lockfree::spsc_queue<payload<8>>, 8>(rows, "boost::lockfree::spsc_queue");
    add<boost::lockfree::spsc_queue<payload<64>>, 64>(rows, "boost::lockfree::spsc_queue");
#else
    missing("boost::lockfree::spsc_queue", "apt-get install libboost-dev");
#endif
#if defined(HAVE_READERWRITERQUEUE)
    add<moodycamel::ReaderWriterQueue<payload<8>>, 8>(rows, "moodycamel::ReaderWriterQueue");
    add<moodycamel::ReaderWriterQueue<payload<64>>, 64>(rows, "moodycamel::ReaderWriterQueue");
#else
    missing("moodycamel::ReaderWriterQueue", "apt-get install libreaderwriterqueue-dev");
#endif
#if defined(HAVE_RTRB)
    add_rtrb<rtrb_queue_8, rtrb_free_8, rtrb_ping_8, rtrb_pong_8, rtrb_send_8, rtrb_receive_8>(rows, "8");
    add_rtrb<rtrb_queue_64, rtrb_free_64, rtrb_ping_64, rtrb_pong_64, rtrb_send_64, rtrb_receive_64>(rows, "64");
#else
    missing("rtrb", "apt-get install cargo");
#endif
    (void)rows;
}

}  // namespace bench
