#pragma once
// The channels that a measuring program can be asked for by name.

#include <string>
#include <vector>

#include <croft/channel/policies.hpp>

namespace programs {

// Paper 000, figure 7: ready and ack as booleans, in the line of the message.
struct ra : croft::policies {
    using events = croft::events::flags<croft::booleans, croft::ack_place::with_message>;
};
// Paper 001, table I: the ack in a line of its own.
struct ra_split : croft::policies {
    using events = croft::events::flags<croft::booleans, croft::ack_place::own_line>;
};
// As ra, with flags that are never reset: the library's default on simulated machines.
struct turns : croft::policies {
    using events = croft::events::flags<croft::turns, croft::ack_place::with_message>;
};
// Flags that are never reset, and one ack for a batch of messages.
struct batched : croft::policies {
    using events = croft::events::batched;
};
// Several messages to a line: the library's default elsewhere.
struct packed : croft::policies {
    using events = croft::events::packed;
};

inline std::vector<std::string> channel_names() { return {"ra", "ra-split", "turns", "batched", "packed"}; }

// Calls action(policies) with the ones called `name`, one of channel_names().
template <class Action>
auto with_channel(const std::string& name, Action action) {
    if (name == "ra-split") return action(ra_split{});
    if (name == "turns") return action(turns{});
    if (name == "batched") return action(batched{});
    if (name == "packed") return action(packed{});
    return action(ra{});
}

}  // namespace programs
