#pragma once
// The many-to-one channel: N symmetric channels into one receiver, which takes from any that has a message (paper 001,
// figure 8). The choice is fair (fair_choice.hpp). Order is kept for each sender, not among them.
//
// Senders use sender(i) like any channel, end included; the stream has ended when all have closed theirs. The receiver
// calls the same functions as at a channel, timed ones and leave() included. It has one waiter for all N, so a sender
// that publishes rings at most once, and only if the receiver sleeps.
//
// Siblings: inbox.hpp, whose senders come and go.

#include <cstddef>
#include <deque>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/channel/fair_choice.hpp>
#include <croft/channel/one_caller.hpp>
#include <croft/channel/taken.hpp>
#include <croft/memory/line_array.hpp>
#include <croft/memory/packed_array.hpp>
#include <croft/port/misuse.hpp>

namespace croft {

template <class Message, class Policies = policies>
class many_to_one : public detail::timed_receiving<many_to_one<Message, Policies>, Message> {
    using wait_policy = typename Policies::wait;

public:
    using channel_type = channel<Message, Policies>;

    // `degree` slots for each sender; `ends_of(i)`: its ends, or its home. A thread that waits elsewhere as well hands
    // its own waiter: `waiter_of(i)` is a sender's, or null, and `receiver` the receiver's.
    many_to_one(std::size_t senders, std::size_t degree)
        : many_to_one(senders, degree, [](std::size_t) { return detail::ends{}; }) {}
    template <class EndsOf>
    many_to_one(std::size_t senders, std::size_t degree, EndsOf ends_of)
        : many_to_one(senders, degree, ends_of, [](std::size_t) -> wait_policy* { return nullptr; }, nullptr) {}
    template <class EndsOf, class WaiterOf>
    many_to_one(std::size_t senders, std::size_t degree, EndsOf ends_of, WaiterOf waiter_of, wait_policy* receiver)
        : to_receiver_(receiver ? receiver : &waiter_),
          side_(1, home_of(checked(senders, ends_of)).of_receiver()),
          flags_(senders, side_.kind()) {
        for (std::size_t i = 0; i < senders; ++i) {
            channels_.emplace_back(degree, ends_of(i), waiter_of(i), to_receiver_);
            open_.push_back({&channels_.back(), i});
            if constexpr (receiver_side::keeps_flags) flags_[i] = receiver_side::flag_of(open_.back());
        }
        receiver_side& own = side_[0];
        if constexpr (receiver_side::keeps_flags) own.flags = &flags_[0];
        own.open = open_.data();
        own.open_count = senders;
        own.next = 0;
        own.holds = nullptr;
    }

    ~many_to_one() { receiver_.destroy(detail::of_receiver); }

    std::size_t size() const { return channels_.size(); }
    channel_type& sender(std::size_t i) {
        port::check_use(i < channels_.size(), "croft::many_to_one: sender() of a number that none has");
        return channels_[i];
    }
    wait_policy& waiter() { return *to_receiver_; }

    // Waits for a message from any sender; null when all have ended. last_sender() tells from whom.
    [[gnu::always_inline]] Message* receive_in_place() {
        const auto call = begin_receive();
        return next_message();
    }
    // The same without waiting: null also if there is no message now. ended() tells which.
    Message* try_receive_in_place() {
        const auto call = begin_receive();
        return message_now();
    }
    // The message received last may be overwritten.
    void set_ack() {
        const auto call = begin_receive();
        read();
    }

    [[gnu::always_inline]] std::optional<Message> receive() {
        const auto call = begin_receive();
        return take(next_message());
    }
    std::optional<Message> try_receive() {
        const auto call = begin_receive();
        return take(message_now());
    }

    std::size_t last_sender() const { return side_[0].last.sender; }
    // Whether the receiver has come to the end of every sender's stream.
    bool ended() const { return side_[0].open_count == 0; }
    // Whether receive() would not wait, for who waits at other channels as well, with waiter(). Acks that were held
    // back are to be sent before: a try_receive that finds nothing does.
    template <class Load>
    bool may_receive(Load load) {
        receiver_side& own = side_[0];
        return own.holds || ended() || own.find(load);
    }

    void flush_acks() {
        if constexpr (channel_type::holds_acks_back)
            for (auto& channel : channels_) channel.flush_acks();
    }

    // The receiver's last call, to all senders: see channel.hpp.
    void leave() {
        auto call = begin_receive();
        for (auto& channel : channels_) channel.leave();
        call.finish();
    }

private:
    friend class detail::timed_receiving<many_to_one, Message>;

    using receiver_side = detail::fair_choice<channel_type>;
    using home = typename Policies::home;
    using receiver_lines = decltype(std::declval<const home&>().of_receiver());

    static home home_of(detail::ends cores) { return home::between(cores); }
    static home home_of(home where) { return where; }
    template <class EndsOf>
    static auto checked(std::size_t senders, EndsOf& ends_of) {
        if (senders == 0) throw std::invalid_argument("croft::many_to_one: there has to be at least one sender");
        return ends_of(std::size_t{0});
    }

    [[gnu::always_inline]] auto begin_receive() { return receiver_.begin(detail::of_receiver); }
    [[gnu::always_inline]] Message* next_message() {
        receiver_side& own = side_[0];
        if (own.holds) return own.holds;
        while (own.open_count != 0) {
            if (!own.next_is_ready()) {
                await_any(own);
            } else if (Message* message = take_next(own)) {
                return message;
            }
        }
        return nullptr;
    }
    Message* message_now() {
        receiver_side& own = side_[0];
        if (own.holds) return own.holds;
        while (own.open_count != 0 && (own.next_is_ready() || own.find(detail::relaxed_load{})))
            if (own.next_is_ready())
                if (Message* message = take_next(own)) return message;
        flush_acks();
        return nullptr;
    }
    void read() {
        receiver_side& own = side_[0];
        port::check_use(own.holds, "croft::many_to_one: set_ack() without a message");
        own.set_ack();
    }
    static Message* take_next(receiver_side& own) {
        return own.take_next([](const auto&) {});
    }
    [[gnu::noinline]] void await_any(receiver_side& own) {
        // If the wait begins with a look that is as quick, and no ack has to be sent before, this look is left out.
        constexpr bool waits_quickly =
            port::waits_on_lines && receiver_side::keeps_flags && !channel_type::holds_acks_back;
        if (!waits_quickly && own.open_count > 1 && own.find(detail::relaxed_load{})) return;
        flush_acks();
        to_receiver_->wait([&own](auto load) __attribute__((always_inline)) { return own.find(load); });
    }
    template <class End>
    Message* await_message(const End& end) {
        const auto call = begin_receive();
        receiver_side& own = side_[0];
        for (;;) {
            if (Message* const message = message_now()) return message;
            if (ended()) return nullptr;
            if (!waits::wait_until(*to_receiver_, [&own](auto load) { return own.find(load); }, end))
                return message_now();
        }
    }
    std::optional<Message> take(Message* slot) {
        if (!slot) return std::nullopt;
        if constexpr (!std::is_nothrow_move_constructible_v<Message>) return detail::taken(*slot, [this] { read(); });
        std::optional<Message> message(std::move(*slot));
        read();
        return message;
    }

    [[no_unique_address]] detail::caller_check<Policies> receiver_;
    wait_policy waiter_;
    wait_policy* to_receiver_;
    std::deque<channel_type> channels_;  // side by side: in heap blocks of their own they may share a cache set
    std::vector<typename receiver_side::entry> open_;
    detail::line_array<receiver_side, receiver_lines> side_;  // in its own line: see channel.hpp
    struct no_flags {
        no_flags(std::size_t, receiver_lines) {}
    };
    using flag_array = detail::packed_array<typename receiver_side::pending, receiver_lines>;
    static_assert(port::cache_line % sizeof(typename receiver_side::pending) == 0, "or not all would lie side by side");
    [[no_unique_address]] std::conditional_t<receiver_side::keeps_flags, flag_array, no_flags> flags_;
};

}  // namespace croft
