#pragma once
// A channel between two processes over a link that carries frames. channel.hpp says what it promises, and which link
// there is by a kind's name. The link here is known when the program is compiled.
//
// Siblings: many_to_one.hpp, request_reply.hpp.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <croft/channel/disconnected.hpp>
#include <croft/channel/one_caller.hpp>
#include <croft/channel/timed.hpp>
#include <croft/mpi/channel_options.hpp>
#include <croft/mpi/error.hpp>
#include <croft/mpi/frame_link.hpp>
#include <croft/mpi/frame_reader.hpp>
#include <croft/mpi/frame_writer.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/port/misuse.hpp>

namespace croft::mpi {

namespace detail {

// The bytes that a frame has to have for a `Message`; 1 if it goes in pieces. And what both sides compare.
template <class Message>
inline constexpr std::size_t least_frame = std::is_trivially_copyable_v<Message> ? sizeof(Message) : 1;
template <class Message>
inline constexpr std::size_t element_of = std::is_trivially_copyable_v<Message> ? sizeof(Message) : 0;

inline std::string at_rank(const processes& group) {
    return "croft::mpi: at rank " + std::to_string(group.rank()) + ": ";
}

// Throws `error`, at this process's rank, if the options are nothing to make a channel with.
inline frame_options checked(const processes& group, int peer, const channel_options& options, std::size_t least,
                             std::size_t element, direction way) {
    const auto refuse = [&](const std::string& why) { throw error(at_rank(group) + why, group.rank()); };
    if (peer == group.rank()) refuse("a channel has two ends in two processes, and this one would be both");
    if (options.degree == 0) refuse("a channel needs at least one frame");
    frame_options found{options.frame_bytes, options.degree, way, element};
    if (found.bytes == 0) found.bytes = std::max(frame_options{}.bytes, least);
    if (found.bytes < least)
        refuse("a message takes " + std::to_string(least) + " bytes, and the frames that were asked for " +
               std::to_string(found.bytes));
    if (found.bytes > static_cast<std::size_t>(std::numeric_limits<int>::max()) - port::cache_line)
        refuse("a frame of " + std::to_string(found.bytes) + " bytes is more than MPI counts");
    return found;
}

struct end_of {
    int peer;
    direction way;
};
inline end_of end_between(const processes& group, int sender, int receiver) {
    for (const int rank : {sender, receiver})
        if (rank < 0 || rank >= group.size())
            throw error(at_rank(group) + "there is no rank " + std::to_string(rank) + " in a group of " +
                            std::to_string(group.size()),
                        group.rank());
    if (group.rank() != sender && group.rank() != receiver)
        throw error(at_rank(group) + "this process is neither end of a channel from rank " + std::to_string(sender) +
                        " to rank " + std::to_string(receiver),
                    group.rank());
    return group.rank() == sender ? end_of{receiver, direction::out} : end_of{sender, direction::in};
}

// A waiter that was handed, or one's own.
inline waiter* given(waiter* one, std::unique_ptr<waiter>& own) {
    return one ? one : (own = std::make_unique<waiter>()).get();
}

inline int tag_of(const processes& group, int peer, const channel_options& options) {
    return options.tag ? options.tag : group.next_tag_with(peer);
}

}  // namespace detail

template <class Message, class Link = frame_link>
class framed_channel : public croft::detail::timed_sending<framed_channel<Message, Link>, Message>,
                       public croft::detail::timed_receiving<framed_channel<Message, Link>, Message> {
public:
    using message_type = Message;

    framed_channel(const processes& group, int sender, int receiver, const channel_options& options = {})
        : framed_channel(group, detail::end_between(group, sender, receiver), options) {}
    ~framed_channel() { caller_.destroy(writer_ ? croft::detail::of_sender : croft::detail::of_receiver); }
    framed_channel(const framed_channel&) = delete;
    framed_channel& operator=(const framed_channel&) = delete;

    int peer() const { return link_.peer(); }
    mpi::waiter& sender_waiter() { return *waiter_; }
    mpi::waiter& receiver_waiter() { return *waiter_; }

    // ---- the sender's side ----

    Message& acquire() {
        const auto call = begin_send();
        await_room();
        return writer_->next();
    }
    Message* try_acquire() {
        const auto call = begin_send();
        return room_now() ? &writer_->next() : nullptr;
    }
    void publish() {
        const auto call = begin_send();
        writer_->written();
        if (!writer_->write_rest()) [[unlikely]]
            await_rest();
    }
    [[gnu::always_inline]] void send(const Message& message) {
        const auto call = begin_send();
        if (!writer_->has_room()) [[unlikely]]
            await_room();
        writer_->write(message);
        if (!writer_->write_rest()) [[unlikely]]
            await_rest();
    }
    bool try_send(const Message& message) {
        const auto call = begin_send();
        if (!room_now()) return false;
        writer_->write(message);
        return true;
    }
    template <std::input_iterator First, std::sentinel_for<First> Last>
    void send(First first, Last last) {
        const auto call = begin_send();
        while (first != last) {
            await_room();
            writer_->write_some(first, last);
        }
        await_rest();
    }
    // Sends all messages now, as far as there is room.
    void flush() {
        const auto call = begin_send();
        writer_->flush();
    }
    void close() {
        auto call = begin_send();
        writer_->flush();
        while (!writer_->has_room()) {
            if (has_left()) return call.finish();
            wait_for_room();
        }
        call.finish();
        writer_->flush();
        while (!writer_->has_room()) {
            if (has_left()) return;
            wait_for_room();
        }
        writer_->end();
    }
    bool disconnected() {
        link_.progress();
        return has_left();
    }
    template <class Load>
    bool may_send(Load) {
        return writer_->has_room();
    }

    // ---- the receiver's side ----

    [[gnu::always_inline]] Message* receive_in_place() {
        const auto call = begin_receive();
        return next_message();
    }
    Message* try_receive_in_place() {
        const auto call = begin_receive();
        return look() ? front() : nullptr;
    }
    [[gnu::always_inline]] void set_ack() { set_ack(1); }
    std::span<Message> receive_some_in_place() {
        const auto call = begin_receive();
        return next_message() ? reader_->front() : std::span<Message>();
    }
    [[gnu::always_inline]] void set_ack(std::size_t count) {
        const auto call = begin_receive();
        port::check_use([&] { return count > 0 && count <= reader_->front().size(); },
                        "croft::channel: set_ack() of no message, or of more than were received");
        reader_->pass(count);
    }
    [[gnu::always_inline]] std::optional<Message> receive() {
        const auto call = begin_receive();
        return take(next_message());
    }
    std::optional<Message> try_receive() {
        const auto call = begin_receive();
        return take(look() ? front() : nullptr);
    }
    void leave() {
        auto call = begin_receive();
        call.finish();
        link_.signal(signal_of_leaving);
    }
    bool ended() { return look() && reader_->ended(); }
    void flush_acks() {}  // the peer is told of room in time
    template <class Load>
    bool may_receive(Load) {
        return look();
    }

    // Lets MPI get on, and sends messages that have gathered long enough. By either side, of its thread.
    void progress() {
        link_.progress();
        if (writer_) writer_->progress();
    }

private:
    friend class croft::detail::timed_sending<framed_channel, Message>;
    friend class croft::detail::timed_receiving<framed_channel, Message>;
    template <class>
    friend class channel;
    framed_channel(const processes& group, detail::end_of end, const channel_options& options)
        : waiter_(
              detail::given(end.way == direction::out ? options.sender_waiter : options.receiver_waiter, own_waiter_)),
          naps_(*waiter_),
          options_(detail::checked(group, end.peer, options, detail::least_frame<Message>, detail::element_of<Message>,
                                   end.way)),
          link_(group, end.peer, detail::tag_of(group, end.peer, options), options_) {
        if (end.way == direction::out)
            writer_.emplace(link_, options.gather);
        else
            reader_.emplace(link_);
    }

    [[gnu::always_inline]] auto begin_send() {
        port::check_use(writer_.has_value(), "croft::mpi::channel: the receiver's process sends");
        return caller_.begin(croft::detail::of_sender);
    }
    [[gnu::always_inline]] auto begin_receive() {
        port::check_use(reader_.has_value(), "croft::mpi::channel: the sender's process receives");
        return caller_.begin(croft::detail::of_receiver);
    }
    bool has_left() const { return link_.signalled() == signal_of_leaving || link_.peer_has_gone(); }
    // Whether there is a message, or the end. Throws `error` if neither will ever be.
    [[gnu::always_inline]] bool look() {
        if (reader_->look()) [[likely]]
            return true;
        refuse_if_gone();
        return false;
    }
    [[gnu::noinline]] void refuse_if_gone() {
        if (link_.peer_has_gone()) [[unlikely]]
            throw error(
                "croft::mpi: rank " + std::to_string(peer()) + " has destroyed its end of a channel without close()",
                peer());
    }
    bool room_now() {
        if (writer_->has_room()) return true;
        refuse_if_left();
        return false;
    }
    void await_room() {
        while (!writer_->has_room()) {
            refuse_if_left();
            wait_for_room();
        }
    }
    // Waits until the rest of a message that goes in pieces has left.
    [[gnu::noinline]] void await_rest() {
        while (!writer_->write_rest()) {
            refuse_if_left();
            waiter_->wait([this](auto) { return writer_->write_rest() || has_left(); });
        }
    }
    void wait_for_room() {
        waiter_->wait([this](auto) { return writer_->has_room() || has_left(); });
    }
    void refuse_if_left() const {
        if (has_left()) [[unlikely]]
            throw croft::disconnected("croft::mpi::channel: the receiver has left, and there is no room");
    }
    template <class End>
    bool await_room(const End& end) {
        const auto call = begin_send();
        while (!room_now())
            if (!waits::wait_until(*waiter_, [this](auto) { return writer_->has_room() || has_left(); }, end))
                return room_now();
        return true;
    }
    Message& free_slot() { return writer_->next(); }

    bool has_more_of_frame() const { return !reader_->at_last_of_frame(); }
    Message* front() { return reader_->ended() ? nullptr : reader_->front().data(); }
    [[gnu::always_inline]] Message* next_message() {
        while (!look()) await_message();
        return front();
    }
    [[gnu::noinline]] void await_message() {
        waiter_->wait([this](auto) { return look(); });
    }
    template <class End>
    Message* await_message(const End& end) {
        const auto call = begin_receive();
        while (!look())
            if (!waits::wait_until(*waiter_, [this](auto) { return look(); }, end)) return look() ? front() : nullptr;
        return front();
    }
    [[gnu::always_inline]] std::optional<Message> take(Message* slot) {
        if (!slot) return std::nullopt;
        return std::optional<Message>(std::in_place, moved_out(slot));
    }
    [[gnu::always_inline]] Message moved_out(Message* slot) {
        Message message(std::move(*slot));
        reader_->pass(1);
        return message;
    }

    std::unique_ptr<mpi::waiter> own_waiter_;
    mpi::waiter* waiter_;
    detail::naps_for naps_;
    frame_options options_;
    Link link_;
    std::optional<frame_writer<Message, Link>> writer_;
    std::optional<frame_reader<Message, Link>> reader_;
    [[no_unique_address]] croft::detail::one_caller caller_;
};

}  // namespace croft::mpi
