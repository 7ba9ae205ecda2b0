#pragma once
// The timers behind descriptors (timerfd). Nothing happens when one runs out unless a thread waits.

#include <cstdint>
#include <limits>
#include <map>

#include "base/archive.hpp"
#include "contract/machine_services.hpp"
#include "kernel/clock.hpp"

namespace croftsim {

class Timers {
public:
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

    struct Timer {
        static constexpr bool is_plain = true;
        std::uint64_t first = never;  // the cycle at which it runs out first
        std::uint64_t interval = 0;   // in ns; 0: it runs out once
        std::uint64_t taken = 0;      // how often it had run out when it was read
        std::uint64_t told = 0;       // and when threads that wait were tried last
        std::uint64_t settings = 0;
        bool tells_each = false;  // threads want to hear each time, and not only when it was read meanwhile
        bool is_realtime = false;
    };

    Timers(const MachineServices& machine, const Clock& clock) : machine_(machine), clock_(clock) {}

    std::uint64_t now() const { return machine_.now(); }
    const Clock& clock() const { return clock_; }
    Timer& operator[](std::uint64_t number) { return timers_[number]; }
    bool contains(std::uint64_t number) const { return timers_.contains(number); }
    void remove(std::uint64_t number) { timers_.erase(number); }

    // How often it has run out, and when it does next.
    std::uint64_t expired(const Timer& timer, std::uint64_t now) const;
    std::uint64_t next(const Timer& timer, std::uint64_t now) const;

    // The next cycle at which threads that wait have to look at a timer.
    std::uint64_t next_to_tell() const;
    // They look at all of them now.
    void tell(std::uint64_t now);

    void serialise(Archive& archive) { archive(timers_); }

private:
    std::uint64_t cycle_of(const Timer& timer, std::uint64_t times) const;  // at which it has run out so often

    const MachineServices& machine_;
    const Clock& clock_;
    std::map<std::uint64_t, Timer> timers_;
};
static_assert(is_listed<Timers, 64>);

}  // namespace croftsim
