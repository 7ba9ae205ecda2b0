#pragma once
// The channels of the papers, ready to be named:
//
//     croft::channel<int, croft::kinds::ra_home> there(1, {.sender = 0, .receiver = 9, .home = 9});
//
// docs/library.md says when to take which; every one is put together from the three policies and nothing else, so
// others can be.
//
// On a machine without homes or a network of its own they are plain channels with flags.

#include <croft/channel/channel.hpp>
#include <croft/channel/drop_and_reread.hpp>
#include <croft/channel/events.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/channel/network_channel.hpp>
#include <croft/channel/network_events.hpp>
#include <croft/channel/network_many_to_one.hpp>
#include <croft/channel/policies.hpp>
#include <croft/channel/wait.hpp>
#include <croft/memory/at_core.hpp>
#include <croft/memory/at_reader.hpp>
#include <croft/memory/forwarded.hpp>

namespace croft::kinds {

// RA (000, figure 7), ch_sym_sm (001, figure 4): ready and ack as booleans in the line of the message, homes hashed.
struct ra : policies {
    using events = croft::events::flags<croft::events::booleans, croft::events::ack_place::with_message>;
};

// ch_sym_sm_cache (001, figure 6): each line at its reader. (The row that 000, table 5 calls RA HF was measured with
// it.)
struct ra_home : policies {
    using events = croft::events::flags<croft::events::booleans, croft::events::ack_place::own_line>;
    using home = homes::at_reader;
};

// RA-HF (000, 6.3): homed at ends.home and forwarded there. The side that is elsewhere waits in one of three ways.
struct ra_hf : ra {
    using home = homes::forwarded;
};
struct ra_hf_drop : ra_hf {
    using wait = waits::drop_and_reread;
};
// The period is about what a look at a home some hops away takes: less would only queue up requests there.
struct ra_hf_period : ra_hf {
    using wait = waits::drop_and_reread_every<100>;
};

#if defined(CROFT_MANY_CORE)

// ch_sym_udn and, many to one, ch_asym_udn (001, figures 9 and 10): the message travels on the network.
struct udn : policies {
    using events = croft::events::words;
    using wait = waits::spin;  // who waits at several such channels, or without taking anything
};

// RA-UDN (000, figures 9 and 10): the message in forwarded slots, the events on the network.
struct ra_udn : policies {
    using events = croft::events::notified;
    using home = homes::forwarded;
    using wait = waits::notified;
};

#else

struct udn : ra {};
struct ra_udn : ra_hf {};

#endif

}  // namespace croft::kinds
