#pragma once
// A request/reply channel between two processes over one link that carries frames, both ways. request_reply.hpp says
// what it promises, and which link there is by a kind's name. The link here is known when the program is compiled.
//
// A reply tells that the request was read, and the next request that the reply was. So no acknowledgement travels by
// itself as long as that goes on. A reply may be read until the next publish(); a request until its publish_reply().
//
// Siblings: shared_desk.hpp (in shared memory), framed_channel.hpp (one direction).

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>

#include <croft/channel/disconnected.hpp>
#include <croft/channel/timed.hpp>
#include <croft/mpi/channel_options.hpp>
#include <croft/mpi/error.hpp>
#include <croft/mpi/frame_link.hpp>
#include <croft/mpi/frame_reader.hpp>
#include <croft/mpi/frame_writer.hpp>
#include <croft/mpi/framed_channel.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/port/misuse.hpp>

namespace croft::mpi {

template <class Request, class Reply = Request, class Link = frame_link>
class framed_request_reply
    : public croft::detail::timed_receiving<framed_request_reply<Request, Reply, Link>, Request> {
public:
    // By the two processes, with the same options, of which `gather` says nothing here. Throws `error`.
    framed_request_reply(const processes& group, int client, int server, channel_options options = {})
        : framed_request_reply(group, detail::end_between(group, client, server), options) {}
    framed_request_reply(const framed_request_reply&) = delete;
    framed_request_reply& operator=(const framed_request_reply&) = delete;

    int peer() const { return link_.peer(); }
    mpi::waiter& client_waiter() { return *waiter_; }
    mpi::waiter& server_waiter() { return *waiter_; }

    // ---- the client's side ----

    // All that wait throw `disconnected` if there is no reply and the server has left.

    // Waits for the server's reply; drops one that is still owed.
    Reply call(const Request& message) {
        if (is_owed_) await_reply();
        await_room();
        asking().writer.write(message);
        asked();
        return std::move(await_reply());
    }
    template <class Rep, class Period>
    std::optional<Reply> call_for(const Request& message, std::chrono::duration<Rep, Period> time) {
        return call_by(message, croft::detail::deadline_after(time));
    }
    template <class Clock, class Duration>
    std::optional<Reply> call_until(const Request& message, std::chrono::time_point<Clock, Duration> time) {
        return call_by(message, croft::detail::deadline_at(time));
    }
    std::optional<Reply> call_until(const Request& message, const std::stop_token& stop) {
        return call_by(message, stop);
    }
    // To be overwritten, while no request is under way.
    Request& request() {
        await_room();
        return asking().writer.next();
    }
    void publish() {
        port::check_use(!is_owed_, "croft::mpi::request_reply: publish() while a request is under way");
        asking().writer.written();
        asked();
    }
    Reply& await_reply() {
        while (!has_reply()) waiter_->wait([this](auto) { return has_news(); });
        return taken_reply();
    }
    // The same without waiting: null if it has not come.
    Reply* poll_reply() { return has_reply() ? &taken_reply() : nullptr; }
    template <class Rep, class Period>
    Reply* await_reply_for(std::chrono::duration<Rep, Period> time) {
        return reply_by(croft::detail::deadline_after(time));
    }
    template <class Clock, class Duration>
    Reply* await_reply_until(std::chrono::time_point<Clock, Duration> time) {
        return reply_by(croft::detail::deadline_at(time));
    }
    Reply* await_reply_until(const std::stop_token& stop) { return reply_by(stop); }
    bool disconnected() {
        link_.progress();
        return has_left();
    }
    template <class Load>
    bool may_take_reply(Load) {
        return asking().reader.look();
    }
    void close() {
        while (!asking().writer.has_room()) {
            if (has_left()) return;
            wait_for_room(asking().writer);
        }
        asking().writer.end();
    }

    // ---- the server's side ----

    std::optional<Request> receive() { return take(receive_in_place()); }
    std::optional<Request> try_receive() { return take(try_receive_in_place()); }
    // Waits for a request, the server's until it publishes the reply. Null at the end.
    Request* receive_in_place() {
        while (!look()) waiter_->wait([this](auto) { return look(); });
        return front();
    }
    Request* try_receive_in_place() { return look() ? front() : nullptr; }
    bool ended() { return look() && serving().reader.ended(); }
    template <class Load>
    bool may_receive(Load) {
        return look();
    }
    void reply(const Reply& message) {
        await_room(serving().writer);
        serving().writer.write(message);
        replied();
    }
    // To be overwritten, from a request on to its publish_reply().
    Reply& reply() {
        await_room(serving().writer);
        return serving().writer.next();
    }
    void publish_reply() {
        serving().writer.written();
        replied();
    }
    void leave() { link_.signal(signal_of_leaving); }
    void flush_acks() {}

    void progress() { link_.progress(); }

private:
    friend class croft::detail::timed_receiving<framed_request_reply, Request>;
    template <class, class>
    friend class request_reply;

    template <class Out, class In>
    struct side {
        explicit side(Link& link) : writer(link, std::chrono::nanoseconds{0}), reader(link) {}
        frame_writer<Out, Link> writer;
        frame_reader<In, Link> reader;
    };
    using client_side = side<Request, Reply>;
    using server_side = side<Reply, Request>;

    framed_request_reply(const processes& group, detail::end_of end, const channel_options& options)
        : waiter_(
              detail::given(end.way == direction::out ? options.sender_waiter : options.receiver_waiter, own_waiter_)),
          naps_(*waiter_),
          link_(group, end.peer, detail::tag_of(group, end.peer, options),
                detail::checked(
                    group, end.peer, options, std::max(detail::least_frame<Request>, detail::least_frame<Reply>),
                    std::uint64_t{detail::element_of<Request>} << 32 | detail::element_of<Reply>, direction::both)) {
        if (end.way == direction::out)
            side_.template emplace<1>(link_);
        else
            side_.template emplace<2>(link_);
    }
    client_side& asking() { return *std::get_if<1>(&side_); }
    server_side& serving() { return *std::get_if<2>(&side_); }
    bool has_left() const { return link_.signalled() == signal_of_leaving || link_.peer_has_gone(); }
    void refuse_if_left() const {
        if (has_left()) [[unlikely]]
            throw croft::disconnected("croft::mpi::request_reply: the server has left, and there is no reply");
    }

    template <class Writer>
    void wait_for_room(Writer& writer) {
        waiter_->wait([&](auto) { return writer.has_room() || has_left(); });
    }
    template <class Writer>
    void await_room(Writer& writer) {
        while (!writer.has_room()) {
            refuse_if_left();
            wait_for_room(writer);
        }
    }
    template <class Writer>
    void await_rest(Writer& writer) {
        while (!writer.write_rest()) {
            refuse_if_left();
            waiter_->wait([&](auto) { return writer.write_rest() || has_left(); });
        }
    }
    void await_room() {
        if (std::exchange(holds_, false)) asking().reader.pass(1);
        await_room(asking().writer);
    }
    void asked() {
        await_rest(asking().writer);
        is_owed_ = true;
    }
    bool has_reply() {
        if (holds_ || asking().reader.look()) return true;
        refuse_if_left();
        return false;
    }
    bool has_news() { return asking().reader.look() || has_left(); }
    Reply& taken_reply() {
        holds_ = true;
        is_owed_ = false;
        return asking().reader.front().front();
    }
    template <class End>
    Reply* reply_by(const End& end) {
        while (!has_reply())
            if (!waits::wait_until(*waiter_, [this](auto) { return has_news(); }, end)) return poll_reply();
        return &taken_reply();
    }
    template <class End>
    std::optional<Reply> call_by(const Request& message, const End& end) {
        if (is_owed_ && !reply_by(end)) return std::nullopt;
        await_room();
        asking().writer.write(message);
        asked();
        Reply* const reply = reply_by(end);
        return reply ? std::optional<Reply>(std::move(*reply)) : std::nullopt;
    }

    bool look() {
        if (is_read_) return false;  // it has not been replied to
        if (serving().reader.look()) return true;
        if (link_.peer_has_gone())
            throw error("croft::mpi: rank " + std::to_string(peer()) + " has destroyed its end without close()",
                        peer());
        return false;
    }
    Request* front() { return serving().reader.ended() ? nullptr : serving().reader.front().data(); }
    void replied() {
        await_rest(serving().writer);
        if (!std::exchange(is_read_, false)) serving().reader.pass(1);
    }
    template <class End>
    Request* await_message(const End& end) {
        while (!look())
            if (!waits::wait_until(*waiter_, [this](auto) { return look(); }, end)) return try_receive_in_place();
        return front();
    }
    // Moved out, so that its frame can go back before the reply.
    std::optional<Request> take(Request* message) {
        if (!message) return std::nullopt;
        std::optional<Request> found(std::move(*message));
        serving().reader.pass(1);
        is_read_ = true;
        return found;
    }

    std::unique_ptr<mpi::waiter> own_waiter_;
    mpi::waiter* waiter_;
    detail::naps_for naps_;
    Link link_;
    std::variant<std::monostate, client_side, server_side> side_;  // which may be of one type
    bool is_owed_ = false;                                         // the client: a reply, to a request that was made
    bool holds_ = false;                                           // the client: a reply, in its frame
    bool is_read_ = false;                                         // the server: a request, which it has moved out
};

}  // namespace croft::mpi
