#include <oneapi/tbb/concurrent_queue.h>

#include <cstddef>
#include <cstdint>

#include "../../traffic.hpp"
#include "../queue_peers.hpp"

namespace bench {
namespace {

struct tbb_shared {
    tbb::concurrent_bounded_queue<std::uint64_t> queue;
    explicit tbb_shared(std::size_t capacity) { queue.set_capacity(static_cast<std::ptrdiff_t>(capacity)); }
    void send(std::uint64_t message) { queue.push(message); }
    std::uint64_t receive() {
        std::uint64_t message;
        queue.pop(message);
        return message;
    }
};

const listed<queue_peer> tbb_bounded{{[](table& rows) {
    rows.add(table::unit::stream, "8 bytes, tbb::concurrent_bounded_queue, shared by two, K=1024",
             [] { return shared_by_two<tbb_shared>(1024); });
}}};

}  // namespace
}  // namespace bench
