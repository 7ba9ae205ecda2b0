#pragma once
// One transition of a line's state as a walk notes it, in numbers; and all of them as a table, in words.

#include <compare>
#include <cstdint>
#include <set>
#include <string>

#include "transition_event.hpp"
#include "transition_table.hpp"

namespace croftsim {

// Of a message in Transition::sent.
inline std::uint32_t bit_of(TransitionEvent message) {
    return 1u << (static_cast<std::uint32_t>(message) - static_cast<std::uint32_t>(TransitionEvent::read));
}

struct Transition {
    std::uint32_t before, after, sent;  // sent: the messages' bits
    TransitionEvent event;
    const char* nothing;  // what to say if no message is sent and the state stays
    bool stalls;
    auto operator<=>(const Transition&) const = default;
};

// `name`: of a state.
template <class Name>
TransitionTable table_of(const std::set<Transition>& seen, Name name) {
    using Event = TransitionEvent;
    TransitionTable all;
    for (const Transition& one : seen) {
        const std::string before = name(one.before), after = name(one.after);
        std::string text;
        for (Event sent = Event::read; sent <= Event::again;
             sent = static_cast<Event>(static_cast<std::uint32_t>(sent) + 1))
            if (one.sent & bit_of(sent)) text += (text.empty() ? "" : "; ") + std::string(name_of(sent));
        if (before != after) text += (text.empty() ? "→ " : " → ") + after;
        if (one.stalls) text += "; stall";
        all.note(before, name_of(one.event), text.empty() ? one.nothing : text);
    }
    return all;
}

}  // namespace croftsim
