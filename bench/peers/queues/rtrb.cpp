#include <cstdint>
#include <string>

#include "../../traffic.hpp"
#include "../queue_peers.hpp"

// rtrb/src/lib.rs: the loops are compiled in Rust, so that no call between languages is measured.
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

namespace bench {
namespace {

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
            return million_a_second(messages, seconds);
        });
    }
}
const listed<queue_peer> rtrb_queue{{[](table& rows) {
    add_rtrb<rtrb_queue_8, rtrb_free_8, rtrb_ping_8, rtrb_pong_8, rtrb_send_8, rtrb_receive_8>(rows, "8");
    add_rtrb<rtrb_queue_64, rtrb_free_64, rtrb_ping_64, rtrb_pong_64, rtrb_send_64, rtrb_receive_64>(rows, "64");
}}};

}  // namespace
}  // namespace bench
