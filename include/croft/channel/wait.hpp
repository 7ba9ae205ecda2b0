#pragma once
// How a waiter waits: the third of the three policies.
//
// A wait policy is a class. Every thread that waits at a channel has one object of it. All channels at which the thread
// waits, as their sender or their receiver, may share the object. It has
//
//   wait(scan)    called by its owner. `scan(load)` looks at every flag that matters, by way of `load(flag, lines)`,
//                 and is true if the event is there. Returns once a scan was true, or earlier for no reason: the caller
//                 looks again, this time acquiring. So a policy decides only how to look and what to do between two
//                 looks.
//   wait_until(scan, deadline)   the same, but false once the deadline has passed. A policy need not have it
//                 (timed.hpp).
//   notify()      called by the other side, after it has set a flag that the owner may wait for.
//
// The siblings:
//
//   spin          looks again at once, for ever: at the copy that its cache keeps until the flag is written, where
//                 lines are coherent. For machines of one's own.
//   sleep_on_line looks once, and sleeps in hardware until one of the lines is taken (Zawrs): spin without the work.
//                 notify() is nothing.
//   doorbell      (doorbell.hpp) spins for a bounded time, or lets the others on its core go first, and then sleeps in
//                 the operating system until notify() rings.
//   drop_and_reread, drop_and_reread_every<cycles>   (drop_and_reread.hpp) keep no copy between two looks.
//   notified      (notifications.hpp) sleeps until the machine's network brings an event; for events::notified.

#include <atomic>

#include <croft/channel/doorbell.hpp>
#include <croft/channel/flag.hpp>
#include <croft/port/port.hpp>

namespace croft::waits {

struct spin {
    template <class Scan>
    void wait(Scan scan) const {
        while (!scan(detail::relaxed_load{})) port::pause();
    }
    void notify() const {}
};

#if defined(CROFT_HAS_LINE_WAIT)
struct sleep_on_line {
    // A look at a line that is watched already, or will be.
    struct watching_further_look {
        template <class Flag, class Lines>
        auto operator()(const Flag& flag, const Lines&) const {
            static_assert(Lines::coherent,
                          "nothing is invalidated where there are no homes: spin, or drop and re-read");
            return port::reserve_also(flag);
        }
    };
    struct watching_look {
        bool& first;

        template <class Flag, class Lines>
        auto operator()(const Flag& flag, const Lines& lines) const {
            if (!first) return watching_further_look{}(flag, lines);
            first = false;
            return port::reserve(flag);
        }
        watching_further_look further() const { return {}; }
    };
    // The look begins the watch. A store that the look did not see takes the line after it, and so ends the wait. If it
    // came before the wait began, it ends the wait at once. Looking first and then watching would sleep through such a
    // store.
    template <class Scan>
    void wait(Scan scan) const {
        for (;;) {
            bool first = true;
            if (scan(watching_look{first})) return;
            port::wait_for_change();
        }
    }
    void notify() const {}
};
using best = sleep_on_line;
#else
using best = doorbell<std::atomic, operating_system>;
#endif

}  // namespace croft::waits
