#include <ff/buffer.hpp>
#include <ff/ubuffer.hpp>

#include <type_traits>
#include <vector>

#include "spinning.hpp"

namespace bench {
namespace {

// Its queues carry pointers, and none may be null. Eight bytes travel in the pointer itself. More travel in memory that
// the sender goes through again and again. That memory is longer than the queue, or as long as the stream if the queue
// has no bound. Nothing is sent many at a time. multipush, an experiment of theirs, never comes to an end, because the
// second batch leaves a gap in the ring.
template <class Queue, bool Bounded, std::size_t Bytes>
class pointers {
public:
    explicit pointers(std::size_t capacity) : queue_(static_cast<unsigned long>(capacity)) {
        expect(queue_.init());
        if constexpr (Bytes != 8) memory_.resize(Bounded ? 2 * capacity : streamed(capacity));
    }
    bool try_send(const payload<Bytes>& message) {
        if constexpr (Bytes == 8) {
            return queue_.push(as_pointer(message));
        } else {
            memory_[next_] = message;
            if (!queue_.push(&memory_[next_])) return false;
            if (++next_ == memory_.size()) next_ = 0;
            return true;
        }
    }
    bool try_receive(payload<Bytes>& message) {
        void* found;
        if (!queue_.pop(&found)) return false;
        if constexpr (Bytes == 8)
            message = reinterpret_cast<std::uintptr_t>(found) - 1;
        else
            message = *static_cast<payload<Bytes>*>(found);
        return true;
    }

private:
    static void* as_pointer(std::uint64_t message) { return reinterpret_cast<void*>(message + 1); }

    Queue queue_;
    std::vector<payload<Bytes>> memory_;
    std::size_t next_ = 0;
};
template <std::size_t Bytes>
using bounded = pointers<ff::SWSR_Ptr_Buffer, true, Bytes>;
template <std::size_t Bytes>
using unbounded = pointers<ff::uSWSR_Ptr_Buffer, false, Bytes>;

const listed<queue_peer> fastflow_queues{{[](table& rows) {
    add_queue<bounded>(rows, "FastFlow, bounded");
    add_queue<unbounded>(rows, "FastFlow, unbounded");
}}};

}  // namespace
}  // namespace bench
