#pragma once
// The many-to-one channel between processes: N symmetric ones (channel.hpp) into one receiver, which takes from any
// that has a message. Order is kept for each sender, not among them.
//
//     croft::mpi::many_to_one<int> results(group, {1, 2, 3}, 0);   // by ranks 0 to 3: senders first, then the receiver
//     if (group.rank() == 0) while (auto one = results.receive()) use(results.last_sender(), *one);
//     else results.send(7), results.close();
//
// A sender makes the calls of a channel's sender. The receiver makes those of a channel's receiver, timed ones and
// leave() included, and the stream has ended when all senders have closed theirs. Each of the N is in shared memory or
// by messages, as channel.hpp says. The choice is fair. Once a message in shared memory, or all of a frame, was read,
// the others have their turns before its sender does.

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <croft/channel/timed.hpp>
#include <croft/mpi/channel.hpp>
#include <croft/mpi/channel_options.hpp>
#include <croft/mpi/error.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/port/misuse.hpp>

namespace croft::mpi {

template <class Message>
class many_to_one : public croft::detail::timed_sending<many_to_one<Message>, Message>,
                    public croft::detail::timed_receiving<many_to_one<Message>, Message> {
public:
    using message_type = Message;

    // By the receiver and all senders, each named once. Throws `error`.
    many_to_one(const processes& group, std::vector<int> senders, int receiver, channel_options options = {})
        : ranks_(std::move(senders)), waiter_(options.receiver_waiter) {
        if (ranks_.empty()) throw error(detail::at_rank(group) + "there has to be at least one sender", group.rank());
        if (group.rank() != receiver) {
            channels_.push_back(std::make_unique<channel<Message>>(group, group.rank(), receiver, options));
            return;
        }
        options.receiver_waiter = waiter_ = detail::given(waiter_, own_waiter_);
        for (const int sender : ranks_)
            channels_.push_back(std::make_unique<channel<Message>>(group, sender, receiver, options));
        for (std::size_t i = 0; i < ranks_.size(); ++i) open_.push_back(i);
    }
    many_to_one(const many_to_one&) = delete;
    many_to_one& operator=(const many_to_one&) = delete;

    // ---- a sender's side: see channel.hpp ----

    Message& acquire() { return own().acquire(); }
    Message* try_acquire() { return own().try_acquire(); }
    void publish() { own().publish(); }
    void send(const Message& message) { own().send(message); }
    bool try_send(const Message& message) { return own().try_send(message); }
    template <std::input_iterator First, std::sentinel_for<First> Last>
    void send(First first, Last last) {
        own().send(std::move(first), std::move(last));
    }
    void flush() { own().flush(); }
    void close() { own().close(); }
    bool disconnected() { return own().disconnected(); }
    template <class Load>
    bool may_send(Load load) {
        return own().may_send(load);
    }

    // ---- the receiver's side ----

    mpi::waiter& waiter() { return *waiter_; }

    // Waits for a message of any sender, until set_ack() the same one again; null when all have ended.
    Message* receive_in_place() {
        while (!find()) waiter_->wait([this](auto) { return find(); });
        return now();
    }
    // The same without waiting: null also if there is no message now.
    Message* try_receive_in_place() { return find() ? now() : nullptr; }
    void set_ack() {
        port::check_use(holds_, "croft::mpi::many_to_one: set_ack() without a message");
        holds_ = nullptr;
        channels_[last_]->set_ack();
    }
    std::optional<Message> receive() { return take(receive_in_place()); }
    std::optional<Message> try_receive() { return take(try_receive_in_place()); }
    // The rank that has sent what was received last.
    int last_sender() const { return ranks_[last_]; }
    // Whether all streams have come to their ends.
    bool ended() {
        find();
        return open_.empty();
    }
    template <class Load>
    bool may_receive(Load) {
        return find();
    }
    void leave() {
        for (auto& each : channels_) each->leave();
    }
    void flush_acks() {
        for (auto& each : channels_) each->flush_acks();
    }

    // Lets MPI get on, and sends messages that have gathered long enough. Called by either side's thread.
    void progress() {
        for (auto& each : channels_) each->progress();
    }

private:
    friend class croft::detail::timed_sending<many_to_one, Message>;
    friend class croft::detail::timed_receiving<many_to_one, Message>;

    channel<Message>& own() {
        port::check_use(open_.empty() && channels_.size() == 1,
                        "croft::mpi::many_to_one: the receiver's process sends");
        return *channels_.front();
    }
    // Whether there is a message, or the end of all.
    bool find() {
        if (holds_) return true;
        for (std::size_t looks = open_.size(); looks > 0 && !open_.empty(); --looks) {
            if (next_ >= open_.size()) next_ = 0;
            const std::size_t i = open_[next_];
            if (Message* const message = channels_[i]->try_receive_in_place()) {
                holds_ = message;
                last_ = i;
                if (!channels_[i]->has_more_of_frame()) ++next_;
                return true;
            }
            if (channels_[i]->ended())
                open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(next_));
            else
                ++next_;
        }
        return open_.empty();
    }
    Message* now() { return open_.empty() ? nullptr : holds_; }

    template <class End>
    bool await_room(const End& end) {
        return own().await_room(end);
    }
    Message& free_slot() { return own().free_slot(); }
    template <class End>
    Message* await_message(const End& end) {
        while (!find())
            if (!waits::wait_until(*waiter_, [this](auto) { return find(); }, end)) return try_receive_in_place();
        return now();
    }
    std::optional<Message> take(Message* slot) {
        if (!slot) return std::nullopt;
        std::optional<Message> message(std::move(*slot));
        set_ack();
        return message;
    }

    std::vector<int> ranks_;
    std::unique_ptr<mpi::waiter> own_waiter_;
    mpi::waiter* waiter_;
    std::vector<std::unique_ptr<channel<Message>>> channels_;
    std::vector<std::size_t> open_;  // those that have not ended; a sender has none
    std::size_t next_ = 0;           // of them, whose turn it is
    std::size_t last_ = 0;
    Message* holds_ = nullptr;
};

}  // namespace croft::mpi
