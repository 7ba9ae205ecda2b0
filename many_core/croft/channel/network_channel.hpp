#pragma once
// The symmetric channel on the machine's network (paper 001, IV.B, figure 9; its ch_sym_udn). The message's words
// themselves travel, from the sender's registers into a hardware queue of the receiver's core; nothing lies in memory.
// It is the fastest of all channels for messages of a word or few, and the one with limits:
//
//   - it takes a hardware queue at both ends, and a core has four (std::length_error);
//   - K messages have to fit into the 128 words of a queue (std::length_error);
//   - messages are trivially copyable and at most 16 words long, or travel by reference, as unique_ptr;
//   - the first send waits until the receiver has attached: by its first call, or by attach_receiver();
//   - messages that are still under way when the channel is destroyed are lost; so receive to the end: there is no
//     leave();
//   - a thread that waits for a bounded time looks again and again.
//
// To its user it is channel<Message, Policies> with events::words in Policies, and has the functions that channel.hpp
// describes. `acquire` hands out a buffer of the sender's and receive_in_place one of the receiver's, so "in place"
// costs nothing here and saves nothing either.
//
// Framing. A message is its words and nothing else. The end of the stream is a word that a message begins with only by
// accident: `mark`, with a second word that says what it was.

#include <croft/channel/channel.hpp>
#include <croft/channel/network_events.hpp>
#include <croft/channel/word_sender.hpp>

#if defined(CROFT_MANY_CORE)

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <croft/channel/word_message.hpp>

namespace croft {

namespace detail {

// Throws unless `words` words, `what`, fit into a queue.
inline void check_queue_words(std::size_t degree, std::size_t words, const char* what) {
    if (degree == 0) throw std::invalid_argument("croft::channel: a channel needs at least one slot");
    if (degree > port::queue_words / words)
        throw std::length_error("croft::channel: " + std::to_string(degree) + what + std::to_string(words) +
                                " words do not fit into a hardware queue, which holds 128 words");
}

template <class Message>
struct plain_frames {
    using format = word_message<Message>;
    static constexpr std::uint64_t mark = std::uint64_t{1} << 63;
    static constexpr std::uint64_t it_was_a_message = 0, it_was_the_end = 1;
    static_assert(format::words <= 16, "a message of more than 16 words goes by reference, as a std::unique_ptr");

    [[gnu::always_inline]] void send(port::address to, Message&& message) const {
        const typename format::packed words = format::pack(std::move(message));
        if (words[0] == mark) [[unlikely]]
            return send_marked(to, words);
        if constexpr (format::words == 1) return port::send_word(to, words[0]);
        port::open_message(to, format::words);
        for (const std::uint64_t word : words) port::push_word(word);
    }
    void close(port::address to) const {
        port::open_message(to, 2);
        port::push_word(mark);
        port::push_word(it_was_the_end);
    }

private:
    [[gnu::noinline]] void send_marked(port::address to, const typename format::packed& words) const {
        port::open_message(to, format::words + 1);
        port::push_word(mark);
        port::push_word(it_was_a_message);
        for (std::size_t i = 1; i < format::words; ++i) port::push_word(words[i]);
    }
};

}  // namespace detail

template <class Message, class Policies>
    requires sends_words<Policies>
class channel<Message, Policies> : public detail::timed_sending<channel<Message, Policies>, Message>,
                                   public detail::timed_receiving<channel<Message, Policies>, Message> {
    using frames = detail::plain_frames<Message>;
    using format = word_message<Message>;
    using wait_policy = typename Policies::wait;

public:
    using message_type = Message;

    // Throws std::length_error if K messages do not fit into a hardware queue, or an end has none left.
    explicit channel(std::size_t degree, detail::ends cores = {}, wait_policy* = nullptr, wait_policy* = nullptr)
        : messages_(cores.receiver),
          sender_(checked(degree), cores.sender, address_, frames{}),
          side_(1, detail::plain_lines(cores.receiver)) {}
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;

    // ---- the sender's side ----

    void attach_sender() { sender_.attach_own(); }
    Message& acquire() { return sender_.acquire(); }
    Message* try_acquire() { return sender_.try_acquire(); }
    void publish() { sender_.publish(); }
    [[gnu::always_inline]] void send(Message message) { sender_.send(std::move(message)); }
    bool try_send(Message&& message) { return sender_.try_send(std::move(message)); }
    bool try_send(const Message& message) { return sender_.try_send(message); }
    void close() { sender_.close(); }
    template <class Load>
    bool may_send(Load load) {
        return sender_.may_send(load);
    }

    // ---- the receiver's side ----

    // Opens this side's queue, which the first call of any other function does too; does not wait.
    void attach_receiver() {
        side& own = side_[0];
        if (own.open) return;
        messages_.open();
        own.open = true;
        address_.publish(messages_.address());
    }

    [[gnu::always_inline]] std::optional<Message> receive() {
        side& own = side_[0];
        switch (own.mode) {
            case 0:
                return take<0>(own);
            case 1:
                return take<1>(own);
            case 2:
                return take<2>(own);
            case 3:
                return take<3>(own);
            default:
                return take(receive_in_place());
        }
    }
    std::optional<Message> try_receive() { return take(try_receive_in_place()); }

    Message* receive_in_place() {
        attach_receiver();
        side& own = side_[0];
        if (own.now == holding::nothing) with_queue(messages_.queue(), [&]<unsigned Queue>() { fill<Queue>(own); });
        return own.now == holding::message ? &own.message : nullptr;
    }
    Message* try_receive_in_place() { return may_receive(detail::acquire_load{}) ? receive_in_place() : nullptr; }
    void set_ack() {
        side& own = side_[0];
        own.now = holding::nothing;
        own.mode = messages_.queue();
        port::send_word(own.to, 0);
    }
    bool ended() {
        if (may_receive(detail::acquire_load{})) receive_in_place();
        return side_[0].now == holding::end;
    }
    template <class Load>
    bool may_receive(Load) {
        attach_receiver();
        return side_[0].now != holding::nothing || waiting_in(messages_.queue()) != 0;
    }
    void flush_acks() {}
    template <class Policy = Policies>
    void leave() {
        static_assert(!sends_words<Policy>, "a sender over the network waits for acks, and hears of nothing else");
    }

private:
    friend class detail::timed_sending<channel, Message>;
    friend class detail::timed_receiving<channel, Message>;
    enum class holding : std::uint8_t { nothing, message, end };
    static constexpr std::uint32_t slow = port::queue_count;
    struct side {
        std::uint32_t mode =
            slow;           // the queue that the next message comes to; slow: something else is to be done first
        bool open = false;  // it is
        holding now = holding::nothing;
        port::address to{0, 0};  // where acks go: known when the first message has come
        Message message;
    };

    static std::size_t checked(std::size_t degree) {
        detail::check_queue_words(degree, format::words, " messages of ");
        return degree;
    }

    // Waits for a message and reads it; false at the end.
    template <unsigned Queue>
    [[gnu::always_inline]] bool read(Message& into) {
        typename format::packed words;
        words[0] = port::receive_word<Queue>();
        if (words[0] == frames::mark) [[unlikely]]
            if (port::receive_word<Queue>() == frames::it_was_the_end) return false;
        for (std::size_t i = 1; i < format::words; ++i) words[i] = port::receive_word<Queue>();
        format::unpack(words, into);
        return true;
    }
    template <unsigned Queue>
    [[gnu::always_inline]] std::optional<Message> take(side& own) {
        std::optional<Message> message(std::in_place);
        if (!read<Queue>(*message)) [[unlikely]] {
            own.now = holding::end;
            own.mode = slow;
            return std::nullopt;
        }
        port::send_word(own.to, 0);
        return message;
    }
    template <unsigned Queue>
    void fill(side& own) {
        own.mode = slow;
        own.now = read<Queue>(own.message) ? holding::message : holding::end;
        own.to = sender_.ack_address();
    }
    Message& free_slot() { return acquire(); }
    template <class End>
    bool await_room(const End& end) {
        return waits::wait_until(waits::polling(), [this](auto load) { return this->may_send(load); }, end);
    }
    template <class End>
    Message* await_message(const End& end) {
        waits::wait_until(waits::polling(), [this](auto load) { return this->may_receive(load); }, end);
        return try_receive_in_place();
    }
    std::optional<Message> take(Message* slot) {
        if (!slot) return std::nullopt;
        std::optional<Message> message(std::move(*slot));
        set_ack();
        return message;
    }

    network_end messages_;
    published_address address_;
    word_sender<Message, frames> sender_;
    detail::line_array<side, detail::plain_lines> side_;
};

}  // namespace croft

#endif
