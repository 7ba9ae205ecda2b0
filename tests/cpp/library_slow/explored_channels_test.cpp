// Every kind of channel, and the baselines, in every interleaving and with every old value that a load may find
// (explorer.hpp). Each of their mutants has to be caught.

#include <croft/channel/batched_slots.hpp>
#include <croft/paper/channel/lamport_queue.hpp>
#include <croft/paper/channel/null_slot_queue.hpp>
#include <croft/paper/channel/packed_many_to_one.hpp>
#include <croft/paper/channel/unbounded_queue.hpp>

#include "explored_programs.hpp"

#if !defined(__SANITIZE_THREAD__)  // it takes fibers for one thread, and has nothing to find here

namespace {

using namespace explorer;

template <class Flag, croft::events::ack_place Place>
using flags = croft::events::flags<Flag, Place>;
constexpr auto together = croft::events::ack_place::with_message;
constexpr auto apart = croft::events::ack_place::own_line;

template <class Policies, class Kind = by_value>
void hold_for_all_sizes() {
    hold<stream<Policies, 1, 1, Kind>>();
    hold<stream<Policies, 1, 2, Kind>>();
    if constexpr (!std::is_same_v<Kind, by_pointer>) hold<stream<Policies, 1, 3, Kind>>();
    hold<stream<Policies, 2, 2, Kind>>();
}

}  // namespace

TEST_CASE("explorer: channels deliver everything, in order, by every kind of event") {
    hold_for_all_sizes<modelled<known<flags<croft::events::turns, together>>>>();
    hold_for_all_sizes<modelled<known<flags<croft::events::booleans, together>>>>();
    hold_for_all_sizes<modelled<known<flags<croft::events::booleans, apart>>, bell<symmetric>>>();
    hold_for_all_sizes<modelled<known<croft::events::batched>>>();
}

TEST_CASE("explorer: packed slots deliver everything, in order") {
    hold_for_all_sizes<modelled<known<croft::events::packed>>>();
    // Several lines, and an ack apart from them.
    hold<stream<modelled<known<croft::events::packed>>, 2, 2, wide>>();
    hold<stream<modelled<known<croft::events::packed>>, 2, 3, wide>>();
}

TEST_CASE("explorer: a look at a line further on announces the lines before it") {
    // From the third line on the receiver looks two lines ahead, and at the fourth not at all.
    hold<stream<modelled<known<far_ahead>>, 5, 5, wide>>();
}

TEST_CASE("explorer: ranges are delivered, in order, and acknowledged by any number") {
    hold<ranges<modelled<known<croft::events::packed>>, 1, 2>>();
    hold<ranges<modelled<known<croft::events::packed>>, 2, 3>>();
    hold<ranges<modelled<known<croft::events::packed>>, 3, 4>>();
    hold<ranges<modelled<known<flags<croft::events::turns, together>>>, 1, 2>>();
    hold<ranges<modelled<known<croft::events::batched>>, 2, 3>>();
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
    hold<two_senders<modelled<flags<croft::events::turns, together>>>>();
    hold<two_senders<modelled<flags<croft::events::booleans, apart>>>>();
    hold<two_senders<modelled<croft::events::packed_flags>>>();
    hold<two_senders<modelled<croft::events::lamport>>>();
    hold<two_senders<modelled<croft::events::null_slot>, by_pointer>>();
}

TEST_CASE("explorer: one among many who are idle") {
    hold<among_idle<modelled<flags<croft::events::turns, together>>>>();
    hold<among_idle<modelled<flags<croft::events::booleans, apart>>>>();
    hold<among_idle<modelled<croft::events::packed_flags>>>();
}

TEST_CASE("explorer: who loses patience loses no message") {
    hold<impatient_stream<modelled<known<croft::events::packed>>, 1, 2>>();
    hold<impatient_stream<modelled<known<flags<croft::events::turns, together>>>, 2, 2>>();
    hold<impatient_stream<modelled<known<croft::events::packed>, bell<patient>>, 1, 2>>();
    hold<impatient_stream<modelled<known<flags<croft::events::booleans, together>>, bell<patient>>, 1, 2>>();
}

TEST_CASE("explorer: nobody waits for who has left") {
    hold<leaving<modelled<known<croft::events::packed>>, 1, 0>>();
    hold<leaving<modelled<known<croft::events::packed>>, 1, 1>>();
    hold<leaving<modelled<known<croft::events::packed>>, 2, 1>>();
    hold<leaving<modelled<known<flags<croft::events::booleans, together>>, bell<symmetric>>, 1, 1>>();
    hold<leaving<modelled<known<croft::events::batched>>, 1, 1>>();
    hold<leaving<modelled<known<croft::events::packed>>, 1, 1, true>>();
    hold<leaving<modelled<known<croft::events::packed>, bell<patient>>, 1, 1, true>>();
    hold<deserted<bell<asymmetric>>>();
}

TEST_CASE("explorer: senders come to an inbox, and go") {
    hold<comer<modelled<flags<croft::events::turns, together>, telling_bell<asymmetric>>>>();
    hold<left_inbox<modelled<flags<croft::events::turns, together>>>>();
    hold<left_inbox<modelled<croft::events::packed>>>();
}

TEST_CASE("explorer: a receiver that registers is told, once, whenever a message comes") {
    hold<told_receiver<asymmetric, 1>>();
    hold<told_receiver<asymmetric, 2>>();
    hold<told_receiver<symmetric, 1>>();
}

// ---- mutants ----

namespace {

// Both loads and stores of both words of two sides' doorbells may be relaxed. Flags carry everything (sleep.md), and
// the core on which a ringer runs is a hint. The word that says that the receiver has left may be relaxed, too, where
// it does not leave.
constexpr std::size_t of_doorbells = 2 * 2 * 2, of_leaving = 2;

struct unfenced : asymmetric {
    static void heavy_fence() {}
};

struct ready_counts_double : croft::events::turns {
    template <class Flag>
    static void set_ack(Flag&, std::uint32_t) {}  // a step left out: the slot is never given back
};
struct ack_not_released : croft::events::booleans {
    template <class Flag>
    static void set_ack(Flag& flag, std::uint32_t) {
        flag.store(1, std::memory_order_relaxed);  // may overtake the reset of ready
    }
};
struct ready_before_ack_is_reset : croft::events::booleans {
    template <class Flag>
    static void reset_ack(Flag&) {}  // an ack then counts for ever
};

// Slots that leave out one step each.
template <class Events>
struct forgets_acks_it_holds {
    template <class Message, class Policies>
    struct storage : Events::template storage<Message, Policies> {
        using base = typename Events::template storage<Message, Policies>;
        using base::base;
        bool set_ack(typename base::receiver_state& at) { return base::set_ack(at), false; }  // and tells nobody
        bool flush_acks(typename base::receiver_state&) { return false; }
    };
};
template <class Events>
struct overwrites {
    template <class Message, class Policies>
    struct storage : Events::template storage<Message, Policies> {
        using base = typename Events::template storage<Message, Policies>;
        using base::base;
        template <class Load>
        bool has_ack(typename base::sender_state& at, Load load) const {
            if constexpr (!requires { at.stop; })
                return true;
            else {
                // Packed slots go on to the next line in has_ack(): it is told that all messages were done with.
                at.seen_done = at.sent + static_cast<std::uint32_t>(at.slot - at.at->messages);
                return base::has_ack(at, load);
            }
        }
    };
};

// Runs that are one too long.
struct packed_miscounts_room {
    template <class Message, class Policies>
    struct storage : croft::detail::packed_slots<Message, Policies> {
        using base = croft::detail::packed_slots<Message, Policies>;
        using base::base;
        std::uint32_t free_run(const typename base::sender_state& at) const { return base::free_run(at) + 1; }
    };
};
struct packed_miscounts_messages {
    template <class Message, class Policies>
    struct storage : croft::detail::packed_slots<Message, Policies> {
        using base = croft::detail::packed_slots<Message, Policies>;
        using base::base;
        std::uint32_t ready_run(const typename base::receiver_state& at) const { return base::ready_run(at) + 1; }
    };
};

template <class Events, class Kind = by_value>
void notice_missing_steps() {
    CHECK(explore<stream<modelled<known<forgets_acks_it_holds<Events>>>, 1, 2, Kind>>().violation ==
          "a thread sleeps for ever");
    CHECK(explore<stream<modelled<known<overwrites<Events>>>, 1, 2, Kind>>().violation != "");
}

}  // namespace

TEST_CASE("explorer: a missing release or acquire of any flag is noticed") {
    // One slot and its data, two doorbells: neither loads nor stores of anything else may be relaxed.
    CHECK(places_that_may_be_relaxed<stream<modelled<known<flags<croft::events::turns, together>>>, 1, 2>>() ==
          of_doorbells + of_leaving);
    CHECK(places_that_may_be_relaxed<stream<modelled<known<croft::events::packed>>, 1, 2, wide>>() ==
          of_doorbells + of_leaving + 2);  // the line for acks is not used by a single slot
    CHECK(places_that_may_be_relaxed<stream<modelled<known<croft::events::lamport>>, 1, 2>>() ==
          of_doorbells + of_leaving);
}

TEST_CASE("explorer: a missing release, acquire or fence of a receiver that leaves is noticed") {
    CHECK(places_that_may_be_relaxed<leaving<modelled<known<flags<croft::events::turns, together>>>, 1, 0>>() ==
          of_doorbells + 4);  // nothing is received: neither ready nor ack carries anything
    CHECK(explore<leaving<modelled<known<croft::events::packed>, bell<unfenced>>, 1, 0>>().violation ==
          "a thread sleeps for ever");
}

TEST_CASE("explorer: a missing release, acquire or fence of a receiver that registers is noticed") {
    // The word of the receiver's doorbell may not be relaxed, because it carries who is told. The one message's ack
    // may, and so may the word for which the receiver sleeps until it is told. The fences of its next look order them.
    CHECK(places_that_may_be_relaxed<told_receiver<asymmetric, 1>>() == of_doorbells - 2 + of_leaving + 4);
    CHECK(explore<told_receiver<unfenced, 1>>().violation == "a thread sleeps for ever");
}

TEST_CASE("explorer: mutants of the flags and slots are noticed") {
    CHECK(explore<stream<modelled<known<flags<ready_counts_double, together>>>, 1, 2>>().violation != "");
    CHECK(explore<stream<modelled<known<flags<ack_not_released, together>>>, 1, 2>>().violation != "");
    CHECK(explore<stream<modelled<known<flags<ready_before_ack_is_reset, together>>>, 1, 2>>().violation != "");
    notice_missing_steps<flags<croft::events::turns, together>>();
    notice_missing_steps<croft::events::batched>();
    notice_missing_steps<croft::events::packed, wide>();  // several to a line, more would fit than K
    notice_missing_steps<croft::events::lamport>();
    CHECK(explore<ranges<modelled<known<packed_miscounts_room>>, 2, 3>>().violation != "");
    CHECK(explore<ranges<modelled<known<packed_miscounts_messages>>, 2, 3>>().violation != "");
    notice_missing_steps<croft::events::null_slot, by_pointer>();
}

#endif
