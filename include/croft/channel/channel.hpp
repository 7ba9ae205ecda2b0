#pragma once
// The symmetric channel: one sender, one receiver, K slots used round-robin (paper 000, figure 8; 001, figure 7).
// First in, first out; nothing is lost or duplicated. K >= 1, the asynchrony degree, is how many messages the sender
// may be ahead; beyond that it waits, so a slow receiver holds its sender back.
//
// By value: send, try_send; receive, try_receive. Move-only messages are moved.
// In place, without a copy on either side: the sender builds the message in the slot that acquire() hands out and then
// calls publish(); the receiver reads it in the slot that receive_in_place() hands out and then calls set_ack()
// (paper 000, 6.1).
// Many at a time: send(first, last); receive_some_in_place() and set_ack(count).
// The end: after close() the receiver gets the messages still under way, and then "no message" for ever. The end is
// part of the ready event, so it takes no value away from the messages.
//
// Siblings: many_to_one.hpp (N senders, one receiver), one_to_many.hpp (one sender, N receivers).
//
// A message type has to be default-initialisable and, for the calls by value, movable. Its objects live in the slots as
// long as the channel, so that one sent in place keeps what it owns (the capacity of a vector, say).
//
// One thread at a time is the sender and one the receiver. Both have to be done with their calls, not just with the
// messages, before the channel is destroyed.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <croft/channel/policies.hpp>
#include <croft/port/port.hpp>

namespace croft {

template <class Message, class Policies = policies>
class channel {
    static_assert(std::is_default_constructible_v<Message>, "a message lives in its slot before it is first sent");
    using wait_policy = typename Policies::wait;
    using home = typename Policies::home;
    using storage = typename Policies::events::template storage<Message, Policies>;

public:
    using message_type = Message;

    // `degree` is K. A thread that waits at several channels hands each of them its own waiter; a side that gets none
    // waits with one that the channel has. Throws std::invalid_argument for a degree of 0, std::bad_alloc.
    explicit channel(std::size_t degree, home where = {}, wait_policy* sender = nullptr,
                     wait_policy* receiver = nullptr)
        : slots_(checked(degree), where), to_sender_(sender), to_receiver_(receiver) {
        if (!to_sender_) to_sender_ = (own_sender_ = std::make_unique<wait_policy>()).get();
        if (!to_receiver_) to_receiver_ = (own_receiver_ = std::make_unique<wait_policy>()).get();
    }
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;

    // What each side waits with.
    wait_policy& sender_waiter() { return *to_sender_; }
    wait_policy& receiver_waiter() { return *to_receiver_; }

    // ---- the sender's side ----

    // Waits for a free slot and gives its message to be overwritten; until publish(), the same one again.
    Message& acquire() {
        await_ack();
        return free_slot();
    }
    // The same without waiting: null if there is no free slot.
    Message* try_acquire() { return may_send(acquire_load{}) ? &free_slot() : nullptr; }

    // The message in the slot last acquired is complete.
    void publish() {
        slots_.homes().after_write(&slots_.message(sender_), sizeof(Message));
        slots_.set_ready(sender_, announcement::message);
        if constexpr (!passive_home) sender_.fills = false;
        to_receiver_->notify();
    }

    [[gnu::always_inline]] void send(Message message) {
        acquire() = std::move(message);
        publish();
    }
    // False, and the message untouched, if there is no free slot.
    bool try_send(Message&& message) {
        Message* slot = try_acquire();
        if (!slot) return false;
        *slot = std::move(message);
        publish();
        return true;
    }
    bool try_send(const Message& message) {
        Message* slot = try_acquire();
        if (!slot) return false;
        *slot = message;
        publish();
        return true;
    }

    // Sends a range, in order, and waits for room as often as it must. Where slots share a line, one event announces
    // all that go into it at once, so this is the fastest way to send many small messages.
    template <std::input_iterator First, std::sentinel_for<First> Last>
    void send(First first, Last last) {
        while (first != last) {
            await_ack();
            Message* const slots = &free_slot();
            std::uint32_t count = 0;
            for (const std::uint32_t room = free_run(); count < room && first != last; ++first) slots[count++] = *first;
            slots_.homes().after_write(slots, count * sizeof(Message));
            if constexpr (runs)
                slots_.set_ready(sender_, announcement::message, count);
            else
                slots_.set_ready(sender_, announcement::message);
            if constexpr (!passive_home) sender_.fills = false;
            to_receiver_->notify();
        }
    }

    // No message will follow. Waits for a free slot to say so in. Nothing may be sent afterwards.
    void close() {
        await_ack();
        slots_.set_ready(sender_, announcement::end);
        to_receiver_->notify();
    }

    // Whether acquire() would not wait. `load` is how to look: see wait.hpp.
    template <class Load>
    bool may_send(Load load) {
        return slots_.has_ack(sender_, load);
    }

    // ---- the receiver's side ----

    // Waits for a message and gives it, to be read and changed, until set_ack(); until then, the same one again. Null
    // at the end of the stream.
    Message* receive_in_place() {
        while (!may_receive(acquire_load{})) {
            flush_acks();
            to_receiver_->wait([this](auto load) { return this->may_receive(load); });
        }
        return front();
    }
    // The same without waiting: null also if there is no message now. ended() tells which.
    Message* try_receive_in_place() {
        if (may_receive(acquire_load{})) return front();
        flush_acks();
        return nullptr;
    }
    // The message received last may be overwritten.
    void set_ack() {
        slots_.homes().after_read(&slots_.message(receiver_), sizeof(Message));
        if (slots_.set_ack(receiver_)) to_sender_->notify();
    }

    // Waits for a message and gives it together with those that have come after it and lie beside it, one or more; none
    // at the end of the stream. They are acknowledged together, by set_ack(count), or first those in front.
    std::span<Message> receive_some_in_place() {
        Message* const first = receive_in_place();
        if constexpr (runs)
            return {first, first ? slots_.ready_run(receiver_) : 0u};
        else
            return {first, first ? 1u : 0u};
    }
    // The `count` messages received first may be overwritten. At least one, and as many as were received at most.
    void set_ack(std::size_t count) {
        if constexpr (runs) {
            slots_.homes().after_read(&slots_.message(receiver_), count * sizeof(Message));
            if (slots_.set_ack(receiver_, static_cast<std::uint32_t>(count))) to_sender_->notify();
        } else {
            while (count-- > 0) set_ack();
        }
    }

    // Nothing at the end of the stream.
    [[gnu::always_inline]] std::optional<Message> receive() {
        Message* const slot = receive_in_place();
        if (!slot) return std::nullopt;
        return std::optional<Message>(std::in_place, take(slot));
    }
    // Nothing also if there is no message now. ended() tells which.
    [[gnu::always_inline]] std::optional<Message> try_receive() {
        Message* const slot = try_receive_in_place();
        if (!slot) return std::nullopt;
        return std::optional<Message>(std::in_place, take(slot));
    }

    // Whether the receiver has come to the end of the stream.
    bool ended() const { return may_receive(acquire_load{}) && slots_.at_end(receiver_); }

    // Whether receive_in_place() would not wait.
    template <class Load>
    bool may_receive(Load load) const {
        return slots_.has_ready(receiver_, load);
    }
    // Tells the sender of every slot that is free by now; whoever waits elsewhere than in this channel calls it before.
    void flush_acks() {
        if (slots_.flush_acks(receiver_)) to_sender_->notify();
    }

private:
    // Whether the home policy has nothing to do at a hand-over, and so need not be told of each message.
    static constexpr bool passive_home = requires { requires home::is_passive; };
    // Whether these slots tell how many of them lie side by side.
    static constexpr bool runs =
        passive_home && requires(storage& slots, typename storage::sender_state& at) { slots.free_run(at); };

    std::uint32_t free_run() const {
        if constexpr (runs)
            return slots_.free_run(sender_);
        else
            return 1;
    }
    static std::size_t checked(std::size_t degree) {
        if (degree == 0) throw std::invalid_argument("croft::channel: a channel needs at least one slot");
        return degree;
    }
    void await_ack() {
        while (!may_send(acquire_load{})) to_sender_->wait([this](auto load) { return this->may_send(load); });
    }
    Message& free_slot() {
        Message& message = slots_.message(sender_);
        if constexpr (!passive_home) {
            if (!sender_.fills) slots_.homes().before_write(&message, sizeof(Message));
            sender_.fills = true;
        }
        return message;
    }
    Message* front() { return slots_.at_end(receiver_) ? nullptr : &slots_.message(receiver_); }
    // By itself, and inlined, or compilers build the optional in memory, piece by piece, and at once load it whole:
    // that takes four times as long as all the rest.
    [[gnu::always_inline]] auto take(Message* slot) {
        Message message(std::move(*slot));
        set_ack();
        return message;
    }

    // Read by both sides, written by neither.
    alignas(port::cache_line) storage slots_;
    wait_policy* to_sender_;
    wait_policy* to_receiver_;
    std::unique_ptr<wait_policy> own_sender_, own_receiver_;
    // Each side's own.
    struct alignas(port::cache_line) sender_state : storage::sender_state {
        bool fills = false;  // the free slot was handed out, and may be half written
    } sender_;
    alignas(port::cache_line) typename storage::receiver_state receiver_;
};

}  // namespace croft
