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
// The sibling in batched_slots.hpp writes one ack for many messages.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <croft/channel/flag.hpp>
#include <croft/memory/line_array.hpp>

namespace croft {

enum class ack_place { with_message, own_line };

// Which slot of a channel a side comes to next, and for the how-many-eth time.
struct position {
    std::uint32_t index = 0;
    std::uint32_t turn = 0;

    void advance(std::size_t slots) {
        if (++index == slots) {
            index = 0;
            ++turn;
        }
    }
};

// K slots, used round-robin by both sides (paper 000, figure 8). Flag is `turns` or `booleans`.
template <class Message, class Flag, ack_place Place, class Policies>
class slots {
    using word = typename Policies::template atomic<std::uint32_t>;
    using home = typename Policies::home;

    struct shared_line {
        word ready{Flag::no_ready};
        word ack{Flag::first_ack};
        Message message;
    };
    struct message_line {
        word ready{Flag::no_ready};
        Message message;
    };
    struct ack_line {
        word ack{Flag::first_ack};
    };
    static constexpr bool together = Place == ack_place::with_message;
    struct no_lines {
        no_lines(std::size_t, home, part) {}
    };

public:
    // What each side keeps to itself.
    using sender_state = position;
    using receiver_state = position;

    slots(std::size_t count, home where)
        : count_(count), lines_(count, where, part::message), acks_(count, where, part::ack) {}

    Message& message(const position& at) { return lines_[at.index].message; }
    const home& homes() const { return lines_.home(); }

    // The sender's side.
    template <class Load>
    bool has_ack(position& at, Load load) const {
        return Flag::ack(load(ack(at)), at.turn);
    }
    void set_ready(position& at, announcement what) {
        Flag::reset_ack(ack(at));
        Flag::set_ready(lines_[at.index].ready, at.turn, what);
        at.advance(count_);
    }

    // The receiver's side.
    template <class Load>
    bool has_ready(const position& at, Load load) const {
        return Flag::ready(load(lines_[at.index].ready), at.turn);
    }
    bool at_end(const position& at) const { return Flag::at_end(relaxed_load{}(lines_[at.index].ready)); }
    // True: the sender has something new to see.
    bool set_ack(position& at) {
        Flag::reset_ready(lines_[at.index].ready);
        Flag::set_ack(ack(at), at.turn);
        at.advance(count_);
        return true;
    }
    bool flush_acks(position&) { return false; }  // none is ever held back

private:
    const word& ack(const position& at) const { return const_cast<slots*>(this)->ack(at); }
    word& ack(const position& at) {
        if constexpr (together)
            return lines_[at.index].ack;
        else
            return acks_[at.index].ack;
    }

    std::size_t count_;
    line_array<std::conditional_t<together, shared_line, message_line>, home> lines_;
    [[no_unique_address]] std::conditional_t<together, no_lines, line_array<ack_line, home>> acks_;
};

}  // namespace croft
