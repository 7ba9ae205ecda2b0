#include <boost/lockfree/spsc_queue.hpp>

#include "spinning.hpp"

namespace bench {
namespace {

template <std::size_t Bytes>
struct boost_ring {
    boost::lockfree::spsc_queue<payload<Bytes>> queue;
    explicit boost_ring(std::size_t capacity) : queue(capacity) {}
    bool try_send(const payload<Bytes>& message) { return queue.push(message); }
    bool try_receive(payload<Bytes>& message) { return queue.pop(message); }
    std::size_t send_some(const payload<Bytes>* first, std::size_t count) { return queue.push(first, count); }
    std::size_t receive_some(payload<Bytes>* to, std::size_t count) { return queue.pop(to, count); }
};
const listed<queue_peer> boost_queue{{[](table& rows) { add_queue<boost_ring>(rows, "boost::lockfree::spsc_queue"); }}};

}  // namespace
}  // namespace bench
