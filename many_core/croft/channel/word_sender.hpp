#pragma once
// The sending side of a channel whose messages travel on the network (paper 001, figures 9 and 10). It waits for an
// ack, a word in its ack queue, and sends the message.
//
// The acks are credits: there are K of them at first, and each allows one message. So there are never more than K words
// (or K times the words of a message) in the receiver's queue. Nobody waits for room in it.
//
// Who sends the first K? The papers' receiver does when the channel is made. Here the sender sends them to itself, when
// it has opened its ack queue and seen that the receiver has opened its own. Then neither side has to wait for the
// other before it goes on with something else. Only the sender's first message waits for its receiver.
//
// Framing says how a message looks: see network_channel.hpp and network_many_to_one.hpp.

#include <croft/channel/network_queues.hpp>

#if defined(CROFT_MANY_CORE)

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <croft/channel/timed.hpp>
#include <croft/channel/wait.hpp>
#include <croft/channel/word_message.hpp>
#include <croft/memory/line_array.hpp>

namespace croft {

// Where an end is, once it is open: for the other side to find.
class published_address {
public:
    void publish(port::address at) {
        value_ = at.value;
        known_.store(1, std::memory_order_release);
    }
    bool known() const { return known_.load(std::memory_order_acquire) != 0; }
    port::address wait() const {
        waits::best waiter;
        while (!known()) waiter.wait([this](auto load) { return load(known_, detail::plain_lines()) != 0; });
        return get();
    }
    port::address get() const {
        port::address at(0, 0);
        at.value = value_;
        return at;
    }

private:
    std::uint64_t value_ = 0;
    std::atomic<std::uint32_t> known_{0};
};

template <class Message, class Framing>
class word_sender : public detail::timed_sending<word_sender<Message, Framing>, Message> {
public:
    // `receiver` is where the messages go; `core` this side's, if it is known. Throws std::length_error.
    word_sender(std::size_t degree, int core, const published_address& receiver, Framing framing)
        : degree_(degree), receiver_(receiver), framing_(framing), acks_(core), side_(1, detail::plain_lines(core)) {}

    // Where the receiver sends its acks to. Known before the first message comes.
    port::address ack_address() const { return ack_address_.get(); }

    // Waits for a credit, and keeps it for the next message.
    Message& acquire() {
        take_credit();
        side_[0].holds = true;
        side_[0].mode = slow;
        return side_[0].message;
    }
    Message* try_acquire() { return may_send(detail::acquire_load{}) ? &acquire() : nullptr; }
    void publish() { send(std::move(side_[0].message)); }

    // Release: all that this thread wrote before, perhaps data that the message refers to, is visible to its receiver.
    // The network does not wait for memory by itself.
    [[gnu::always_inline]] void send(Message message) {
        take_credit();
        std::atomic_thread_fence(std::memory_order_release);
        framing_.send(side_[0].to, std::move(message));
    }
    bool try_send(Message&& message) {
        if (!may_send(detail::acquire_load{})) return false;
        send(std::move(message));
        return true;
    }
    bool try_send(const Message& message) {
        if (!may_send(detail::acquire_load{})) return false;
        send(message);
        return true;
    }
    void close() {
        take_credit();
        std::atomic_thread_fence(std::memory_order_release);
        framing_.close(side_[0].to);
    }
    template <class Load>
    bool may_send(Load) {
        side& own = side_[0];
        if (!own.open) attach_own();
        return own.holds || (receiver_.known() && attach() && waiting_in(acks_.queue()) != 0);
    }

    // Opens this side's queue, which the first call of any other function does too; does not wait.
    void attach_own() {
        side& own = side_[0];
        if (own.open) return;
        acks_.open();
        ack_address_.publish(acks_.address());
        if constexpr (requires { framing_.attached(acks_.address()); }) framing_.attached(acks_.address());
        own.open = true;
    }

private:
    friend class detail::timed_sending<word_sender, Message>;
    static constexpr std::uint32_t slow = port::queue_count;
    struct side {
        std::uint32_t mode = slow;  // the queue that the next ack comes to; slow: something else is to be done first
        bool open = false;          // the ack queue is
        bool attached = false;      // `to` is known, and the first credits are there
        bool holds = false;         // a credit
        port::address to{0, 0};
        Message message;
    };

    [[gnu::always_inline]] void take_credit() {
        switch (side_[0].mode) {
            case 0:
                port::receive_word<0>();
                return;
            case 1:
                port::receive_word<1>();
                return;
            case 2:
                port::receive_word<2>();
                return;
            case 3:
                port::receive_word<3>();
                return;
            default:
                take_credit_slowly();
        }
    }
    Message& free_slot() { return acquire(); }
    template <class End>
    bool await_room(const End& end) {
        return waits::wait_until(waits::polling(), [this](auto load) { return this->may_send(load); }, end);
    }
    [[gnu::noinline]] void take_credit_slowly() {
        side& own = side_[0];
        if (!own.open) attach_own();
        if (!own.attached) attach();
        if (!own.holds) receive_from(acks_.queue());
        own.holds = false;
        own.mode = acks_.queue();
    }
    // Waits for the receiver. True.
    bool attach() {
        side& own = side_[0];
        if (own.attached) return true;
        own.to = receiver_.wait();
        for (std::size_t i = 0; i < degree_; ++i) port::send_word(acks_.address(), 0);
        // They have to be there before anyone asks whether they are.
        while (waiting_in(acks_.queue()) < degree_) port::pause();
        own.attached = true;
        own.mode = own.holds ? slow : acks_.queue();
        return true;
    }

    std::size_t degree_;
    const published_address& receiver_;
    Framing framing_;
    network_end acks_;
    published_address ack_address_;
    detail::line_array<side, detail::plain_lines> side_;
};

}  // namespace croft

#endif
