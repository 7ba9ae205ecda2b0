#pragma once
// How an event travels: the second of the three policies. Each names the class that holds a channel's slots and events.
// Such a class offers the functions that slots (slot.hpp) and packed_slots (packed_slots.hpp) have in common.

#include <type_traits>

#if defined(CROFT_MANY_CORE)
#include <croft/channel/network_events.hpp>
#endif
#include <croft/channel/packed_slots.hpp>
#include <croft/channel/slot.hpp>
#include <croft/port/port.hpp>

namespace croft::events {

// A flag for each event of each slot: paper 000, figure 7, with booleans.
template <class Flag = turns, ack_place Place = ack_place::with_message>
struct flags {
    template <class Message, class Policies>
    using storage = detail::slots<Message, Flag, Place, Policies>;
};

// A ready event for each line, which holds as many messages as fit; an ack for each batch.
struct packed {
    template <class Message, class Policies>
    using storage = detail::packed_slots<Message, Policies>;
};

// The kind that suits the machine: docs/decisions/native-slots.md.
using best = std::conditional_t<port::waits_on_lines, flags<>, packed>;

}  // namespace croft::events
