#include "kernel/timers.hpp"

#include <algorithm>

namespace croftsim {

std::uint64_t Timers::cycle_of(const Timer& timer, std::uint64_t times) const {
    if (timer.first == never || times == 1) return timer.first;
    if (timer.interval == 0) return never;
    const unsigned __int128 later = static_cast<unsigned __int128>(timer.interval) * (times - 1);
    if (later > never) return never;
    const std::uint64_t cycles = clock_.cycles_for(static_cast<std::uint64_t>(later));
    return cycles > never - timer.first ? never : timer.first + cycles;
}

std::uint64_t Timers::expired(const Timer& timer, std::uint64_t now) const {
    if (timer.first > now || timer.first == never) return 0;
    return timer.interval == 0 ? 1 : 1 + clock_.nanoseconds(now - timer.first) / timer.interval;
}

std::uint64_t Timers::next(const Timer& timer, std::uint64_t now) const {
    return cycle_of(timer, expired(timer, now) + 1);
}

std::uint64_t Timers::next_to_tell() const {
    std::uint64_t earliest = never;
    for (const auto& [number, timer] : timers_)
        if (timer.told <= timer.taken || timer.tells_each)
            earliest = std::min(earliest, cycle_of(timer, std::max(timer.told, timer.taken) + 1));
    return earliest;
}

void Timers::tell(std::uint64_t now) {
    for (auto& [number, timer] : timers_) timer.told = expired(timer, now);
}

}  // namespace croftsim
