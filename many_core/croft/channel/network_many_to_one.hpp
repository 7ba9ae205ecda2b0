#pragma once
// The many-to-one channel on the machine's network (paper 001, IV.B.1, figure 10; its ch_asym_udn). The receiver has
// one hardware queue for the messages of all; each sender has one for its acks. A word that says whose it is precedes
// each message; the end of a stream is this word alone. So N senders of K messages each need K N times one word more
// than a message has. For messages of a word, K <= 128 / (2 N).
//
// The choice is the network's: messages are received in the order in which they come. It is fair, because a sender has
// at most K messages in the queue, behind those of the others that came before.
//
// To its user it is many_to_one<Message, Policies> with events::words in Policies. It has the functions that
// many_to_one.hpp describes, with the limits that network_channel.hpp lists. It cannot receive from a sender of one's
// choice: sender(i) is for sending only.

#include <croft/channel/many_to_one.hpp>
#include <croft/channel/network_channel.hpp>

#if defined(CROFT_MANY_CORE)

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace croft {

namespace detail {

template <class Message>
struct addressed_frames {
    using format = addressed_message<Message>;
    static_assert(format::words <= 16, "a message of more than 16 words goes by reference, as a std::unique_ptr");
    // The first word: the sender's number, whether this is its end, and where its acks go, which the receiver then need
    // not look up.
    static constexpr unsigned number_at = 49;
    static constexpr std::uint64_t end = std::uint64_t{1} << 48, ack_address = end - 1;
    std::uint64_t sender;

    explicit addressed_frames(std::uint64_t number) : sender(number << number_at) {}
    void attached(port::address acks) { sender |= acks.value & ack_address; }

    [[gnu::always_inline]] void send(port::address to, Message&& message) const {
        const typename format::packed words = format::pack(std::move(message));
        if constexpr (format::words == 0) return port::send_word(to, sender);
        port::open_message(to, format::words + 1);
        port::push_word(sender);
        for (const std::uint64_t word : words) port::push_word(word);
    }
    void close(port::address to) const { port::send_word(to, sender | end); }
};

}  // namespace detail

template <class Message, class Policies>
    requires sends_words<Policies>
class many_to_one<Message, Policies> : public detail::timed_receiving<many_to_one<Message, Policies>, Message> {
    using frames = detail::addressed_frames<Message>;
    using format = addressed_message<Message>;
    using wait_policy = typename Policies::wait;

public:
    using channel_type = word_sender<Message, frames>;

    // Throws std::length_error if the messages do not fit into a hardware queue, or an end has none left.
    many_to_one(std::size_t senders, std::size_t degree)
        : many_to_one(senders, degree, [](std::size_t) { return detail::ends{}; }) {}
    template <class EndsOf>
    many_to_one(std::size_t senders, std::size_t degree, EndsOf ends_of)
        : messages_(checked(senders, degree, ends_of)), side_(1, detail::plain_lines(ends_of(0).receiver)) {
        for (std::size_t i = 0; i < senders; ++i)
            senders_.push_back(std::make_unique<channel_type>(degree, ends_of(i).sender, address_, frames(i)));
        side_[0].open_senders = senders;
    }
    // Nobody's waiter is needed: see network_channel.hpp.
    template <class EndsOf, class WaiterOf>
    many_to_one(std::size_t senders, std::size_t degree, EndsOf ends_of, WaiterOf, wait_policy*)
        : many_to_one(senders, degree, ends_of) {}

    std::size_t size() const { return senders_.size(); }
    channel_type& sender(std::size_t i) { return *senders_[i]; }

    // Opens the receiver's queue, which the first call of any other function of it does too; does not wait.
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
        while (!own.holds && own.open_senders != 0)
            with_queue(messages_.queue(), [&]<unsigned Queue>() { fill<Queue>(own); });
        return own.holds ? &own.message : nullptr;
    }
    Message* try_receive_in_place() {
        attach_receiver();
        side& own = side_[0];
        while (!own.holds && own.open_senders != 0 && waiting_in(messages_.queue()) != 0)
            with_queue(messages_.queue(), [&]<unsigned Queue>() { fill<Queue>(own); });
        return own.holds ? &own.message : nullptr;
    }
    void set_ack() {
        side& own = side_[0];
        own.holds = false;
        own.mode = messages_.queue();
        port::send_word(own.acks, 0);
    }

    std::size_t last_sender() const { return side_[0].last; }
    bool ended() const { return side_[0].open_senders == 0; }
    template <class Load>
    bool may_receive(Load) {
        attach_receiver();
        return side_[0].holds || waiting_in(messages_.queue()) != 0;
    }
    void flush_acks() {}
    template <class Policy = Policies>
    void leave() {
        static_assert(!sends_words<Policy>, "a sender over the network waits for acks, and hears of nothing else");
    }

private:
    friend class detail::timed_receiving<many_to_one, Message>;
    static constexpr std::uint32_t slow = port::queue_count;
    struct side {
        std::uint32_t mode =
            slow;            // the queue that the next message comes to; slow: something else is to be done first
        bool open = false;   // it is
        bool holds = false;  // a message, not acknowledged yet
        std::size_t last = 0, open_senders = 0;
        port::address acks{0, 0};  // of the last one
        Message message;
    };

    template <class EndsOf>
    static int checked(std::size_t senders, std::size_t degree, EndsOf& ends_of) {
        if (senders == 0) throw std::invalid_argument("croft::many_to_one: there has to be at least one sender");
        if (degree == 0) throw std::invalid_argument("croft::channel: a channel needs at least one slot");
        detail::check_queue_words(senders * degree, 1 + format::words, " messages of (with their sender's number) ");
        return ends_of(0).receiver;
    }

    static port::address acks_of(std::uint64_t first_word) {
        port::address at(0, 0);
        at.value = first_word & frames::ack_address;
        return at;
    }
    template <unsigned Queue>
    [[gnu::always_inline]] void read(Message& into) {
        typename format::packed words;
        for (std::uint64_t& word : words) word = port::receive_word<Queue>();
        format::unpack(words, into);
    }
    template <unsigned Queue>
    [[gnu::always_inline]] std::optional<Message> take(side& own) {
        const std::uint64_t from = port::receive_word<Queue>();
        if (from & frames::end) [[unlikely]] {
            end_of_one(own);
            return take(receive_in_place());
        }
        std::optional<Message> message(std::in_place);
        read<Queue>(*message);
        own.last = from >> frames::number_at;
        port::send_word(acks_of(from), 0);
        return message;
    }
    template <unsigned Queue>
    void fill(side& own) {
        own.mode = slow;
        const std::uint64_t from = port::receive_word<Queue>();
        if (from & frames::end) return end_of_one(own);
        read<Queue>(own.message);
        own.last = from >> frames::number_at;
        own.acks = acks_of(from);
        own.holds = true;
    }
    static void end_of_one(side& own) {
        --own.open_senders;
        own.mode = slow;
    }
    template <class End>
    Message* await_message(const End& end) {
        Message* message = nullptr;
        waits::wait_until(
            waits::polling(), [&](auto) { return (message = this->try_receive_in_place()) || this->ended(); }, end);
        return message;
    }
    std::optional<Message> take(Message* slot) {
        if (!slot) return std::nullopt;
        std::optional<Message> message(std::move(*slot));
        set_ack();
        return message;
    }

    network_end messages_;
    published_address address_;
    std::vector<std::unique_ptr<channel_type>> senders_;
    detail::line_array<side, detail::plain_lines> side_;
};

}  // namespace croft

#endif
