#pragma once
// The symmetric channel: one sender, one receiver, K slots used round-robin (paper 000, figure 8; 001, figure 7). First
// in, first out; nothing is lost or duplicated. The asynchrony degree K >= 1 says how many messages the sender may be
// ahead. Beyond that it waits, so a slow receiver holds its sender back.
//
// By value: send, try_send; receive, try_receive. Move-only messages are moved.
// In place, without a copy on either side (paper 000, 6.1). The sender builds the message in the slot that acquire()
// hands out, then calls publish(). The receiver reads it in the slot that receive_in_place() hands out, then calls
// set_ack().
// Many at a time: send(first, last); receive_some_in_place() and set_ack(count).
// For a bounded time: send_for, acquire_for, receive_for, receive_in_place_for, and _until, a time or a stop
// (timed.hpp).
// The end: after close() the receiver gets the messages still under way, and then "no message" for ever. The end is
// part of the ready event, so it takes no value away from the messages.
// A receiver that wants no more says leave(). The messages that it has not received are lost, and so are those that the
// sender still finds room for. A sender that finds no room, whatever the call, gets `croft::disconnected` instead of
// waiting for ever. So sending a message costs no look at whether the receiver is there; disconnected() tells.
//
// Siblings: many_to_one.hpp (N senders, one receiver); one_to_many.hpp (one sender, N receivers); request_reply.hpp
// (both directions in one line). network_channel.hpp is this one for a machine whose network carries the messages
// themselves.
//
// A message type has to be default-initialisable and, for the calls by value, movable. Its objects live in the slots as
// long as the channel. So an object sent in place keeps what it owns, for example the capacity of a vector. Rely on
// nothing that a trivially copyable object holds before it is overwritten: some homes allocate its lines without
// fetching them.
//
// One thread at a time is the sender and one the receiver. Both have to be done with their calls, not just with the
// messages, before the channel is destroyed. Debug builds end with a sentence where that is broken, or what the calls
// below ask for (one_caller.hpp).

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <croft/channel/disconnected.hpp>
#include <croft/channel/left_word.hpp>
#include <croft/channel/one_caller.hpp>
#include <croft/channel/policies.hpp>
#include <croft/channel/taken.hpp>
#include <croft/channel/timed.hpp>
#include <croft/memory/line_array.hpp>
#include <croft/port/misuse.hpp>
#include <croft/port/port.hpp>

namespace croft {

template <class Message, class Policies = policies>
class channel : public detail::timed_sending<channel<Message, Policies>, Message>,
                public detail::timed_receiving<channel<Message, Policies>, Message> {
    static_assert(std::is_default_constructible_v<Message>,
                  "croft::channel: a message needs a default constructor, because it lives in its slot before it is "
                  "first sent; a std::optional<T> or a std::unique_ptr<T> has one");
    using wait_policy = typename Policies::wait;
    using home = typename Policies::home;
    using storage = typename Policies::events::template storage<Message, Policies>;

public:
    using message_type = Message;
    static constexpr bool holds_acks_back = storage::holds_acks_back;
    // Whether who waits here can wait for nothing else: its events are no flags, but messages.
    static constexpr bool waits_alone = requires { storage::waits_alone; };

    // `degree` is K. `cores` says where the two sides run, for homes and networks that have to know. A thread that
    // waits at several channels hands each of them its own waiter; a side that gets none waits with the channel's.
    // Throws std::invalid_argument for a degree of 0 or a home that the machine has not, std::bad_alloc.
    explicit channel(std::size_t degree, detail::ends cores = {}, wait_policy* sender = nullptr,
                     wait_policy* receiver = nullptr)
        : channel(degree, home::between(cores), cores, sender, receiver) {}
    // With homes of one's own making. (A template, for which braces are nothing: they are ends.)
    template <std::same_as<home> Home>
    channel(std::size_t degree, Home where, wait_policy* sender = nullptr, wait_policy* receiver = nullptr)
        : channel(degree, where, detail::ends{}, sender, receiver) {}
    ~channel() {
        sender_[0].caller.destroy(detail::of_sender);
        receiver_[0].caller.destroy(detail::of_receiver);
    }
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;

    // The waiters of the two sides.
    wait_policy& sender_waiter() { return *to_sender_; }
    wait_policy& receiver_waiter() { return *to_receiver_; }

    // ---- the sender's side ----

    // All of these throw `disconnected` if there is no free slot and the receiver has left.

    // Waits for a free slot and gives its message to be overwritten; until publish(), the same one again.
    [[gnu::always_inline]] Message& acquire() {
        const auto call = begin_send();
        find_room();
        return free_slot();
    }
    // The same without waiting: null if there is no free slot.
    Message* try_acquire() {
        const auto call = begin_send();
        return finds_room() ? &free_slot() : nullptr;
    }

    // The message in the slot last acquired is complete.
    [[gnu::always_inline]] void publish() {
        const auto call = begin_send();
        check_acquired();
        written();
    }

    [[gnu::always_inline]] void send(Message message) {
        const auto call = begin_send();
        find_room();
        write(std::move(message));
    }
    // False, and the message untouched, if there is no free slot.
    bool try_send(Message&& message) {
        const auto call = begin_send();
        if (!finds_room()) return false;
        write(std::move(message));
        return true;
    }
    bool try_send(const Message& message) {
        const auto call = begin_send();
        if (!finds_room()) return false;
        write(Message(message));
        return true;
    }

    // Sends a range, in order, and waits for room as often as it must. Where slots share a line, one event announces
    // all messages that go into it at once. So this is the fastest way to send many small messages. If the range
    // throws, or copying one of its messages, all messages before that have been sent.
    template <std::input_iterator First, std::sentinel_for<First> Last>
    void send(First first, Last last) {
        const auto call = mark_send();
        while (first != last) {
            await_ack();
            if constexpr (runs) {
                sender_state& side = sender_[0];
                take_slot(side);
                Message* const slot = &slots_.message(side);
                std::uint32_t count = 0;
                try {
                    for (const std::uint32_t room = slots_.free_run(side); count < room && first != last; ++first) {
                        slots_.lines().write(slot[count], Message(*first));
                        ++count;
                    }
                } catch (...) {
                    if (count > 0) written(count);
                    throw;
                }
                written(count);
            } else {
                write(Message(*first));
                ++first;
            }
        }
    }

    // No message will follow. Waits for a free slot to say so in, unless the receiver has left. Nothing may be sent
    // afterwards.
    void close() {
        auto call = mark_send();
        while (!may_send(detail::acquire_load{})) {
            if (disconnected()) return call.finish();
            wait_for_room();
        }
        // (Where each side has an object of its own, this object does not hear of reopen().)
        if constexpr (!detail::homes_of_two_objects<home>) call.finish();
        if (sender_[0].fills) sender_[0].fills = false;
        slots_.set_ready(sender_[0], detail::announcement::end);
        if constexpr (knows_ahead) slots_.forget_room(sender_[0]);
        to_receiver_->notify();
    }

    // Whether the receiver has left. All that it did before is then visible.
    bool disconnected() const { return has_left(detail::acquire_load{}); }
    template <class Load>
    bool has_left(Load load) const {
        return left_.is_set(load);
    }

    // Whether there is a free slot. `load` is how to look: see wait.hpp.
    template <class Load>
    bool may_send(Load load) {
        return slots_.has_ack(sender_[0], load);
    }

    // Whether close() would not wait.
    template <class Load>
    bool may_close(Load load) {
        return may_send(load) || has_left(load);
    }

    // How many messages were sent and are not known to be done with, where events count them; else nothing. The
    // receiver may hold acks back, so it may have done with more.
    std::optional<std::uint32_t> unread() const {
        if constexpr (requires { slots_.unread(sender_[0]); })
            return slots_.unread(sender_[0]);
        else
            return std::nullopt;
    }

    // ---- the receiver's side ----

    // Waits for a message and gives it, to be read and changed, until set_ack(); until then, the same one again. Null
    // at the end of the stream.
    [[gnu::always_inline]] Message* receive_in_place() {
        const auto call = begin_receive();
        return next_message();
    }
    // The same without waiting: null also if there is no message now. ended() tells which.
    Message* try_receive_in_place() {
        const auto call = begin_receive();
        return find_message_now();
    }
    // The message received last may be overwritten.
    [[gnu::always_inline]] void set_ack() {
        const auto call = begin_receive();
        check_received(1);
        read();
    }

    // The receiver's last call: it receives no more.
    void leave() {
        static_assert(receivers_leave, "here the policies have to ask for it: policies.hpp, receivers_leave");
        auto call = mark_receive();
        call.finish();
        if constexpr (knows_ahead) slots_.forget_messages(receiver_[0]);
        left_.set();
        to_sender_->notify();
    }

    // Waits for a message, and gives it together with those that have come after it and lie beside it. Gives none at
    // the end of the stream. set_ack(count) acknowledges them together, or first those in front.
    std::span<Message> receive_some_in_place() {
        const auto call = begin_receive();
        Message* const first = next_message();
        if constexpr (runs)
            return {first, first ? slots_.ready_run(receiver_[0]) : 0u};
        else
            return {first, first ? 1u : 0u};
    }
    // The `count` messages received first may be overwritten. At least one, and as many as were received at most.
    void set_ack(std::size_t count) {
        const auto call = begin_receive();
        check_received(count);
        if constexpr (runs)
            read(static_cast<std::uint32_t>(count));
        else
            while (count-- > 0) read();
    }

    // Nothing at the end of the stream.
    [[gnu::always_inline]] std::optional<Message> receive() {
        const auto call = begin_receive();
        return take(next_message());
    }
    // Nothing also if there is no message now. ended() tells which.
    std::optional<Message> try_receive() {
        const auto call = begin_receive();
        return take(find_message_now());
    }

    // The end that the receiver has come to is acknowledged: then another stream may follow, once the sender's close()
    // has returned.
    void reopen() {
        const auto call = mark_receive();
        sender_[0].caller.begin_anew();
        if constexpr (requires { slots_.pass_end(receiver_[0]); }) slots_.pass_end(receiver_[0]);
        read();
        give_acks();
    }

    // Whether the receiver has come to the end of the stream.
    bool ended() const { return may_receive(detail::acquire_load{}) && slots_.at_end(receiver_[0]); }

    // Whether receive_in_place() would not wait.
    template <class Load>
    bool may_receive(Load load) const {
        return slots_.has_ready(receiver_[0], load);
    }
    // The same as a flag to look at, for a receiver from many channels: see pending_flags.hpp. Valid until the next
    // set_ack().
    static constexpr bool has_next_flag =
        requires(const storage& slots, const typename storage::receiver_state& side) { slots.next_flag(side); };
    auto next_flag() const
        requires has_next_flag
    {
        return slots_.next_flag(receiver_[0]);
    }
    // The message that may_receive(detail::acquire_load{}) has found; null at the end of the stream.
    Message* front() {
        receiver_state& side = receiver_[0];
        if (slots_.at_end(side)) return nullptr;
        slots_.lines().taken(slots_.own_lines(side), storage::own_size);
        return &slots_.message(side);
    }
    // Tells the sender of every slot that is free by now. A receiver that waits elsewhere than in this channel calls it
    // before.
    void flush_acks() {
        const auto call = mark_receive();
        give_acks();
    }

private:
    friend class detail::timed_sending<channel, Message>;
    friend class detail::timed_receiving<channel, Message>;
    static constexpr bool receivers_leave = Policies::receivers_leave;
    static_assert(
        !receivers_leave || !requires { wait_policy::wakes_by_network; },
        "who sleeps until the network brings an event is not woken by a receiver that leaves");

    using caller_check = detail::caller_check<Policies>;

    struct sender_state : storage::sender_state {
        bool fills = false;  // the free slot was handed out, and may be half written
        [[no_unique_address]] caller_check caller;
    };
    struct receiver_state : storage::receiver_state {
        [[no_unique_address]] caller_check caller;
    };
    // Whether these slots tell how many of them lie side by side.
    static constexpr bool runs = requires(storage& slots, sender_state& side) { slots.free_run(side); };
    using sender_lines = decltype(std::declval<const home&>().of_sender());
    using receiver_lines = decltype(std::declval<const home&>().of_receiver());

    channel(std::size_t degree, home where, detail::ends cores, wait_policy* sender, wait_policy* receiver)
        : slots_(checked(degree), where, cores),
          to_sender_(sender),
          to_receiver_(receiver),
          left_(where),
          sender_(1, where.of_sender()),
          receiver_(1, where.of_receiver()) {
        if (!to_sender_) to_sender_ = (own_sender_ = std::make_unique<wait_policy>()).get();
        if (!to_receiver_) to_receiver_ = (own_receiver_ = std::make_unique<wait_policy>()).get();
        slots_.begin(sender_[0]);
        slots_.begin(receiver_[0]);
    }
    // Calls are marked while they last (one_caller.hpp). But where one look tells of several slots, a mark would cost a
    // fifth of a call that need not look. There only looking and waiting are marked; if a message fills a line, each
    // call looks, and only waiting is. A thread that looks or waits leaves nothing known. So another one has to look,
    // too, and finds the mark.
    static constexpr bool knows_ahead =
        caller_check::asserts && requires(storage& slots, sender_state& side) { slots.knows_room(side); };
    static constexpr bool marks_looks = knows_ahead && [] {
        if constexpr (knows_ahead)
            return storage::per_line > 1;
        else
            return false;
    }();
    [[gnu::always_inline]] auto mark_send() { return sender_[0].caller.begin(detail::of_sender); }
    [[gnu::always_inline]] auto mark_receive() { return receiver_[0].caller.begin(detail::of_receiver); }
    [[gnu::always_inline]] auto begin_send() {
        if constexpr (knows_ahead)
            return typename caller_check::no_call();
        else
            return mark_send();
    }
    [[gnu::always_inline]] auto begin_receive() {
        if constexpr (knows_ahead)
            return typename caller_check::no_call();
        else
            return mark_receive();
    }
    // Whether the slot that is published was handed out.
    [[gnu::always_inline]] void check_acquired() {
        if constexpr (caller_check::asserts)
            port::check_use([this] { return sender_[0].fills || (knows_ahead && (mark_send(), false)); },
                            "croft::channel: publish() without an acquire()");
    }
    // The same for so many messages that were not acknowledged. (Behind the last call, or while another thread is in
    // one, that is the misuse.)
    [[gnu::always_inline]] void check_received(std::size_t count) {
        if constexpr (caller_check::asserts)
            port::check_use(
                [&, this] {
                    const receiver_state& side = receiver_[0];
                    if constexpr (knows_ahead)
                        return (count == 1 ? slots_.knows_message(side)
                                           : count > 0 && count <= slots_.ready_run(side)) ||
                               (mark_receive(), false);
                    else
                        return count > 0 && slots_.has_ready(side, detail::relaxed_load{}) && !slots_.at_end(side);
                },
                "croft::channel: set_ack() of no message, or of more than were received");
    }
    static std::size_t checked(std::size_t degree) {
        if (degree == 0) throw std::invalid_argument("croft::channel: a channel needs at least one slot");
        return degree;
    }

    // A message that need not be waited for takes a dozen instructions. These are inlined into the caller
    // (always_inline); waiting is kept out of line.
    [[gnu::always_inline]] void find_room() {
        if constexpr (knows_ahead) {
            if (slots_.knows_room(sender_[0])) return;
            const auto look = sender_[0].caller.template begin<marks_looks>(detail::of_sender);
            if constexpr (marks_looks)
                await_ack();
            else if (!may_send(detail::acquire_load{}))
                await_ack_marked();
        } else {
            await_ack();
        }
    }
    [[gnu::noinline]] void await_ack_marked() {
        const auto call = mark_send();
        await_ack();
    }
    [[gnu::always_inline]] bool finds_room() {
        if constexpr (knows_ahead) {
            if (slots_.knows_room(sender_[0])) return true;
            const auto look = sender_[0].caller.template begin<marks_looks>(detail::of_sender);
            return has_room();
        } else {
            return has_room();
        }
    }
    [[gnu::always_inline]] void await_ack() {
        while (!may_send(detail::acquire_load{})) wait_for_ack();
    }
    [[gnu::noinline]] void wait_for_ack() {
        refuse_if_left();
        wait_for_room();
    }
    void wait_for_room() {
        to_sender_->wait([this](auto load) { return this->may_send(load) || this->has_left(load); });
    }
    bool has_room() {
        if (may_send(detail::acquire_load{})) [[likely]]
            return true;
        refuse_if_left();
        return false;
    }
    template <class End>
    bool await_room(const End& end) {
        const auto call = mark_send();
        while (!has_room())
            if (!waits::wait_until(
                    *to_sender_, [this](auto load) { return this->may_send(load) || this->has_left(load); }, end))
                return has_room();
        return true;
    }
    void refuse_if_left() const {
        if (disconnected()) [[unlikely]]
            throw croft::disconnected("croft::channel: the receiver has left, and there is no room");
    }
    [[gnu::always_inline]] Message* next_message() {
        if constexpr (knows_ahead) {
            if (slots_.knows_message(receiver_[0])) return front();
            const auto look = receiver_[0].caller.template begin<marks_looks>(detail::of_receiver);
            if constexpr (marks_looks)
                await_message();
            else if (!may_receive(detail::acquire_load{}))
                await_message_marked();
        } else {
            await_message();
        }
        return front();
    }
    [[gnu::noinline]] void await_message_marked() {
        const auto call = mark_receive();
        await_message();
    }
    [[gnu::always_inline]] void await_message() {
        while (!may_receive(detail::acquire_load{})) await_ready();
    }
    [[gnu::always_inline]] Message* find_message_now() {
        if constexpr (knows_ahead) {
            if (slots_.knows_message(receiver_[0])) return front();
            const auto look = receiver_[0].caller.template begin<marks_looks>(detail::of_receiver);
            return message_now();
        } else {
            return message_now();
        }
    }
    Message* message_now() {
        if (may_receive(detail::acquire_load{})) return front();
        give_acks();
        return nullptr;
    }
    void give_acks() {
        if (slots_.flush_acks(receiver_[0])) to_sender_->notify();
    }
    [[gnu::noinline]] void await_ready() {
        give_acks();
        to_receiver_->wait([this](auto load) { return this->may_receive(load); });
    }
    template <class End>
    Message* await_message(const End& end) {
        const auto call = mark_receive();
        while (!may_receive(detail::acquire_load{})) {
            give_acks();
            if (!waits::wait_until(*to_receiver_, [this](auto load) { return this->may_receive(load); }, end))
                return message_now();
        }
        return front();
    }
    Message& free_slot() {
        sender_state& side = sender_[0];
        if (!side.fills) take_slot(side);
        side.fills = true;
        return slots_.message(side);
    }
    void take_slot(sender_state& side) {
        slots_.lines().taken(slots_.own_lines(side), storage::own_size);
        if constexpr (std::is_trivially_copyable_v<Message>)
            slots_.lines().before_write(slots_.own_lines(side), storage::own_size);
    }
    [[gnu::always_inline]] void write(Message&& message) {
        sender_state& side = sender_[0];
        take_slot(side);
        slots_.lines().write(slots_.message(side), std::move(message));
        written();
    }
    // The message in this side's slot, or `count` of them from there on.
    template <class... Count>
    [[gnu::always_inline]] void written(Count... count) {
        sender_state& side = sender_[0];
        slots_.lines().after_write(slots_.own_lines(side), storage::own_size);
        if (port::waits_on_lines || side.fills) side.fills = false;  // natively a store for each message counts
        slots_.set_ready(side, detail::announcement::message, count...);
        to_receiver_->notify();
    }
    template <class... Count>
    [[gnu::always_inline]] void read(Count... count) {
        receiver_state& side = receiver_[0];
        slots_.lines().after_read(slots_.own_lines(side), storage::own_size);
        if (slots_.set_ack(side, count...)) to_sender_->notify();
    }
    std::optional<Message> take(Message* slot) {
        if (!slot) return std::nullopt;
        if constexpr (std::is_nothrow_move_constructible_v<Message>)
            return std::optional<Message>(std::in_place, moved_out(slot));
        else
            return detail::taken(*slot, [this] { read(); });
    }
    // By itself, and inlined. Otherwise compilers build the optional in memory, piece by piece, and at once load it
    // whole. Natively that takes four times as long as all the rest.
    [[gnu::always_inline]] auto moved_out(Message* slot) {
        Message message(std::move(*slot));
        read();
        return message;
    }

    // Read by both sides, written by neither.
    alignas(port::cache_line) storage slots_;
    wait_policy* to_sender_;
    wait_policy* to_receiver_;
    std::unique_ptr<wait_policy> own_sender_, own_receiver_;
    // Written once, and looked at by a sender without room.
    [[no_unique_address]] detail::left_word<Policies> left_;
    // Each side's own, in lines of its own, or every step of a side would be a store to somewhere far.
    detail::line_array<sender_state, sender_lines> sender_;
    detail::line_array<receiver_state, receiver_lines> receiver_;
};

}  // namespace croft
