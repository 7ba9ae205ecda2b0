#include "record/channel_counts.hpp"

#include <algorithm>

#include "cache/line_cache.hpp"

namespace croftsim {

void ChannelCounts::received(const Handovers::Handed& message) {
    const bool by_user_network = message.by == Handovers::By::user_network;
    const bool has_line = !by_user_network && message.allocation == Lines::nothing;
    Counted& channel = channels_[{message.from.core, message.to.core, message.allocation, by_user_network,
                                  has_line ? message.address / line_bytes * line_bytes : 0}];
    ++channel.messages;
    channel.under_way += message.to.time - message.from.time;
    if (!channel.in_order) return;
    if (message.from.time < channel.sent || (!channel.behind.empty() && message.to.time < channel.behind.back())) {
        channel.in_order = false;
        channel.behind = {};
        return;
    }
    channel.sent = message.from.time;
    while (!channel.behind.empty() && channel.behind.front() <= channel.sent) channel.behind.pop_front();
    channel.behind.push_back(message.to.time);
    channel.most = std::max<std::uint64_t>(channel.most, channel.behind.size());
}

std::vector<Lines::Channel> ChannelCounts::take() const {
    std::vector<Lines::Channel> result;
    for (const auto& [key, counted] : channels_)
        result.push_back({key.sender, key.receiver, key.allocation, key.by_user_network, key.line, counted.messages,
                          counted.under_way, counted.in_order ? counted.most : 0});
    return result;
}

}  // namespace croftsim
