#pragma once
// A channel (channel/channel.hpp) from one process to another of the same node, in memory that both map: the same slots
// and events, and the same class, of which each side has an object.
//
//     croft::mpi::shared_channel<order> orders(croft::mpi::world(), 0, 1, 64);     // by rank 0 and rank 1, both
//     if (rank == 0) orders->send(order{1});
//     if (rank == 1) while (auto next = orders->receive()) handle(*next);
//
// It has a channel's calls and what they promise, with these differences. Messages are trivially copyable. The calls of
// one side are made in that side's process. Each side's object is destroyed for itself, whatever the other side is
// doing; so a side that ends without close() or leave() is not found out, unless its process ends: who waits for such a
// one gets `error` with its rank, in a second or two (waiter.hpp).
//
// Siblings: shared_many_to_one.hpp, shared_request_reply.hpp.

#include <cstddef>
#include <optional>
#include <type_traits>

#include <croft/channel/channel.hpp>
#include <croft/mpi/policies.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/mpi/shared_link.hpp>

namespace croft::mpi {

template <class Message, class Policies = shared_policies>
class shared_channel {
    static_assert(std::is_trivially_copyable_v<Message>,
                  "between processes a message is its bytes: it has to be trivially copyable");

public:
    using channel_type = croft::channel<Message, Policies>;

    // Collective: by both, with the same arguments; links of the same two in the same order. A thread that waits at
    // several hands each of them its own waiter. Throws `error`, both, if they share no memory or there is none;
    // std::invalid_argument for a degree of 0.
    shared_channel(const processes& group, int sender, int receiver, std::size_t degree, waiter* mine = nullptr)
        : link_("croft::mpi::shared_channel", group, receiver, {sender}, mine) {
        link_.join(detail::lines_taken<channel_type>(link_.own(), degree), [&](unsigned char* memory) {
            const bool receives = link_.is_maker();  // who reads the lines makes them, so they are near it
            line_supply lines{memory, !receives};
            channel_.emplace(degree, homes::in_shared_memory(lines), receives ? &link_.other() : &link_.own(),
                             receives ? &link_.own() : &link_.other());
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
