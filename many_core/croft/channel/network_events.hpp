#pragma once
// How an event travels on a many-core's network, beside the ways of events.hpp.

#include <concepts>

#include <croft/channel/notified_slots.hpp>

namespace croft {
template <class Message, class Policies>
class notified_slots;  // defined for many-cores
}  // namespace croft

namespace croft::events {

// (On a many-core with such a network only.) Both events as notifications over the machine's network: paper 000,
// figure 9. With waits::notified.
struct notified {
    template <class Message, class Policies>
    using storage = notified_slots<Message, Policies>;
};

// The message itself travels on the machine's network: paper 001, figure 9. There are no slots; a channel with these
// events is another class of the same name (network_channel.hpp).
struct words {};

}  // namespace croft::events

namespace croft {

template <class Policies>
concept sends_words = std::same_as<typename Policies::events, events::words>;

}  // namespace croft
