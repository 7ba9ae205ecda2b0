#pragma once
// The request/reply channel: one client, one server, one request under way at a time, and both directions in one line.
// A hop moves that line once and nothing else; with two channels, one for each direction, it moves two lines in turn.
//
//     client: Reply reply = channel.call(request);
//     server: while (auto request = channel.receive()) channel.reply(answer(*request));
//
// In place, without a copy: the client builds the request in request(), calls publish(), and reads what await_reply()
// hands out until the next publish(); the server reads what receive_in_place() hands out, builds the reply in reply(),
// and calls publish_reply(). The client may compute between publish() and await_reply().
// The end: after close() the server gets "no request" for ever. The client closes when no request is under way.
//
// Whose turn it is says who owns the whole line, so neither message needs an ack: a reply tells that the request was
// read, and the next request that the reply was. Each side writes one word, and proof and memory order are flag.hpp's.
//
// Siblings: channel.hpp (one direction, many messages under way).

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <croft/channel/policies.hpp>
#include <croft/memory/line_array.hpp>
#include <croft/port/port.hpp>

namespace croft {

template <class Request, class Reply = Request, class Policies = policies>
class request_reply {
    static_assert(std::is_default_constructible_v<Request> && std::is_default_constructible_v<Reply>,
                  "messages live in the channel before they are first sent");
    using wait_policy = typename Policies::wait;
    using home = typename Policies::home;
    using word = typename Policies::template atomic<std::uint32_t>;

    struct line {
        word requested{0};  // twice the number of requests made, modulo 2^31, plus one at the end
        word replied{0};    // the number of replies made, modulo 2^31
        Request request;
        Reply reply;
    };
    static constexpr std::uint32_t counts = 0x7fff'ffff;

public:
    // A thread that waits at several channels hands each of them its own waiter. Throws std::bad_alloc.
    explicit request_reply(home where = {}, wait_policy* client = nullptr, wait_policy* server = nullptr)
        : line_(1, where, part::message), to_client_(client), to_server_(server) {
        if (!to_client_) to_client_ = (own_client_ = std::make_unique<wait_policy>()).get();
        if (!to_server_) to_server_ = (own_server_ = std::make_unique<wait_policy>()).get();
    }
    request_reply(const request_reply&) = delete;
    request_reply& operator=(const request_reply&) = delete;

    wait_policy& client_waiter() { return *to_client_; }
    wait_policy& server_waiter() { return *to_server_; }

    // ---- the client's side ----

    // Waits for the server's reply.
    Reply call(Request message) {
        request() = std::move(message);
        publish();
        return std::move(await_reply());
    }
    // To be overwritten, while no request is under way.
    Request& request() { return line_[0].request; }
    void publish() {
        line_.home().after_write(&line_[0].request, sizeof(Request));
        requests_ = (requests_ + 1) & counts;
        line_[0].requested.store(requests_ << 1, std::memory_order_release);
        to_server_->notify();
    }
    // Waits for the reply to the request published last; the client's until it publishes the next one.
    Reply& await_reply() {
        while (!may_take_reply(acquire_load{}))
            to_client_->wait([this](auto load) { return this->may_take_reply(load); });
        return line_[0].reply;
    }
    // Whether await_reply() would not wait.
    template <class Load>
    bool may_take_reply(Load load) const {
        return load(line_[0].replied) == requests_;
    }
    // No request will follow.
    void close() {
        line_[0].requested.store(((requests_ + 1) & counts) << 1 | 1, std::memory_order_release);
        to_server_->notify();
    }

    // ---- the server's side ----

    // Waits for a request and moves it out. Nothing at the end.
    std::optional<Request> receive() {
        Request* const message = receive_in_place();
        return message ? std::optional<Request>(std::move(*message)) : std::nullopt;
    }
    // Waits for a request, the server's until it publishes the reply; until then the same one again. Null at the end.
    Request* receive_in_place() {
        while (!may_receive(acquire_load{})) to_server_->wait([this](auto load) { return this->may_receive(load); });
        return relaxed_load{}(line_[0].requested) & 1 ? nullptr : &line_[0].request;
    }
    // Whether receive() would not wait.
    template <class Load>
    bool may_receive(Load load) const {
        return load(line_[0].requested) >> 1 != replies_;
    }
    void reply(Reply message) {
        reply() = std::move(message);
        publish_reply();
    }
    // To be overwritten, from a request on to its publish_reply().
    Reply& reply() { return line_[0].reply; }
    void publish_reply() {
        line_.home().after_write(&line_[0].reply, sizeof(Reply));
        replies_ = (replies_ + 1) & counts;
        line_[0].replied.store(replies_, std::memory_order_release);
        to_client_->notify();
    }

private:
    // Read by both sides, written by neither.
    alignas(port::cache_line) line_array<line, home> line_;
    wait_policy* to_client_;
    wait_policy* to_server_;
    std::unique_ptr<wait_policy> own_client_, own_server_;
    // Each side's own.
    alignas(port::cache_line) std::uint32_t requests_ = 0;
    alignas(port::cache_line) std::uint32_t replies_ = 0;
};

}  // namespace croft
