#pragma once
// Slots whose acks are counted. Ready lies with its message as in slot.hpp; ack is one count for the channel, in a line
// of its own, of the messages that the receiver has done with. The sender keeps the count it saw last and looks again
// only when that one is used up; the receiver writes it once for a batch of messages, and before it waits. So a stream
// moves one line a message, and a line that only the sender writes: on a machine whose lines belong to their last
// writer that is worth a factor of 30 in throughput over slot.hpp, at the same latency.
//
// Acks held back take slots away from the sender. So a channel of asynchrony degree K gets K + batch - 1 slots: with
// fewer than K messages unread a sender never waits, whatever the receiver holds back. (It may find room for up to
// batch - 1 more.) Up to K = 7 the batch is 1, and the degree is exact.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <croft/channel/flag.hpp>
#include <croft/channel/slot.hpp>
#include <croft/memory/line_array.hpp>

namespace croft {

template <class Message, class Policies>
class counted_slots {
    using word = typename Policies::template atomic<std::uint32_t>;
    using home = typename Policies::home;

    struct message_line {
        word ready{turns::no_ready};
        Message message;
    };
    struct ack_line {
        word count{0};
    };

public:
    struct sender_state : position {
        std::uint32_t sent = 0;
        std::uint32_t acknowledged = 0;  // the count seen last
    };
    struct receiver_state : position {
        std::uint32_t done = 0;
        std::uint32_t held_back = 0;
    };

    static constexpr std::size_t batch(std::size_t degree) { return std::clamp<std::size_t>(degree / 4, 1, 64); }

    counted_slots(std::size_t degree, home where)
        : batch_(static_cast<std::uint32_t>(batch(degree))),
          count_(degree + batch_ - 1),
          lines_(count_, where, part::message),
          ack_(1, where, part::ack) {}

    Message& message(const position& at) { return lines_[at.index].message; }
    const home& homes() const { return lines_.home(); }

    template <class Load>
    bool has_ack(sender_state& at, Load load) const {
        if (at.sent - at.acknowledged < count_) return true;
        const std::uint32_t seen = load(ack_[0].count);
        if (at.sent - seen >= count_) return false;
        // Only what was acquired may be relied upon later, when no load is repeated.
        if constexpr (std::is_same_v<Load, acquire_load>) at.acknowledged = seen;
        return true;
    }
    void set_ready(sender_state& at, announcement what) {
        turns::set_ready(lines_[at.index].ready, at.turn, what);
        at.advance(count_);
        ++at.sent;
    }

    template <class Load>
    bool has_ready(const receiver_state& at, Load load) const {
        return turns::ready(load(lines_[at.index].ready), at.turn);
    }
    bool at_end(const receiver_state& at) const { return turns::at_end(relaxed_load{}(lines_[at.index].ready)); }
    bool set_ack(receiver_state& at) {
        at.advance(count_);
        ++at.done;
        if (++at.held_back < batch_) return false;
        return flush_acks(at);
    }
    bool flush_acks(receiver_state& at) {
        if (at.held_back == 0) return false;
        at.held_back = 0;
        ack_[0].count.store(at.done, std::memory_order_release);  // see flag.hpp: it ends the reading of the messages
        return true;
    }

private:
    std::uint32_t batch_;
    std::size_t count_;
    line_array<message_line, home> lines_;
    line_array<ack_line, home> ack_;
};

}  // namespace croft
