#pragma once
// The messages on their way to one node, in the order in which they take effect. That is by arrival, then by source,
// then by the order in which the source sent them. The order is total, so it does not depend on when they were put in.
//
// Most nodes have one message under way or none, so the first lies here. The others lie in order behind it. A message
// is put in from the end on, because nearly all arrive in the order in which they were sent.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "base/time.hpp"
#include "contract/message.hpp"

namespace croftsim {

// Which of two messages at one time comes first.
inline std::uint64_t order_of(const Message& message) { return std::uint64_t{message.source} << 48 | message.sequence; }
inline bool comes_before(const Message* one, const Message* other) {
    return std::pair(one->time, order_of(*one)) < std::pair(other->time, order_of(*other));
}

class EventQueue {
public:
    std::uint64_t next() const { return first_.time; }
    void push(Message* message) {
        Entry entry{message->time, order_of(*message), message};
        if (!first_.message) {
            first_ = entry;
            return;
        }
        if (entry < first_) std::swap(entry, first_);
        if (begin_ > 0 && rest_.size() == rest_.capacity()) leave_no_gap();
        rest_.push_back(entry);
        std::size_t at = rest_.size() - 1;
        for (; at > begin_ && entry < rest_[at - 1]; --at) rest_[at] = rest_[at - 1];
        rest_[at] = entry;
    }
    Message* pop() {
        Message* const message = first_.message;
        first_ = begin_ < rest_.size() ? rest_[begin_++] : Entry{};
        if (begin_ == rest_.size()) leave_no_gap();
        return message;
    }
    template <class Visit>
    void for_each(Visit visit) {
        if (first_.message) visit(*first_.message);
        for (std::size_t at = begin_; at < rest_.size(); ++at) visit(*rest_[at].message);
    }

    void serialise(Archive& archive) {
        leave_no_gap();
        archive(first_, rest_);
    }

private:
    struct Entry {  // the key beside the pointer: comparing does not touch the messages
        std::uint64_t time = never, order = 0;
        Message* message = nullptr;
        void serialise(Archive& archive) { archive(time, order, message); }
        bool operator<(const Entry& other) const {
            return time != other.time ? time < other.time : order < other.order;
        }
    };
    void leave_no_gap() {
        rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(begin_));
        begin_ = 0;
    }
    Entry first_;
    std::vector<Entry> rest_;
    std::size_t begin_ = 0;  // of rest_: those before have been taken
};
static_assert(is_listed<EventQueue, 56>);

}  // namespace croftsim
