#pragma once
// One side of a channel in shared memory, with the calls that mpi::channel has (channel.hpp). It is to shared memory
// what framed_channel.hpp is to frames. A message goes from the sender's slot to the receiver as between two threads.
// MPI has no part in it once the two have met.
//
// K counts messages, not frames, so nothing gathers, and flush() has nothing to do.

#include <concepts>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <croft/channel/channel.hpp>
#include <croft/channel/flag.hpp>
#include <croft/mpi/channel_options.hpp>
#include <croft/mpi/framed_channel.hpp>
#include <croft/mpi/policies.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/mpi/shared_end.hpp>
#include <croft/port/misuse.hpp>

namespace croft::mpi {

template <class Message>
class shared_side {
    static_assert(std::is_trivially_copyable_v<Message>);
    using channel_type = croft::channel<Message, shared_policies>;

public:
    shared_side(const processes& group, int sender, int receiver, const channel_options& options)
        : end_(group, detail::end_between(group, sender, receiver), options, detail::least_frame<Message>,
               detail::element_of<Message>, std::size_t{options.degree}) {}

    int peer() const { return end_.peer(); }
    mpi::waiter& sender_waiter() { return end_.own(); }
    mpi::waiter& receiver_waiter() { return end_.own(); }

    // ---- the sender's side ----

    Message& acquire() { return to().acquire(); }
    Message* try_acquire() {
        channel_type* const to = to_now();
        return to ? to->try_acquire() : nullptr;
    }
    void publish() { to().publish(); }
    [[gnu::always_inline]] void send(const Message& message) { to().send(message); }
    bool try_send(const Message& message) {
        channel_type* const to = to_now();
        return to && to->try_send(message);
    }
    template <std::input_iterator First, std::sentinel_for<First> Last>
    void send(First first, Last last) {
        to().send(std::move(first), std::move(last));
    }
    void flush() {}
    void close() { to().close(); }
    bool disconnected() {
        channel_type* const to = to_now();
        return to && to->disconnected();
    }
    template <class Load>
    bool may_send(Load load) {
        channel_type* const to = to_now();
        return to && to->may_send(load);
    }

    // ---- the receiver's side ----

    [[gnu::always_inline]] Message* receive_in_place() { return from().receive_in_place(); }
    Message* try_receive_in_place() {
        channel_type* const from = from_now();
        return from ? from->try_receive_in_place() : nullptr;
    }
    std::span<Message> receive_some_in_place() { return from().receive_some_in_place(); }
    [[gnu::always_inline]] void set_ack(std::size_t count) { from().set_ack(count); }
    [[gnu::always_inline]] std::optional<Message> receive() { return from().receive(); }
    std::optional<Message> try_receive() {
        channel_type* const from = from_now();
        return from ? from->try_receive() : std::nullopt;
    }
    void leave() {
        check_receives();
        end_.now();
        end_.leave();
    }
    bool ended() {
        channel_type* const from = from_now();
        return from && from->ended();
    }
    template <class Load>
    bool may_receive(Load load) {
        channel_type* const from = from_now();
        return from && from->may_receive(load);
    }
    void flush_acks() {
        if (channel_type* const from = from_now()) from->flush_acks();
    }

    void progress() { end_.now(); }

    // ---- for mpi::channel: see framed_channel.hpp ----

    bool has_more_of_frame() const { return false; }  // so who takes from many takes turns by messages
    template <class End>
    bool await_room(const End& end) {
        check_sends();
        channel_type* const to = end_.get_by(end);
        return to && to->acquire_until(end);
    }
    Message& free_slot() { return to().acquire(); }  // the one that await_room() has acquired
    template <class End>
    Message* await_message(const End& end) {
        check_receives();
        channel_type* const from = end_.get_by(end);
        return from ? from->receive_in_place_until(end) : nullptr;
    }
    std::optional<Message> take(Message* slot) {
        if (!slot) return std::nullopt;
        std::optional<Message> message(std::move(*slot));
        set_ack(1);
        return message;
    }

private:
    void check_sends() const { port::check_use(!end_.is_maker(), "croft::mpi::channel: the receiver's process sends"); }
    void check_receives() const {
        port::check_use(end_.is_maker(), "croft::mpi::channel: the sender's process receives");
    }
    [[gnu::always_inline]] channel_type& to() {
        check_sends();
        return end_.get();
    }
    channel_type* to_now() {
        check_sends();
        return end_.now();
    }
    [[gnu::always_inline]] channel_type& from() {
        check_receives();
        return end_.get();
    }
    channel_type* from_now() {
        check_receives();
        return end_.now();
    }

    detail::shared_end<channel_type> end_;
};

}  // namespace croft::mpi
