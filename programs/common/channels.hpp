#pragma once
// The channels that a measuring program can be asked for by name.

#include <string>
#include <vector>

#include <croft/channel/batched_slots.hpp>
#include <croft/channel/kinds.hpp>
#include <croft/memory/incoherent.hpp>
#include <croft/paper/channel/at_reader_allocating.hpp>

namespace programs {

namespace kinds = croft::kinds;

// Paper 001, table I, with the machine's own homes: the ack in a line of its own.
struct ra_split : croft::policies {
    using events = croft::events::flags<croft::events::booleans, croft::events::ack_place::own_line>;
};
// As ra, with flags that are never reset: the library's default on simulated machines.
struct turns : croft::policies {
    using events = croft::events::flags<croft::events::turns, croft::events::ack_place::with_message>;
};
// Flags that are never reset, and one ack for a batch of messages.
struct batched : croft::policies {
    using events = croft::events::batched;
};
// Several messages to a line: the library's default elsewhere.
struct packed : croft::policies {
    using events = croft::events::packed;
};
// As ra, without homes: copies are kept apart by software.
struct ra_incoherent : kinds::ra {
    using home = croft::homes::incoherent;
    using wait = croft::waits::spin;
};

// Those for messages of any size. croft/channel/kinds.hpp says what the papers' are; ra-home-allocating is ra-home with
// the papers' stores.
inline std::vector<std::string> channel_names() {
    std::vector<std::string> names{"ra",         "ra-home",      "ra-home-allocating", "ra-hf",
                                   "ra-hf-drop", "ra-hf-period", "ra-split",           "turns",
                                   "batched",    "packed",       "ra-incoherent"};
    if (croft::port::waits_on_lines) names.push_back("ra-udn");  // elsewhere it would be something else
    return names;
}
// And the one for messages of a few words.
inline std::vector<std::string> word_channel_names() {
    std::vector<std::string> names = channel_names();
    if (croft::port::waits_on_lines) names.push_back("udn");
    return names;
}

// Calls action(policies) with the ones called `name`, one of channel_names().
template <class Action>
auto with_channel(const std::string& name, Action action) {
    if (name == "ra-home") return action(kinds::ra_home{});
    if (name == "ra-home-allocating") return action(croft::baseline::ra_home_allocating{});
    if (name == "ra-hf") return action(kinds::ra_hf{});
    if (name == "ra-hf-drop") return action(kinds::ra_hf_drop{});
    if (name == "ra-hf-period") return action(kinds::ra_hf_period{});
    if (name == "ra-udn") return action(kinds::ra_udn{});
    if (name == "ra-split") return action(ra_split{});
    if (name == "turns") return action(turns{});
    if (name == "batched") return action(batched{});
    if (name == "packed") return action(packed{});
    if (name == "ra-incoherent") return action(ra_incoherent{});
    return action(kinds::ra{});
}
template <class Action>
auto with_word_channel(const std::string& name, Action action) {
    if (name == "udn") return action(kinds::udn{});
    return with_channel(name, action);
}

// For programs that are large with each: those that differ where the program runs. Elsewhere than on a many-core the
// homes all are the same.
inline std::vector<std::string> distinct_channel_names() {
    std::vector<std::string> names{"ra", "turns"};
    if (!croft::port::waits_on_lines)
        names.push_back("packed");
    else
        names.insert(names.end(), {"ra-home", "ra-hf", "ra-hf-drop", "ra-hf-period", "ra-udn", "ra-incoherent"});
    return names;
}
template <class Action>
auto with_distinct_channel(const std::string& name, Action action) {
    if constexpr (croft::port::waits_on_lines) {
        if (name == "ra-home") return action(kinds::ra_home{});
        if (name == "ra-hf") return action(kinds::ra_hf{});
        if (name == "ra-hf-drop") return action(kinds::ra_hf_drop{});
        if (name == "ra-hf-period") return action(kinds::ra_hf_period{});
        if (name == "ra-udn") return action(kinds::ra_udn{});
        if (name == "ra-incoherent") return action(ra_incoherent{});
    } else {
        if (name == "packed") return action(packed{});
    }
    if (name == "turns") return action(turns{});
    return action(kinds::ra{});
}

}  // namespace programs
