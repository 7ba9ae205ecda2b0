#pragma once
// The many-to-one channel: N symmetric channels into one receiver, which takes from any that has a message (paper 001,
// figure 8). The choice is fair: it looks first at the sender after the one it served last, so a sender with a message
// waits for at most one message of each other sender. Order is kept for each sender, not among them.
//
// Senders use sender(i) like any channel, end included; the stream has ended when all have closed theirs. The receiver
// calls the same functions as at a channel. It has one waiter for all N, so whoever publishes rings at most once, and
// only if the receiver sleeps.

#include <cstddef>
#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <croft/channel/channel.hpp>

namespace croft {

template <class Message, class Policies = policies>
class many_to_one {
    using wait_policy = typename Policies::wait;

public:
    using channel_type = channel<Message, Policies>;

    // `degree` slots for each sender; `ends_of(i)`: its ends, or its home.
    many_to_one(std::size_t senders, std::size_t degree)
        : many_to_one(senders, degree, [](std::size_t) { return ends{}; }) {}
    template <class EndsOf>
    many_to_one(std::size_t senders, std::size_t degree, EndsOf ends_of)
        : over_(senders), open_(senders), last_(senders - 1) {
        if (senders == 0) throw std::invalid_argument("croft::many_to_one: there has to be at least one sender");
        for (std::size_t i = 0; i < senders; ++i)
            channels_.emplace_back(degree, ends_of(i), nullptr, &waiter_);
    }

    std::size_t size() const { return channels_.size(); }
    channel_type& sender(std::size_t i) { return channels_[i]; }
    wait_policy& waiter() { return waiter_; }

    // Waits for a message from any sender; null when all have ended. last_sender() tells from whom.
    Message* receive_in_place() {
        for (;;) {
            if (Message* message = look()) return message;
            if (open_ == 0) return nullptr;
            flush_acks();
            waiter_.wait([this](auto load) { return this->any_ready(load); });
        }
    }
    // The same without waiting: null also if there is no message now. ended() tells which.
    Message* try_receive_in_place() {
        Message* message = look();
        if (!message) flush_acks();
        return message;
    }
    void set_ack() {
        holds_ = false;
        channels_[last_].set_ack();
    }

    std::optional<Message> receive() { return take(receive_in_place()); }
    std::optional<Message> try_receive() { return take(try_receive_in_place()); }

    std::size_t last_sender() const { return last_; }
    // Whether the receiver has come to the end of every sender's stream.
    bool ended() const { return open_ == 0; }

    void flush_acks() {
        for (auto& channel : channels_) channel.flush_acks();
    }

private:
    // The next message in fair order; until it is acknowledged, the same one again. Notes which senders have ended.
    Message* look() {
        if (holds_) return channels_[last_].receive_in_place();
        std::size_t i = last_;
        for (std::size_t seen = 0; seen < channels_.size(); ++seen) {
            if (++i == channels_.size()) i = 0;
            channel_type& channel = channels_[i];
            // A relaxed look first: on most machines an acquiring one costs a fence, and most looks find nothing.
            if (over_[i] || !channel.may_receive(relaxed_load{})) continue;
            if (Message* message = channel.receive_in_place()) {
                last_ = i;
                holds_ = true;
                return message;
            }
            over_[i] = true;
            --open_;
        }
        return nullptr;
    }
    template <class Load>
    bool any_ready(Load load) const {
        for (std::size_t i = 0; i < channels_.size(); ++i)
            if (!over_[i] && channels_[i].may_receive(load)) return true;
        return false;
    }
    std::optional<Message> take(Message* slot) {
        if (!slot) return std::nullopt;
        std::optional<Message> message(std::move(*slot));
        set_ack();
        return message;
    }

    wait_policy waiter_;
    std::deque<channel_type> channels_;  // side by side: in heap blocks of their own they may share a cache set
    std::vector<bool> over_;  // the senders whose end was seen, and how many are left
    std::size_t open_;
    std::size_t last_;
    bool holds_ = false;  // last_'s message was handed out and not yet acknowledged
};

}  // namespace croft
