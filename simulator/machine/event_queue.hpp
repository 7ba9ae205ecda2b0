#pragma once
// The messages on their way to one node, in the order in which they take effect: by arrival, then by source, then in
// the order in which the source sent them. The order is total, so it does not depend on when they were put in.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "coherence/message.hpp"

namespace croftsim {

class EventQueue {
public:
    std::uint64_t next() const { return heap_.empty() ? std::numeric_limits<std::uint64_t>::max() : heap_.front()->time; }
    void push(Message* message) {
        heap_.push_back(message);
        std::push_heap(heap_.begin(), heap_.end(), later);
    }
    Message* pop() {
        std::pop_heap(heap_.begin(), heap_.end(), later);
        Message* message = heap_.back();
        heap_.pop_back();
        return message;
    }
    template <class Visit>
    void for_each(Visit visit) {
        for (Message* message : heap_) visit(*message);
    }

private:
    static bool later(const Message* a, const Message* b) {
        if (a->time != b->time) return a->time > b->time;
        if (a->source != b->source) return a->source > b->source;
        return a->sequence > b->sequence;
    }
    std::vector<Message*> heap_;
};

}  // namespace croftsim
