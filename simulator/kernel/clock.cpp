#include "kernel/clock.hpp"

#include <cmath>
#include <stdexcept>

#include "kernel/system.hpp"

namespace croftsim {
namespace {

using Wide = unsigned __int128;

}  // namespace

Clock::Clock(double mhz) {
    if (!(mhz >= 1e-6 && mhz <= 1e6)) throw std::invalid_argument("a clock of " + std::to_string(mhz) + " MHz");
    hertz_ = static_cast<std::uint64_t>(std::llround(mhz * 1e6));
}

std::uint64_t Clock::nanoseconds(std::uint64_t cycles) const {
    const Wide value = Wide{cycles} * second / hertz_;
    return value > never ? never : static_cast<std::uint64_t>(value);
}

std::uint64_t Clock::cycles_for(std::uint64_t nanoseconds) const {
    const Wide value = (Wide{nanoseconds} * hertz_ + (second - 1)) / second;
    return value > Wide{1} << 63 ? never : static_cast<std::uint64_t>(value);
}

abi::Time as_time(std::uint64_t nanoseconds) {
    return {static_cast<std::int64_t>(nanoseconds / Clock::second),
            static_cast<std::int64_t>(nanoseconds % Clock::second)};
}

std::uint64_t as_nanoseconds(const abi::Time& time) {
    if (time.seconds < 0 || time.nanoseconds < 0 || time.nanoseconds >= static_cast<std::int64_t>(Clock::second))
        throw Errno{EINVAL};
    const Wide value =
        Wide{static_cast<std::uint64_t>(time.seconds)} * Clock::second + static_cast<std::uint64_t>(time.nanoseconds);
    return value > Clock::never ? Clock::never : static_cast<std::uint64_t>(value);
}

std::uint64_t System::after(const abi::Time& time) const {
    const std::uint64_t cycles = clock.cycles_for(as_nanoseconds(time)), now = machine.now();
    return cycles > Clock::never - now ? Clock::never : now + cycles;
}

std::uint64_t System::at(abi::Time time, bool realtime_clock) const {
    as_nanoseconds(time);  // its checks
    if (realtime_clock) time.seconds -= Clock::epoch;
    return time.seconds < 0 ? 0 : clock.cycles_for(as_nanoseconds(time));
}

}  // namespace croftsim
