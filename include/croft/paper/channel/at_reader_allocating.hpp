#pragma once
// Each line at the core that reads it, as with memory/at_reader.hpp, but written by ordinary stores, which bring a copy
// of the line into the writer's caches: what the programs of paper 001 do (its ch_sym_sm_cache; docs/evidence/
// tilepro64.md, section 5). The reader's next store to the line, which resets the flag, waits for that copy to be
// invalidated, and the writer's next store fetches the line again. Elsewhere than on a many-core it is at_reader.
//
// With flags as booleans and the ack in a line of its own, a message is what it is there: send waits for ack, stores
// the value, resets ack, passes a fence, sets ready; receive waits for ready, loads the value, resets ready, sets ack.
// (Before that last store there is a fence here, too, or the value could be overwritten before it is read: the order of
// memory promises nothing else.)

#include <croft/channel/events.hpp>
#include <croft/channel/policies.hpp>
#include <croft/memory/home.hpp>

namespace croft {

namespace homes {

struct at_reader_allocating {
    int sender = any_core;
    int receiver = any_core;

    static at_reader_allocating between(ends cores) { return {cores.sender, cores.receiver}; }
    plain_lines at(part what) const { return plain_lines(what == part::message ? receiver : sender); }
    plain_lines of_sender() const { return plain_lines(sender); }
    plain_lines of_receiver() const { return plain_lines(receiver); }
};

}  // namespace homes

namespace baseline {

struct ra_home_allocating : policies {
    using events = croft::events::flags<booleans, ack_place::own_line>;
    using home = homes::at_reader_allocating;
};

}  // namespace baseline
}  // namespace croft
