#pragma once
// One side of a request/reply channel in shared memory, with the calls that mpi::request_reply has (request_reply.hpp).
// It is to shared memory what framed_request_reply.hpp is to frames. Both messages lie in one place, and each tells
// that the other one was read (channel/request_reply.hpp).

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include <croft/channel/request_reply.hpp>
#include <croft/mpi/channel_options.hpp>
#include <croft/mpi/framed_channel.hpp>
#include <croft/mpi/policies.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/mpi/shared_end.hpp>

namespace croft::mpi {

template <class Request, class Reply>
class shared_desk {
    static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Reply>);
    using channel_type = croft::request_reply<Request, Reply, shared_policies>;

public:
    shared_desk(const processes& group, int client, int server, const channel_options& options)
        : end_(group, detail::end_between(group, client, server), options,
               std::max(detail::least_frame<Request>, detail::least_frame<Reply>),
               std::uint64_t{detail::element_of<Request>} << 32 | detail::element_of<Reply>) {}

    int peer() const { return end_.peer(); }
    mpi::waiter& client_waiter() { return end_.own(); }
    mpi::waiter& server_waiter() { return end_.own(); }

    // ---- the client's side ----

    Reply call(const Request& message) { return end_.get().call(message); }
    template <class End>
    std::optional<Reply> call_by(const Request& message, const End& end) {
        channel_type* const to = end_.get_by(end);
        return to ? to->call_until(message, end) : std::nullopt;
    }
    Request& request() { return end_.get().request(); }
    void publish() { end_.get().publish(); }
    Reply& await_reply() { return end_.get().await_reply(); }
    Reply* poll_reply() {
        channel_type* const to = end_.now();
        return to ? to->poll_reply() : nullptr;
    }
    template <class End>
    Reply* reply_by(const End& end) {
        channel_type* const to = end_.get_by(end);
        return to ? to->await_reply_until(end) : nullptr;
    }
    bool disconnected() {
        channel_type* const to = end_.now();
        return to && to->disconnected();
    }
    template <class Load>
    bool may_take_reply(Load load) {
        channel_type* const to = end_.now();
        return to && to->may_take_reply(load);
    }
    void close() { end_.get().close(); }

    // ---- the server's side ----

    std::optional<Request> receive() { return end_.get().receive(); }
    std::optional<Request> try_receive() {
        channel_type* const from = end_.now();
        return from ? from->try_receive() : std::nullopt;
    }
    Request* receive_in_place() { return end_.get().receive_in_place(); }
    Request* try_receive_in_place() {
        channel_type* const from = end_.now();
        return from ? from->try_receive_in_place() : nullptr;
    }
    bool ended() {
        channel_type* const from = end_.now();
        return from && from->ended();
    }
    template <class Load>
    bool may_receive(Load load) {
        channel_type* const from = end_.now();
        return from && from->may_receive(load);
    }
    void reply(const Reply& message) { end_.get().reply(message); }
    Reply& reply() { return end_.get().reply(); }
    void publish_reply() { end_.get().publish_reply(); }
    void leave() {
        end_.now();
        end_.leave();
    }
    void flush_acks() {}

    void progress() { end_.now(); }

    // ---- for mpi::request_reply ----

    template <class End>
    Request* await_message(const End& end) {
        channel_type* const from = end_.get_by(end);
        return from ? from->receive_in_place_until(end) : nullptr;
    }
    std::optional<Request> take(Request* message) {
        return message ? std::optional<Request>(std::move(*message)) : std::nullopt;
    }

private:
    detail::shared_end<channel_type> end_;
};

}  // namespace croft::mpi
