#pragma once
// The channel between two processes: one sender, one receiver, and the calls and promises of croft::channel
// (channel/channel.hpp), which this page does not say again. First in, first out; nothing is lost or duplicated; by
// value, in place, ranges, timed calls, the end of the stream, leave().
//
//     croft::mpi::channel<int> numbers(group, 0, 1);        // by ranks 0 and 1, and no other
//     if (group.rank() == 0) { numbers.send(7); numbers.close(); }
//     else while (auto number = numbers.receive()) use(*number);
//
// How it differs:
//   - Either process has one end of it, and makes the calls of that side only.
//   - Both choose its kind (channel_options.hpp) by the same rule, from facts that both know. If they are of one node
//     and the message is trivially copyable, it lies in memory that they share. Else it uses messages of MPI's. by()
//     tells. The calls are the same, and so are the promises, except as said here.
//   - A trivially copyable message is read where it has come to, in a slot or a frame. Another message has a codec
//     (codec.hpp), and then may be larger than a frame, and than all K together. try_send() may leave a rest of it,
//     which goes with the calls that follow: flush() until may_send(), or close().
//   - K, the degree, counts messages in shared memory, and frames elsewhere. A frame is one message sent by itself, or
//     as many as fit and were sent together. send(first, last) sends so, and a sender that gathers (frame_writer.hpp,
//     which says when those leave at the latest). receive_some_in_place() gives the messages that have come in one
//     frame, or lie side by side.
//   - In shared memory a message is there when it is sent, and rings whoever sleeps. Elsewhere messages get on while
//     either side calls: MPI needs that. Messages sent before a long computation have left. But room is not heard of,
//     nor do large messages move, before the next call. A thread that waits naps (waiter.hpp), because nobody can ring.
//   - Making it waits for nobody, unless it is of kind `put`. In shared memory, calls that send then wait until the
//     other side is made, and try_send() finds no room before. Elsewhere K frames may be sent before.
//   - If an end is destroyed without close() or leave(), the other side is told. It gets `error`, or `disconnected`,
//     where it would wait for ever. In shared memory a receiver that waits is told within a second or two, and one that
//     asks without waiting is not. If a process has died, it is told there, too (waiter.hpp).
//   - All calls throw `error` where MPI does not get through. They do so too if the two sides were made differently:
//     with other options, messages of another size, both as senders.
//   - Destroyed by both sides, in the same order as others between them if one is of kind `put`.
//
// One thread at a time on either side, like there. MPI has to be initialised for as many threads as call it at once.

#include <concepts>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <croft/channel/timed.hpp>
#include <croft/mpi/channel_options.hpp>
#include <croft/mpi/chosen_way.hpp>
#include <croft/mpi/error.hpp>
#include <croft/mpi/frame_link.hpp>
#include <croft/mpi/framed_channel.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/mpi/put_link.hpp>
#include <croft/mpi/shared_side.hpp>

namespace croft::mpi {

template <class Message>
class many_to_one;

template <class Message>
class channel : public croft::detail::timed_sending<channel<Message>, Message>,
                public croft::detail::timed_receiving<channel<Message>, Message> {
public:
    using message_type = Message;

    // By the two processes, with the same options. Throws `error`, which names the rank.
    channel(const processes& group, int sender, int receiver, const channel_options& options = {})
        : way_(group, sender, receiver, options) {}
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;

    // Which was chosen.
    kind by() const { return way_.by(); }
    int peer() const {
        return on([](auto& way) { return way.peer(); });
    }
    mpi::waiter& sender_waiter() {
        return on([](auto& way) -> mpi::waiter& { return way.sender_waiter(); });
    }
    mpi::waiter& receiver_waiter() {
        return on([](auto& way) -> mpi::waiter& { return way.receiver_waiter(); });
    }

    // ---- the sender's side ----

    Message& acquire() {
        return on([](auto& way) -> Message& { return way.acquire(); });
    }
    Message* try_acquire() {
        return on([](auto& way) { return way.try_acquire(); });
    }
    void publish() {
        on([](auto& way) { way.publish(); });
    }
    [[gnu::always_inline]] void send(const Message& message) {
        on([&](auto& way) __attribute__((always_inline)) { way.send(message); });
    }
    bool try_send(const Message& message) {
        return on([&](auto& way) { return way.try_send(message); });
    }
    template <std::input_iterator First, std::sentinel_for<First> Last>
    void send(First first, Last last) {
        on([&](auto& way) { way.send(std::move(first), std::move(last)); });
    }
    // Messages that gather, and the rest of a message that goes in pieces, leave now, as far as there is room.
    void flush() {
        on([](auto& way) { way.flush(); });
    }
    void close() {
        on([](auto& way) { way.close(); });
    }
    // Looks whether the receiver has left.
    bool disconnected() {
        return on([](auto& way) { return way.disconnected(); });
    }
    template <class Load>
    bool may_send(Load load) {
        return on([&](auto& way) { return way.may_send(load); });
    }

    // ---- the receiver's side ----

    [[gnu::always_inline]] Message* receive_in_place() {
        return on([](auto& way) __attribute__((always_inline)) { return way.receive_in_place(); });
    }
    Message* try_receive_in_place() {
        return on([](auto& way) { return way.try_receive_in_place(); });
    }
    std::span<Message> receive_some_in_place() {
        return on([](auto& way) { return way.receive_some_in_place(); });
    }
    [[gnu::always_inline]] void set_ack(std::size_t count = 1) {
        on([&](auto& way) __attribute__((always_inline)) { way.set_ack(count); });
    }
    [[gnu::always_inline]] std::optional<Message> receive() {
        return on([](auto& way) __attribute__((always_inline)) { return way.receive(); });
    }
    std::optional<Message> try_receive() {
        return on([](auto& way) { return way.try_receive(); });
    }
    void leave() {
        on([](auto& way) { way.leave(); });
    }
    bool ended() {
        return on([](auto& way) { return way.ended(); });
    }
    // Tells the sender of all that is free by now. A receiver that waits elsewhere than in this channel calls it
    // before.
    void flush_acks() {
        on([](auto& way) { way.flush_acks(); });
    }
    // For who waits elsewhere as well, with receiver_waiter(): see channel/wait_any.hpp. `load` says nothing here.
    template <class Load>
    bool may_receive(Load load) {
        return on([&](auto& way) { return way.may_receive(load); });
    }

    // Lets MPI get on, and sends messages that have gathered long enough. Called by either side's thread.
    void progress() {
        on([](auto& way) { way.progress(); });
    }

private:
    template <class>
    friend class many_to_one;
    friend class croft::detail::timed_sending<channel, Message>;
    friend class croft::detail::timed_receiving<channel, Message>;
    template <class Call>
    [[gnu::always_inline]] decltype(auto) on(Call call) {
        return way_.on(std::move(call));
    }
    template <class Call>
    decltype(auto) on(Call call) const {
        return way_.on(std::move(call));
    }

    bool has_more_of_frame() {
        return on([](auto& way) { return way.has_more_of_frame(); });
    }
    template <class End>
    bool await_room(const End& end) {
        return on([&](auto& way) { return way.await_room(end); });
    }
    Message& free_slot() {
        return on([](auto& way) -> Message& { return way.free_slot(); });
    }
    template <class End>
    Message* await_message(const End& end) {
        return on([&](auto& way) { return way.await_message(end); });
    }
    std::optional<Message> take(Message* slot) {
        return on([&](auto& way) { return way.take(slot); });
    }

    detail::chosen_way<std::conditional_t<detail::may_be_shared<Message>, shared_side<Message>, void>,
                       framed_channel<Message, frame_link>, framed_channel<Message, put_link>>
        way_;
};

}  // namespace croft::mpi
