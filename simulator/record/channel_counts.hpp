#pragma once
// How many messages went from each core to each other one, through what, and for how long they were under way.

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "contract/simulation.hpp"
#include "record/handovers.hpp"

namespace croftsim {

class ChannelCounts {
public:
    // In the order in which each core receives.
    void received(const Handovers::Handed& message);
    std::vector<Lines::Channel> take() const;

private:
    struct Key {
        std::uint32_t sender, receiver, allocation;
        std::uint32_t by_user_network;
        std::uint64_t line;
        auto operator<=>(const Key&) const = default;
    };
    // Most messages are under way when one has just been sent: it, and those before it that are received later. In a
    // channel that is first in, first out, these are known when it is received itself.
    struct Counted {
        std::uint64_t messages = 0, under_way = 0, most = 0;
        bool in_order = true;
        std::uint64_t sent = 0;            // when the latest one was
        std::deque<std::uint64_t> behind;  // receipts behind that
    };

    std::map<Key, Counted> channels_;
};

}  // namespace croftsim
