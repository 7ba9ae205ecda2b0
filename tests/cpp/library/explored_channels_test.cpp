// Every kind of channel, and the baselines, in every interleaving and with every old value that a load may find
// (explorer.hpp); and mutants of them, each of which has to be caught.

#include <croft/channel/baseline/lamport_queue.hpp>
#include <croft/channel/baseline/null_slot_queue.hpp>
#include <croft/channel/baseline/unbounded_queue.hpp>

#include "explored_programs.hpp"

#if !defined(__SANITIZE_THREAD__)  // it takes fibers for one thread, and has nothing to find here

namespace {

using namespace explorer;

template <class Flag, croft::ack_place Place>
using flags = croft::events::flags<Flag, Place>;
constexpr auto together = croft::ack_place::with_message;
constexpr auto apart = croft::ack_place::own_line;

template <class Policies, class Kind = by_value>
void hold_for_all_sizes() {
    hold<stream<Policies, 1, 1, Kind>>();
    hold<stream<Policies, 1, 2, Kind>>();
    hold<stream<Policies, 1, 3, Kind>>();
    hold<stream<Policies, 2, 2, Kind>>();
    hold<stream<Policies, 2, 3, Kind>>();
}

}  // namespace

TEST_CASE("explorer: channels deliver everything, in order, by every kind of event") {
    hold_for_all_sizes<modelled<known<flags<croft::turns, together>>>>();
    hold_for_all_sizes<modelled<known<flags<croft::booleans, together>>>>();
    hold_for_all_sizes<modelled<known<flags<croft::booleans, apart>>, bell<symmetric>>>();
    hold_for_all_sizes<modelled<known<croft::events::batched>>>();
}

TEST_CASE("explorer: packed slots deliver everything, in order") {
    hold_for_all_sizes<modelled<known<croft::events::packed>>>();
    // Several lines, and an ack apart from them.
    hold<stream<modelled<known<croft::events::packed>>, 2, 2, wide>>();
    hold<stream<modelled<known<croft::events::packed>>, 2, 3, wide>>();
}

TEST_CASE("explorer: the baselines deliver everything, in order") {
    hold_for_all_sizes<modelled<known<croft::events::lamport>>>();
    hold_for_all_sizes<modelled<known<croft::events::null_slot>>, by_pointer>();
    hold_for_all_sizes<modelled<known<croft::events::ring_list>>, by_pointer>();
}

TEST_CASE("explorer: requests get their replies") {
    hold<conversation<bell<asymmetric>, 1>>();
    hold<conversation<bell<asymmetric>, 2>>();
    hold<conversation<bell<symmetric>, 3>>();
}

TEST_CASE("explorer: two senders and one sleeper") {
    hold<two_senders<modelled<flags<croft::turns, together>>>>();
    hold<two_senders<modelled<croft::events::lamport>>>();
    hold<two_senders<modelled<croft::events::null_slot>, by_pointer>>();
}

#endif
