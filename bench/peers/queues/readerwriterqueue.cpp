#include <readerwriterqueue/readerwriterqueue.h>

#include "spinning.hpp"

namespace bench {
namespace {

template <std::size_t Bytes>
struct moodycamel_ring {
    moodycamel::ReaderWriterQueue<payload<Bytes>> queue;
    explicit moodycamel_ring(std::size_t capacity) : queue(capacity) {}
    bool try_send(const payload<Bytes>& message) { return queue.try_enqueue(message); }
    bool try_receive(payload<Bytes>& message) { return queue.try_dequeue(message); }
};
const listed<queue_peer> moodycamel_queue{
    {[](table& rows) { add_queue<moodycamel_ring>(rows, "moodycamel::ReaderWriterQueue"); }}};

}  // namespace
}  // namespace bench
