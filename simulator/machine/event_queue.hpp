#pragma once
// The messages on their way to one node, in the order in which they take effect. That is by arrival, then by source,
// then by the order in which the source sent them. The order is total, so it does not depend on when they were put in.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/time.hpp"
#include "contract/message.hpp"

namespace croftsim {

// Which of two messages at one time comes first.
inline std::uint64_t order_of(const Message& message) { return std::uint64_t{message.source} << 48 | message.sequence; }

class EventQueue {
public:
    std::uint64_t next() const { return next_; }
    void push(Message* message) {
        heap_.push_back({message->time, order_of(*message), message});
        std::push_heap(heap_.begin(), heap_.end());
        next_ = heap_.front().time;
    }
    Message* pop() {
        std::pop_heap(heap_.begin(), heap_.end());
        Message* message = heap_.back().message;
        heap_.pop_back();
        next_ = heap_.empty() ? never : heap_.front().time;
        return message;
    }
    template <class Visit>
    void for_each(Visit visit) {
        for (const Entry& entry : heap_) visit(*entry.message);
    }

    void serialise(Archive& archive) { archive(next_, heap_); }

private:
    struct Entry {  // the key beside the pointer: comparing does not touch the messages
        std::uint64_t time, order;
        Message* message;
        void serialise(Archive& archive) { archive(time, order, message); }
        bool operator<(const Entry& other) const {  // std::push_heap keeps the largest in front
            return time != other.time ? time > other.time : order > other.order;
        }
    };
    std::uint64_t next_ = never;  // here, as it is asked for far more often than anything else
    std::vector<Entry> heap_;
};
static_assert(is_listed<EventQueue, 32>);

}  // namespace croftsim
