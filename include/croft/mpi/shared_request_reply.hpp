#pragma once
// A request/reply channel (channel/request_reply.hpp) between two processes of one node, in memory that both map.
//
//     croft::mpi::shared_request_reply<question, answer> asked(croft::mpi::world(), 0, 1);    // by both
//     if (rank == 0) answer reply = asked->call(question{...});                               // the client
//     if (rank == 1) while (auto next = asked->receive()) asked->reply(answer_to(*next));     // the server
//
// What differs from one between threads is what shared_channel.hpp says of a channel.

#include <optional>
#include <type_traits>

#include <croft/channel/request_reply.hpp>
#include <croft/mpi/policies.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/mpi/shared_link.hpp>

namespace croft::mpi {

template <class Request, class Reply = Request, class Policies = shared_policies>
class shared_request_reply {
    static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Reply>,
                  "between processes a message is its bytes: it has to be trivially copyable");

public:
    using channel_type = croft::request_reply<Request, Reply, Policies>;

    // Collective, and throws, as shared_channel's.
    shared_request_reply(const processes& group, int client, int server, waiter* mine = nullptr)
        : link_("croft::mpi::shared_request_reply", group, server, {client}, mine) {
        link_.join(detail::lines_taken<channel_type>(link_.own()), [&](unsigned char* memory) {
            const bool serves = link_.is_maker();
            line_supply lines{memory, !serves};
            channel_.emplace(homes::in_shared_memory(lines), serves ? &link_.other() : &link_.own(),
                             serves ? &link_.own() : &link_.other());
        });
        link_.watch(0, [this] { return link_.is_maker() ? channel_->ended() : channel_->disconnected(); });
    }

    channel_type& operator*() { return *channel_; }
    channel_type* operator->() { return &*channel_; }

private:
    detail::shared_link link_;
    std::optional<channel_type> channel_;
};

}  // namespace croft::mpi
