#pragma once
// The request/reply channel between two processes: croft::request_reply's calls (channel/request_reply.hpp), one
// client, one server, one request under way at a time.
//
//     croft::mpi::request_reply<question, answer> desk(group, 1, 0);                   // client 1, server 0
//     answer found = desk.call(question{});                                            // the client
//     while (auto asked = desk.receive()) desk.reply(answer_to(*asked));               // the server
//
// Both choose its kind as channel.hpp says of a channel; both messages have to be trivially copyable for shared memory.
// All that it says of messages, waiting, and ends that go holds here. A reply may be read until the next publish(); a
// request until its publish_reply().

#include <chrono>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <croft/channel/timed.hpp>
#include <croft/mpi/channel_options.hpp>
#include <croft/mpi/chosen_way.hpp>
#include <croft/mpi/frame_link.hpp>
#include <croft/mpi/framed_channel.hpp>
#include <croft/mpi/framed_request_reply.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/mpi/put_link.hpp>
#include <croft/mpi/shared_desk.hpp>

namespace croft::mpi {

template <class Request, class Reply = Request>
class request_reply : public croft::detail::timed_receiving<request_reply<Request, Reply>, Request> {
public:
    // By the two processes, with the same options, of which `gather` says nothing here. Throws `error`.
    request_reply(const processes& group, int client, int server, const channel_options& options = {})
        : way_(group, client, server, options) {}
    request_reply(const request_reply&) = delete;
    request_reply& operator=(const request_reply&) = delete;

    // Which was chosen.
    kind by() const { return way_.by(); }
    int peer() const {
        return way_.on([](const auto& way) { return way.peer(); });
    }
    mpi::waiter& client_waiter() {
        return on([](auto& way) -> mpi::waiter& { return way.client_waiter(); });
    }
    mpi::waiter& server_waiter() {
        return on([](auto& way) -> mpi::waiter& { return way.server_waiter(); });
    }

    // ---- the client's side ----

    // All that wait throw `disconnected` if there is no reply and the server has left.

    // Waits for the server's reply; drops one that is still owed.
    Reply call(const Request& message) {
        return on([&](auto& way) { return way.call(message); });
    }
    template <class Rep, class Period>
    std::optional<Reply> call_for(const Request& message, std::chrono::duration<Rep, Period> time) {
        return call_until(message, croft::detail::deadline_after(time));
    }
    template <class Clock, class Duration>
    std::optional<Reply> call_until(const Request& message, std::chrono::time_point<Clock, Duration> time) {
        return on([&](auto& way) { return way.call_by(message, croft::detail::deadline_at(time)); });
    }
    std::optional<Reply> call_until(const Request& message, const std::stop_token& stop) {
        return on([&](auto& way) { return way.call_by(message, stop); });
    }
    // To be overwritten, while no request is under way.
    Request& request() {
        return on([](auto& way) -> Request& { return way.request(); });
    }
    void publish() {
        on([](auto& way) { way.publish(); });
    }
    Reply& await_reply() {
        return on([](auto& way) -> Reply& { return way.await_reply(); });
    }
    // The same without waiting: null if it has not come.
    Reply* poll_reply() {
        return on([](auto& way) { return way.poll_reply(); });
    }
    template <class Rep, class Period>
    Reply* await_reply_for(std::chrono::duration<Rep, Period> time) {
        return await_reply_until(croft::detail::deadline_after(time));
    }
    template <class Clock, class Duration>
    Reply* await_reply_until(std::chrono::time_point<Clock, Duration> time) {
        return on([&](auto& way) { return way.reply_by(croft::detail::deadline_at(time)); });
    }
    Reply* await_reply_until(const std::stop_token& stop) {
        return on([&](auto& way) { return way.reply_by(stop); });
    }
    bool disconnected() {
        return on([](auto& way) { return way.disconnected(); });
    }
    template <class Load>
    bool may_take_reply(Load load) {
        return on([&](auto& way) { return way.may_take_reply(load); });
    }
    void close() {
        on([](auto& way) { way.close(); });
    }

    // ---- the server's side ----

    std::optional<Request> receive() {
        return on([](auto& way) { return way.receive(); });
    }
    std::optional<Request> try_receive() {
        return on([](auto& way) { return way.try_receive(); });
    }
    // Waits for a request, the server's until it publishes the reply. Null at the end.
    Request* receive_in_place() {
        return on([](auto& way) { return way.receive_in_place(); });
    }
    Request* try_receive_in_place() {
        return on([](auto& way) { return way.try_receive_in_place(); });
    }
    bool ended() {
        return on([](auto& way) { return way.ended(); });
    }
    template <class Load>
    bool may_receive(Load load) {
        return on([&](auto& way) { return way.may_receive(load); });
    }
    void reply(const Reply& message) {
        on([&](auto& way) { way.reply(message); });
    }
    // To be overwritten, from a request on to its publish_reply().
    Reply& reply() {
        return on([](auto& way) -> Reply& { return way.reply(); });
    }
    void publish_reply() {
        on([](auto& way) { way.publish_reply(); });
    }
    void leave() {
        on([](auto& way) { way.leave(); });
    }

    // Lets MPI get on. Called by either side's thread.
    void progress() {
        on([](auto& way) { way.progress(); });
    }

private:
    friend class croft::detail::timed_receiving<request_reply, Request>;
    template <class Call>
    decltype(auto) on(Call call) {
        return way_.on(std::move(call));
    }
    template <class End>
    Request* await_message(const End& end) {
        return on([&](auto& way) { return way.await_message(end); });
    }
    std::optional<Request> take(Request* message) {
        return on([&](auto& way) { return way.take(message); });
    }

    static constexpr bool may_share = detail::may_be_shared<Request> && detail::may_be_shared<Reply>;
    detail::chosen_way<std::conditional_t<may_share, shared_desk<Request, Reply>, void>,
                       framed_request_reply<Request, Reply, frame_link>, framed_request_reply<Request, Reply, put_link>>
        way_;
};

}  // namespace croft::mpi
