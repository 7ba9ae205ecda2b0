#pragma once
// The request/reply channel: one client, one server, one request under way at a time, and both directions in one line.
// A hop moves that line once and nothing else; with two channels, one for each direction, it moves two lines in turn.
//
//     Reply reply = channel.call(request);                                             // the client
//     while (auto asked = channel.receive()) channel.reply(answer(*asked));            // the server
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

#include <concepts>
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

    using line_kind = decltype(std::declval<const home&>().at(part::message));

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
    explicit request_reply(ends cores = {}, wait_policy* client = nullptr, wait_policy* server = nullptr)
        : request_reply(home::between(cores), client, server) {}
    // With homes of one's own making. (A template, for which braces are nothing: they are ends.)
    template <std::same_as<home> Home>
    explicit request_reply(Home where, wait_policy* client = nullptr, wait_policy* server = nullptr)
        : line_(1, where.at(part::message)),
          to_client_(client),
          to_server_(server),
          client_(1, where.of_sender()),
          server_(1, where.of_receiver()) {
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
        std::uint32_t& requests = client_[0].requests;
        requests = (requests + 1) & counts;
        line_.kind().after_write(own_lines(), own_size);
        tell(line_[0].requested, requests << 1);
        to_server_->notify();
    }
    // Waits for the reply to the request published last; the client's until it publishes the next one.
    Reply& await_reply() {
        while (!may_take_reply(acquire_load{}))
            to_client_->wait([this](auto load) { return this->may_take_reply(load); });
        line_.kind().taken(own_lines(), own_size);
        return line_[0].reply;
    }
    // Whether await_reply() would not wait.
    template <class Load>
    bool may_take_reply(Load load) const {
        return load(line_[0].replied, line_.kind()) == client_[0].requests;
    }
    // No request will follow.
    void close() {
        tell(line_[0].requested, ((client_[0].requests + 1) & counts) << 1 | 1);
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
        if (line_[0].requested.load(std::memory_order_relaxed) & 1) return nullptr;  // just looked at
        line_.kind().taken(own_lines(), own_size);
        return &line_[0].request;
    }
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
        std::uint32_t& replies = server_[0].replies;
        replies = (replies + 1) & counts;
        line_.kind().after_write(own_lines(), own_size);
        tell(line_[0].replied, replies);
        to_client_->notify();
    }

private:
    struct client_state {
        std::uint32_t requests = 0;
    };
    struct server_state {
        std::uint32_t replies = 0;
    };

    // The lines in which no flag is: all but the first. Whose turn it is has them all.
    void* own_lines() { return reinterpret_cast<unsigned char*>(&line_[0]) + port::cache_line; }
    static constexpr std::size_t own_size = sizeof(line) - port::cache_line;
    void tell(word& flag, std::uint32_t value) {
        line_.kind().template event<false>(flag).store(value, std::memory_order_release);
    }

    // Read by both sides, written by neither.
    alignas(port::cache_line) line_array<line, line_kind> line_;
    wait_policy* to_client_;
    wait_policy* to_server_;
    std::unique_ptr<wait_policy> own_client_, own_server_;
    // Each side's own, as in channel.hpp.
    line_array<client_state, decltype(std::declval<const home&>().of_sender())> client_;
    line_array<server_state, decltype(std::declval<const home&>().of_receiver())> server_;
};

}  // namespace croft
