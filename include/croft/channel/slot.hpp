#pragma once
// The slot: one message buffer in cache lines of its own, with two events. *Ready*: a message is in it. *Ack*: it may
// be overwritten. At any time one side owns it, so nothing here is a read-modify-write and nothing locks (paper 000,
// 6.1, figures 6 and 7; proposition 6.1).
//
//                 sender                                receiver
//            has_ack()? write message                has_ready()? read message
//            set_ready()               ------->      set_ack()               ------->  (back to the sender)
//
// These are the events themselves, without waiting. channel.hpp makes K of them one channel and waits.
//
// Where the ack lies is a parameter. With the message: both events and a message of up to 56 bytes are one line (000).
// In a line of its own, which then only its reader, the sender, keeps a copy of (001, table I).
//
// The siblings: packed_slots.hpp puts several messages in a line. For many-cores, batched_slots.hpp writes one ack for
// many messages; in notified_slots.hpp the events travel over the machine's network and no flag is shared.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <croft/channel/flag.hpp>
#include <croft/channel/pending_flags.hpp>
#include <croft/memory/line_array.hpp>
#include <croft/port/port.hpp>

namespace croft {

namespace events {

enum class ack_place { with_message, own_line };

}  // namespace events

namespace detail {

// K slots, used round-robin by both sides (paper 000, figure 8). Flag is `turns` or `booleans`.
template <class Message, class Flag, events::ack_place Place, class Policies>
class slots {
    using word = typename Policies::template atomic<std::uint32_t>;
    using home = typename Policies::home;
    using line_kind = decltype(std::declval<const home&>().at(part::message));

    struct alignas(port::cache_line) shared_line {
        word ready{Flag::no_ready};
        word ack{Flag::first_ack};
        Message message;
    };
    struct alignas(port::cache_line) message_line {
        word ready{Flag::no_ready};
        Message message;
    };
    struct alignas(port::cache_line) ack_line {
        word ack{Flag::first_ack};
    };
    static constexpr bool together = Place == events::ack_place::with_message;
    using slot = std::conditional_t<together, shared_line, message_line>;
    struct no_lines {
        no_lines(std::size_t, line_kind) {}
    };

    // Which slot a side comes to next, and for the how-many-eth time.
    template <bool Together, class Dummy = void>
    struct position {
        slot *at, *first, *last;
        ack_line *ack_at, *first_ack;
        std::uint32_t turn = 0;

        word& ready() const { return at->ready; }
        word& ack() const { return ack_at->ack; }
        void advance() {
            if (at == last) {
                at = first;
                ack_at = first_ack;
                ++turn;
            } else {
                ++at;
                ++ack_at;
            }
        }
    };
    template <class Dummy>
    struct position<true, Dummy> {
        slot *at, *first, *last;
        std::uint32_t turn = 0;

        word& ready() const { return at->ready; }
        word& ack() const { return at->ack; }
        void advance() {
            if (at == last) {
                at = first;
                ++turn;
            } else {
                ++at;
            }
        }
    };

public:
    static constexpr bool holds_acks_back = false;

    // The state that each side keeps to itself.
    using sender_state = position<together>;
    using receiver_state = position<together>;

    slots(std::size_t count, home where, ends)
        : lines_(count, where.at(part::message)), acks_(count, where.at(part::ack)) {}

    // A state before the first message.
    void begin(sender_state& at) {
        at.at = at.first = &lines_[0];
        at.last = &lines_[lines_.size() - 1];
        if constexpr (!together) at.ack_at = at.first_ack = &acks_[0];
    }

    // The message, and the lines in which nothing else is.
    Message& message(const sender_state& at) const { return at.at->message; }
    void* own_lines(const sender_state& at) const { return reinterpret_cast<unsigned char*>(at.at) + port::cache_line; }
    static constexpr std::size_t own_size = sizeof(slot) - port::cache_line;  // the flags are in the first line
    const line_kind& lines() const { return lines_.kind(); }

    // The sender's side.
    template <class Load>
    bool has_ack(const sender_state& at, Load load) const {
        return Flag::ack(load(at.ack(), ack_lines()), at.turn);
    }
    [[gnu::always_inline]] void set_ready(sender_state& at, announcement what) {
        auto&& ack = ack_lines().template event<together>(at.ack());
        Flag::reset_ack(ack);
        auto&& ready = lines().template event<false>(at.ready());
        Flag::set_ready(ready, at.turn, what);
        at.advance();
    }

    // The receiver's side.
    template <class Load>
    bool has_ready(const receiver_state& at, Load load) const {
        return Flag::ready(load(at.ready(), lines()), at.turn);
    }
    // For a receiver from many: the flag to look at instead of has_ready().
    template <class Lines = line_kind>
        requires looked_at_plainly<Lines>
    pending_flag<word, Lines, Flag::ready_changes> next_flag(const receiver_state& at) const {
        return {&at.ready(), Flag::before_ready(at.turn)};
    }
    bool at_end(const receiver_state& at) const {
        return Flag::at_end(port::traced_receive(at.ready()));  // just looked at
    }
    // True: the sender has something new to see.
    [[gnu::always_inline]] bool set_ack(receiver_state& at) {
        auto&& ready = lines().template event<together>(at.ready());
        Flag::reset_ready(ready);
        auto&& ack = ack_lines().template event<false>(at.ack());
        Flag::set_ack(ack, at.turn);
        at.advance();
        return true;
    }
    bool flush_acks(receiver_state&) { return false; }  // none is ever held back

private:
    const line_kind& ack_lines() const {
        if constexpr (together)
            return lines_.kind();
        else
            return acks_.kind();
    }

    line_array<slot, line_kind> lines_;
    [[no_unique_address]] std::conditional_t<together, no_lines, line_array<ack_line, line_kind>> acks_;
};

}  // namespace detail

}  // namespace croft
