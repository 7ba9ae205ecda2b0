#pragma once
// Waiting without keeping a copy of the flag (paper 000, 6.3, "non-home node runtime"). Suppose a waiter that is not
// the home of the flag looks at a copy in its cache. Then the home has to invalidate that copy when the event comes. In
// a farm, one cache has such an invalidation for every worker. Instead
//
//   drop_and_reread                  drops its copy after each look, and asks the home again: no invalidation, but as
//                                    many requests at the home as fit into the wait
//   drop_and_reread_every<cycles>    asks again when so many cycles have passed. The period is to be tuned: half of it
//                                    is added to the latency on average, and each period costs the home a request
//
// At home a waiter does neither: its looks are local, and it sleeps on the line until that is written. Where waiting on
// lines is not to be had all looks are alike, and this is a spin.

#include <cstdint>

#include <croft/channel/flag.hpp>
#include <croft/memory/lines.hpp>
#include <croft/port/port.hpp>

namespace croft::waits {

template <std::uint64_t Period>
struct drop_and_reread_every {
    template <class Scan>
    void wait(Scan scan) const {
        for (;;) {
            bool elsewhere = false, watches = false;
            const bool there =
                scan([&](const auto& flag, const auto& where) { return look(flag, where, elsewhere, watches); });
            if (there) return;
            if (elsewhere || !watches)
                pass();
            else
                sleep();
        }
    }
    void notify() const {}

private:
    template <class Flag, class Lines>
    static auto look(const Flag& flag, const Lines& where, bool& elsewhere, [[maybe_unused]] bool& watches) {
        if (where.away()) {
            elsewhere = true;
            const auto value = detail::relaxed_load{}(flag, where);
            lines::drop(&flag, sizeof(flag));  // at once: a copy kept until the next look would be invalidated before
            return value;
        }
#if defined(CROFT_HAS_LINE_WAIT)
        // A look that finds nothing begins the watch: see sleep_on_line.
        const auto value = watches ? port::reserve_also(flag) : port::reserve(flag);
        watches = true;
        return value;
#else
        return detail::relaxed_load{}(flag, where);
#endif
    }
    static void pass() {
        if constexpr (Period == 0) {
            port::pause();
        } else {
            const std::uint64_t begin = port::cycles();
            while (port::cycles() - begin < Period) port::pause();
        }
    }
    static void sleep() {
#if defined(CROFT_HAS_LINE_WAIT)
        port::wait_for_change();
#endif
    }
};

using drop_and_reread = drop_and_reread_every<0>;

}  // namespace croft::waits
