#pragma once
// A many-to-one channel (channel/many_to_one.hpp) from N processes to one, all of one node, in memory that all map. The
// receiver has it all; of the senders each has the channel that is its own, and knows of no other.
//
//     croft::mpi::shared_many_to_one<order> orders(croft::mpi::world(), {0, 1, 2}, 3, 64);    // by all four
//     if (rank < 3) orders.sender().send(order{1});
//     if (rank == 3) while (auto next = orders.receiver().receive()) handle(*next);
//
// What differs from one between threads is what shared_channel.hpp says of a channel. last_sender() is a number of the
// list, not a rank.

#include <cstddef>
#include <deque>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/mpi/policies.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/mpi/shared_link.hpp>
#include <croft/port/misuse.hpp>

namespace croft::mpi {

template <class Message, class Policies = shared_policies>
class shared_many_to_one {
    static_assert(std::is_trivially_copyable_v<Message>,
                  "between processes a message is its bytes: it has to be trivially copyable");

public:
    using receiver_type = croft::many_to_one<Message, Policies>;
    using sender_type = typename receiver_type::channel_type;

    // Collective, and throws, as shared_channel's. `degree` slots for each sender.
    shared_many_to_one(const processes& group, const std::vector<int>& senders, int receiver, std::size_t degree,
                       waiter* mine = nullptr)
        : link_("croft::mpi::shared_many_to_one", group, receiver, checked(senders), mine) {
        const std::size_t each = detail::lines_taken<sender_type>(link_.own(), degree);
        link_.join(senders.size() * each, [&](unsigned char* memory) {
            if (link_.is_maker())
                make_receiver(memory, each, senders.size(), degree);
            else
                make_sender(memory, each, group.rank(), senders, degree);
        });
        if (!link_.is_maker())
            link_.watch(0, [this] { return sender_->disconnected(); });
        else
            for (std::size_t i = 0; i < senders.size(); ++i)
                link_.watch(i, [this, i] { return receiver_->sender(i).ended(); });
    }

    // In a sender's process.
    sender_type& sender() {
        port::check_use(sender_.has_value(), "croft::mpi::shared_many_to_one: sender() in the receiver's process");
        return *sender_;
    }
    // In the receiver's.
    receiver_type& receiver() {
        port::check_use(receiver_.has_value(), "croft::mpi::shared_many_to_one: receiver() in a sender's process");
        return *receiver_;
    }

private:
    static const std::vector<int>& checked(const std::vector<int>& senders) {
        if (senders.empty()) throw std::invalid_argument("croft::mpi::shared_many_to_one: it needs a sender at least");
        return senders;
    }
    // Each sender's lines are one after the other's, so that a sender need not make the others' to find its own.
    void make_receiver(unsigned char* memory, std::size_t each, std::size_t senders, std::size_t degree) {
        std::deque<line_supply> lines;
        for (std::size_t i = 0; i < senders; ++i) lines.push_back({memory + i * each, false});
        receiver_.emplace(
            senders, degree, [&](std::size_t i) { return homes::in_shared_memory(lines[i]); },
            [&](std::size_t i) { return &link_.other(i); }, &link_.own());
    }
    void make_sender(unsigned char* memory, std::size_t each, int rank, const std::vector<int>& senders,
                     std::size_t degree) {
        std::size_t i = 0;
        while (senders[i] != rank) ++i;
        line_supply lines{memory + i * each, true};
        sender_.emplace(degree, homes::in_shared_memory(lines), &link_.own(), &link_.other());
    }

    detail::shared_link link_;
    std::optional<sender_type> sender_;
    std::optional<receiver_type> receiver_;
};

}  // namespace croft::mpi
