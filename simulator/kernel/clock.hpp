#pragma once
// Simulated time: cycles of the machine's clock as nanoseconds since the program started, and back.

#include <cstdint>
#include <limits>

#include "kernel/linux_abi.hpp"

namespace croftsim {

class Clock {
public:
    static constexpr std::uint64_t second = 1'000'000'000;  // in nanoseconds
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    static constexpr std::int64_t epoch = 946'684'800;  // CLOCK_REALTIME at cycle 0: 2000-01-01 00:00:00 UTC

    // The clock is taken as a whole number of hertz. Throws std::invalid_argument if that is not 1 Hz to 1 THz.
    explicit Clock(double mhz);

    std::uint64_t nanoseconds(std::uint64_t cycles) const;  // rounded down

    // The first cycle at which nanoseconds() is at least the argument, so that nobody wakes up early. Rounding up here
    // fits rounding down there: floor(c / f) >= t exactly when c >= t f, and the least such integer is ceil(t f).
    // Likewise a sleep that starts at any cycle c and lasts cycles_for(t) ends with nanoseconds(c) + t on the clock or
    // more. `never` if it is beyond 2^63.
    std::uint64_t cycles_for(std::uint64_t nanoseconds) const;

    std::uint64_t hertz() const { return hertz_; }

private:
    std::uint64_t hertz_;
};

abi::Time as_time(std::uint64_t nanoseconds);
// Nanoseconds, saturating. Throws Errno{EINVAL} for a negative time or 10^9 nanoseconds and more.
std::uint64_t as_nanoseconds(const abi::Time& time);

}  // namespace croftsim
