#pragma once
// Lamport's ring: one sender, one receiver, K messages side by side, and two counts. One side counts the messages sent,
// the other those received. (Lamport, "Specifying concurrent program modules", TOPLAS 5(2), 1983.) Each side keeps the
// other's count as it saw it last and looks again only when that is used up. So most messages move no index line.
// (MCRingBuffer: Lee, Bu and Chandranmenon, "A lock-free, cache-efficient multi-core synchronization mechanism for
// line-rate network traffic monitoring", IPDPS 2010.) Most single-sender, single-receiver queues in use are made of it:
// boost::lockfree::spsc_queue, rigtorp::SPSCQueue, rtrb.
//
// A baseline: croft::channel with this way of making slots. Calls, end of stream and waiting are the channel's, and the
// degree K is exact. Unlike in croft's own slots the event is not in the message's line. So a message that finds the
// receiver waiting moves two lines, one after the other. Siblings: null_slot_queue.hpp, unbounded_queue.hpp,
// lock_queue.hpp.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <croft/channel/channel.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/memory/packed_array.hpp>

namespace croft {
namespace baseline {

template <class Message, class Policies>
class lamport_ring {
    using word = typename Policies::template atomic<std::uint32_t>;
    using home = typename Policies::home;
    using line_kind = decltype(std::declval<const home&>().at(detail::part::message));
    struct line {
        word count{0};
    };
    static_assert(line_kind::coherent,
                  "a line without a home must not be written by one side while the other reads it");
    static constexpr std::uint32_t counts = 0x7fff'ffff;  // of messages sent, modulo 2^31; below it the announcement

public:
    static constexpr bool holds_acks_back = false;

    struct sender_state {
        std::uint32_t index = 0;
        std::uint32_t sent = 0;
        std::uint32_t seen_received = 0;
    };
    struct receiver_state {
        std::uint32_t index = 0;
        std::uint32_t received = 0;
        mutable std::uint32_t seen_sent = 0;  // mutable: a look's finding changes nothing but later looks
    };

    lamport_ring(std::size_t degree, home where, detail::ends)
        : degree_(static_cast<std::uint32_t>(degree)),
          sent_(1, where.at(detail::part::message)),
          received_(1, where.at(detail::part::ack)),
          messages_(degree, where.at(detail::part::message)) {}

    template <class State>
    void begin(State&) {}

    template <class State>
    Message& message(const State& at) {
        return messages_[at.index];
    }
    // No line is a message's own: neighbours may share one.
    template <class State>
    void* own_lines(const State&) {
        return nullptr;
    }
    static constexpr std::size_t own_size = 0;
    const line_kind& lines() const { return messages_.kind(); }

    // Acquire, by the channel's look that counts: the receiver has read the message that is to be overwritten.
    template <class Load>
    bool has_ack(sender_state& at, Load load) const {
        if (at.sent - at.seen_received < degree_) return true;
        const std::uint32_t received = load(received_[0].count, lines());
        if (at.sent - received >= degree_) return false;
        // Only what was acquired may be relied upon later, when no load is repeated.
        if constexpr (std::is_same_v<Load, detail::acquire_load>) at.seen_received = received;
        return true;
    }
    // Release: the message was written before.
    void set_ready(sender_state& at, detail::announcement what) {
        ++at.sent;
        auto&& count = lines().template event<false>(sent_[0].count);
        port::traced_send(count, at.sent << 1 | static_cast<std::uint32_t>(what));
        advance(at.index);
    }

    template <class Load>
    bool has_ready(const receiver_state& at, Load load) const {
        if (at.seen_sent >> 1 != (at.received & counts)) return true;
        const std::uint32_t sent = load(sent_[0].count, lines());
        if (sent >> 1 == (at.received & counts)) return false;
        if constexpr (std::is_same_v<Load, detail::acquire_load>) port::traced_note(at.seen_sent, sent);
        return true;
    }
    // The end is the last that was sent.
    bool at_end(const receiver_state& at) const {
        return at.seen_sent & 1 && at.seen_sent >> 1 == ((at.received + 1) & counts);
    }
    // Release: the message was read before.
    bool set_ack(receiver_state& at) {
        ++at.received;
        lines().template event<false>(received_[0].count).store(at.received, std::memory_order_release);
        advance(at.index);
        return true;
    }
    bool flush_acks(receiver_state&) { return false; }

private:
    void advance(std::uint32_t& index) const {
        if (++index == degree_) index = 0;
    }

    std::uint32_t degree_;
    detail::line_array<line, line_kind> sent_;
    detail::line_array<line, line_kind> received_;
    detail::packed_array<Message, line_kind> messages_;
};

}  // namespace baseline

namespace events {
struct lamport {
    template <class Message, class Policies>
    using storage = baseline::lamport_ring<Message, Policies>;
};
}  // namespace events

namespace baseline {
template <class Policies>
struct with_lamport_ring : Policies {
    using events = croft::events::lamport;
};
}  // namespace baseline

template <class Message, class Policies = policies>
using lamport_queue = channel<Message, baseline::with_lamport_ring<Policies>>;
// N of them into one receiver.
template <class Message, class Policies = policies>
using lamport_many_to_one = many_to_one<Message, baseline::with_lamport_ring<Policies>>;

}  // namespace croft
