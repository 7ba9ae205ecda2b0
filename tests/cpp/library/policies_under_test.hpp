#pragma once
// The ways a channel can be made, for tests that hold for all of them.

#include <chrono>
#include <thread>
#include <type_traits>

#include <croft/channel/batched_slots.hpp>
#include <croft/channel/drop_and_reread.hpp>
#include <croft/channel/policies.hpp>
#include <croft/memory/at_core.hpp>
#include <croft/memory/at_reader.hpp>
#include <croft/memory/forwarded.hpp>
#include <croft/memory/incoherent.hpp>
#include <croft/memory/round_robin.hpp>

struct paper_policies : croft::policies {
    using events = croft::events::flags<croft::events::booleans, croft::events::ack_place::with_message>;
};
struct split_policies : croft::policies {
    using events = croft::events::flags<croft::events::booleans, croft::events::ack_place::own_line>;
};
struct batched_policies : croft::policies {
    using events = croft::events::batched;
};
// The default natively, but not everywhere. Where it is, it is the same type, so that what is tested by both is
// compiled once.
struct own_packed_policies : croft::policies {
    using events = croft::events::packed;
};
using packed_policies = std::conditional_t<std::is_same_v<croft::policies::events, croft::events::packed>,
                                           croft::policies, own_packed_policies>;
struct turns_policies : croft::policies {
    using events = croft::events::flags<croft::events::turns, croft::events::ack_place::with_message>;
};
struct turns_split_policies : croft::policies {
    using events = croft::events::flags<croft::events::turns, croft::events::ack_place::own_line>;
};
// Never sleeps. The yield is for test machines with fewer cores than threads.
struct yielding_wait {
    template <class Scan>
    void wait(Scan scan) const {
        if (!scan(croft::detail::relaxed_load{})) std::this_thread::yield();
    }
    void notify() const {}
};
struct spinning_policies : croft::policies {
    using wait = yielding_wait;
};
// Goes to sleep at once, every time it has to wait.
struct drowsy_wait : croft::waits::doorbell<std::atomic, croft::waits::operating_system> {
    drowsy_wait() { spin_for(std::chrono::nanoseconds(0)); }
};
struct drowsy_policies : batched_policies {
    using wait = drowsy_wait;
};
struct drowsy_paper_policies : paper_policies {
    using wait = drowsy_wait;
};

struct drowsy_packed_policies : packed_policies {
    using wait = drowsy_wait;
};

// Homes, which here are plain memory: that their hooks leave every message and event what it was.
template <class Home, class Base = croft::policies>
struct homed_policies : Base {
    using home = Home;
};

// One of each kind: each way that messages and acks are kept in, one that sleeps, and one with a home.
#define SOME_POLICIES                                                                          \
    packed_policies, turns_policies, paper_policies, batched_policies, drowsy_packed_policies, \
        homed_policies<croft::homes::forwarded, packed_policies>
#define OTHER_POLICIES                                                                                     \
    split_policies, turns_split_policies, spinning_policies, drowsy_policies, drowsy_paper_policies,       \
        homed_policies<croft::homes::at_reader, split_policies>,                                           \
        homed_policies<croft::homes::forwarded, drowsy_paper_policies>,                                    \
        homed_policies<croft::homes::incoherent, paper_policies>, homed_policies<croft::homes::at_sender>, \
        homed_policies<croft::homes::round_robin>
#define ALL_POLICIES SOME_POLICIES, OTHER_POLICIES
