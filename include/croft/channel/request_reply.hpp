#pragma once
// The request/reply channel: one client, one server, one request under way at a time, and both directions in one line.
// A hop moves that line once and nothing else; with two channels, one for each direction, it moves two lines in turn.
//
//     Reply reply = channel.call(request);                                             // the client
//     while (auto asked = channel.receive()) channel.reply(answer(*asked));            // the server
//
// In place, without a copy: the client builds the request in request(), calls publish(), and reads what await_reply()
// hands out until the next publish(). The server reads what receive_in_place() hands out, builds the reply in reply(),
// and calls publish_reply(). The client may compute between publish() and await_reply().
// The end: after close() the server gets "no request" for ever. The client closes when no request is under way, or none
// that it still wants a reply to. A server that goes says leave(); a client that then waits gets `croft::disconnected`.
// For a bounded time: call_for, await_reply_for, receive_for, receive_in_place_for, and _until, a time or a stop
// (timed.hpp).
//
// The side whose turn it is owns the whole line, so neither message needs an ack. A reply tells that the request was
// read, and the next request tells that the reply was. Each side writes one word; proof and memory order are
// flag.hpp's.
//
// Siblings: channel.hpp (one direction, many messages under way).

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <croft/channel/disconnected.hpp>
#include <croft/channel/left_word.hpp>
#include <croft/channel/one_caller.hpp>
#include <croft/channel/policies.hpp>
#include <croft/channel/timed.hpp>
#include <croft/memory/line_array.hpp>
#include <croft/port/handing_over.hpp>
#include <croft/port/misuse.hpp>
#include <croft/port/port.hpp>

namespace croft {

template <class Request, class Reply = Request, class Policies = policies>
class request_reply : public detail::timed_receiving<request_reply<Request, Reply, Policies>, Request> {
    static_assert(std::is_default_constructible_v<Request> && std::is_default_constructible_v<Reply>,
                  "croft::request_reply: request and reply need a default constructor, because they live in the "
                  "channel before they are first sent; a std::optional<T> or a std::unique_ptr<T> has one");
    using wait_policy = typename Policies::wait;
    using home = typename Policies::home;
    using word = typename Policies::template atomic<std::uint32_t>;

    using line_kind = decltype(std::declval<const home&>().at(detail::part::message));

    struct alignas(port::cache_line) line {
        word requested{0};  // twice the number of requests made, modulo 2^31, plus one at the end
        word replied{0};    // the number of replies made, modulo 2^31
        Request request;
        Reply reply;
    };
    static constexpr std::uint32_t counts = 0x7fff'ffff;

public:
    // A thread that waits at several channels hands each of them its own waiter. Throws std::bad_alloc.
    // `cores`: the client is the sender, the server the receiver.
    explicit request_reply(detail::ends cores = {}, wait_policy* client = nullptr, wait_policy* server = nullptr)
        : request_reply(home::between(cores), client, server) {}
    // With homes of one's own making. (A template, for which braces are nothing: they are ends.)
    template <std::same_as<home> Home>
    explicit request_reply(Home where, wait_policy* client = nullptr, wait_policy* server = nullptr)
        : line_(1, where.at(detail::part::message)),
          to_client_(client),
          to_server_(server),
          left_(where),
          client_(1, where.of_sender()),
          server_(1, where.of_receiver()) {
        if (!to_client_) to_client_ = (own_client_ = std::make_unique<wait_policy>()).get();
        if (!to_server_) to_server_ = (own_server_ = std::make_unique<wait_policy>()).get();
    }
    ~request_reply() {
        client_[0].caller.destroy(detail::of_client);
        server_[0].caller.destroy(detail::of_server);
    }
    request_reply(const request_reply&) = delete;
    request_reply& operator=(const request_reply&) = delete;

    wait_policy& client_waiter() { return *to_client_; }
    wait_policy& server_waiter() { return *to_server_; }

    // ---- the client's side ----

    // All that wait throw `disconnected` if there is no reply and the server has left.

    // Waits for the server's reply.
    Reply call(Request message) {
        const auto call = begin_call();
        if (is_owed()) [[unlikely]]
            next_reply();
        request() = std::move(message);
        asked();
        return std::move(next_reply());
    }
    // Nothing if the reply has not come in time. Then it is still owed: the next call waits for it before it makes its
    // request (or fails to, in its time). It drops the reply, unless await_reply() gets it before.
    template <class Rep, class Period>
    std::optional<Reply> call_for(Request message, std::chrono::duration<Rep, Period> time) {
        return call_until(std::move(message), detail::deadline_after(time));
    }
    template <class Clock, class Duration>
    std::optional<Reply> call_until(Request message, std::chrono::time_point<Clock, Duration> time) {
        return call_by(std::move(message), detail::deadline_at(time));
    }
    std::optional<Reply> call_until(Request message, const std::stop_token& stop) {
        return call_by(std::move(message), stop);
    }
    // To be overwritten, while no request is under way.
    Request& request() { return line_[0].request; }
    void publish() {
        const auto call = begin_call();
        check_turn([this] { return !is_owed(); }, "croft::request_reply: publish() while a request is under way");
        asked();
    }
    // Waits for the reply to the request published last; the client's until it publishes the next one.
    Reply& await_reply() {
        const auto call = begin_call();
        return next_reply();
    }
    // The same without waiting, or for a bounded time: null if it has not come.
    Reply* poll_reply() {
        const auto call = begin_call();
        return has_reply() ? &taken_reply() : nullptr;
    }
    template <class Rep, class Period>
    Reply* await_reply_for(std::chrono::duration<Rep, Period> time) {
        return await_reply_until(detail::deadline_after(time));
    }
    template <class Clock, class Duration>
    Reply* await_reply_until(std::chrono::time_point<Clock, Duration> time) {
        const auto call = begin_call();
        return reply_by(detail::deadline_at(time));
    }
    Reply* await_reply_until(const std::stop_token& stop) {
        const auto call = begin_call();
        return reply_by(stop);
    }
    // Whether the server has left. All that it did before is then visible.
    bool disconnected() const { return has_left(detail::acquire_load{}); }
    // Whether await_reply() would not wait.
    template <class Load>
    bool may_take_reply(Load load) const {
        return load(line_[0].replied, line_.kind()) == client_[0].requests;
    }
    // No request will follow.
    void close() {
        auto call = begin_call();
        call.finish();
        tell(line_[0].requested, ((client_[0].requests + 1) & counts) << 1 | 1);
        to_server_->notify();
    }

    // ---- the server's side ----

    // Waits for a request and moves it out. Nothing at the end.
    std::optional<Request> receive() { return take(receive_in_place()); }
    // Nothing also if there is no request now. ended() tells which.
    std::optional<Request> try_receive() { return take(try_receive_in_place()); }
    // Waits for a request, the server's until it publishes the reply; until then the same one again. Null at the end.
    Request* receive_in_place() {
        const auto call = begin_serve();
        while (!may_receive(detail::acquire_load{}))
            to_server_->wait([this](auto load) { return this->may_receive(load); });
        return front();
    }
    // The same without waiting: null also if there is no request now.
    Request* try_receive_in_place() {
        const auto call = begin_serve();
        return request_now();
    }
    // Whether the client has closed.
    bool ended() const { return may_receive(detail::acquire_load{}) && at_end(); }
    // Whether receive() would not wait.
    template <class Load>
    bool may_receive(Load load) const {
        return load(line_[0].requested, line_.kind()) >> 1 != server_[0].replies;
    }
    void reply(Reply message) {
        reply() = std::move(message);
        publish_reply();
    }
    // To be overwritten, from a request on to its publish_reply().
    Reply& reply() { return line_[0].reply; }
    void publish_reply() {
        const auto call = begin_serve();
        check_turn([this] { return may_receive(detail::relaxed_load{}) && !at_end(); },
                   "croft::request_reply: publish_reply() where there is no request");
        std::uint32_t& replies = server_[0].replies;
        replies = (replies + 1) & counts;
        line_.kind().after_write(own_lines(), own_size);
        tell(line_[0].replied, replies);
        to_client_->notify();
    }

    // The server's last call: it will answer no request.
    void leave() {
        static_assert(receivers_leave, "here the policies have to ask for it: policies.hpp, receivers_leave");
        auto call = begin_serve();
        call.finish();
        left_.set();
        to_client_->notify();
    }

private:
    friend class detail::timed_receiving<request_reply, Request>;
    using caller_check = detail::caller_check<Policies>;
    static constexpr bool receivers_leave = Policies::receivers_leave;

    struct client_state {
        std::uint32_t requests = 0;
        [[no_unique_address]] caller_check caller;
    };
    struct server_state {
        std::uint32_t replies = 0;
        [[no_unique_address]] caller_check caller;
    };

    auto begin_call() { return client_[0].caller.begin(detail::of_client); }
    auto begin_serve() { return server_[0].caller.begin(detail::of_server); }
    template <class Mine>
    [[gnu::always_inline]] static void check_turn(Mine mine, const char* sentence) {
        if constexpr (caller_check::asserts) port::check_use(mine, sentence);
    }

    void asked() {
        std::uint32_t& requests = client_[0].requests;
        requests = (requests + 1) & counts;
        line_.kind().after_write(own_lines(), own_size);
        tell(line_[0].requested, requests << 1);
        to_server_->notify();
    }
    Reply& next_reply() {
        while (!has_reply()) to_client_->wait([this](auto load) { return this->has_news(load); });
        return taken_reply();
    }
    template <class End>
    Reply* reply_by(const End& end) {
        while (!has_reply())
            if (!waits::wait_until(*to_client_, [this](auto load) { return this->has_news(load); }, end))
                return has_reply() ? &taken_reply() : nullptr;
        return &taken_reply();
    }
    Request* request_now() { return may_receive(detail::acquire_load{}) ? front() : nullptr; }

    // Whether the last request was not answered when it was last asked.
    bool is_owed() const { return line_[0].replied.load(std::memory_order_relaxed) != client_[0].requests; }
    bool has_reply() const {
        if (may_take_reply(detail::acquire_load{})) [[likely]]
            return true;
        if (!disconnected()) [[likely]]
            return false;
        if (may_take_reply(detail::acquire_load{})) return true;  // it replied and left between the two looks
        throw croft::disconnected("croft::request_reply: the server has left, and there is no reply");
    }
    template <class Load>
    bool has_news(Load load) const {
        return may_take_reply(load) || has_left(load);
    }
    template <class Load>
    bool has_left(Load load) const {
        return left_.is_set(load);
    }
    Reply& taken_reply() {
        line_.kind().taken(own_lines(), own_size);
        return line_[0].reply;
    }

    bool at_end() const { return port::traced_receive(line_[0].requested) & 1; }  // just looked at
    Request* front() {
        if (at_end()) return nullptr;
        line_.kind().taken(own_lines(), own_size);
        return &line_[0].request;
    }
    std::optional<Request> take(Request* message) {
        return message ? std::optional<Request>(std::move(*message)) : std::nullopt;
    }
    template <class End>
    std::optional<Reply> call_by(Request message, const End& end) {
        const auto call = begin_call();
        if (is_owed() && !reply_by(end)) return std::nullopt;
        request() = std::move(message);
        asked();
        Reply* const reply = reply_by(end);
        return reply ? std::optional<Reply>(std::move(*reply)) : std::nullopt;
    }
    template <class End>
    Request* await_message(const End& end) {
        const auto call = begin_serve();
        while (!may_receive(detail::acquire_load{}))
            if (!waits::wait_until(*to_server_, [this](auto load) { return this->may_receive(load); }, end))
                return request_now();
        return front();
    }

    // The lines in which no flag is: all but the first. The side whose turn it is has them all.
    void* own_lines() { return reinterpret_cast<unsigned char*>(&line_[0]) + port::cache_line; }
    static constexpr std::size_t own_size = sizeof(line) - port::cache_line;
    void tell(word& flag, std::uint32_t value) {
        auto&& event = line_.kind().template event<false>(flag);
        port::traced_send(event, value);
    }

    // Read by both sides, written by neither.
    alignas(port::cache_line) detail::line_array<line, line_kind> line_;
    wait_policy* to_client_;
    wait_policy* to_server_;
    std::unique_ptr<wait_policy> own_client_, own_server_;
    [[no_unique_address]] detail::left_word<Policies> left_;
    // Each side's own, as in channel.hpp.
    detail::line_array<client_state, decltype(std::declval<const home&>().of_sender())> client_;
    detail::line_array<server_state, decltype(std::declval<const home&>().of_receiver())> server_;
};

}  // namespace croft
