#include "kernel/timer_file.hpp"

#include <cstring>

#include "kernel/system.hpp"

namespace croftsim {

std::uint64_t TimerFile::untaken() const {
    const Timers& timers = waitables_.timers;
    return timers.expired(timer(), timers.now()) - timer().taken;
}

std::uint64_t TimerFile::changes(std::uint32_t) {
    const Timers& timers = waitables_.timers;
    return timer().settings + timers.expired(timer(), timers.now());
}

std::size_t TimerFile::read(std::span<std::uint8_t> to) {
    const std::uint64_t times = untaken();
    if (to.size() < sizeof times) throw Errno{EINVAL};
    if (times == 0) throw Errno{EAGAIN};
    timer().taken += times;
    timer().told = timer().taken;
    std::memcpy(to.data(), &times, sizeof times);
    return sizeof times;
}

void TimerFile::serialise(Archive& archive) {
    archive(timer_);
    if (!waitables_.timers.contains(timer_)) Archive::damaged();
}

namespace {

TimerFile& timer_of(System& system, const Call& call) {
    auto* file = dynamic_cast<TimerFile*>(&system.files.get(static_cast<std::int32_t>(call.a[0])));
    if (!file) throw Errno{EINVAL};
    return *file;
}

abi::TimerSetting setting_of(const System& system, const Timers::Timer& timer) {
    const std::uint64_t now = system.machine.now(), next = system.waitables.timers.next(timer, now);
    abi::TimerSetting setting{as_time(timer.interval), {}};
    // One that is about to run out is not one that does not run.
    if (next != Timers::never)
        setting.value = as_time(std::max<std::uint64_t>(system.clock.nanoseconds(next - now), 1));
    return setting;
}

}  // namespace

namespace calls {

Result timerfd_create(System& system, const Call& call) {
    constexpr std::uint64_t realtime = 0, monotonic = 1, boottime = 7, realtime_alarm = 8, boottime_alarm = 9;
    if (call.a[1] & ~std::uint64_t{abi::o_nonblock | abi::o_close_on_exec}) return -EINVAL;
    const std::uint64_t clock = call.a[0];
    if (clock == realtime_alarm || clock == boottime_alarm) return -EPERM;
    if (clock != realtime && clock != monotonic && clock != boottime) return -EINVAL;
    const std::uint64_t number = system.waitables.new_number();
    system.waitables.timers[number].is_realtime = clock == realtime;
    const auto flags = abi::o_read_write | static_cast<std::uint32_t>(call.a[1] & abi::o_nonblock);
    return system.files.add(std::make_shared<TimerFile>(system.waitables, flags, number),
                            call.a[1] & abi::o_close_on_exec);
}

Result timerfd_settime(System& system, const Call& call) {
    constexpr std::uint64_t absolute = 1, cancelled_when_set = 2;
    if (call.a[1] & ~(absolute | cancelled_when_set)) return -EINVAL;
    const auto wanted = system.user.get<abi::TimerSetting>(call.a[2]);
    Timers::Timer& timer = timer_of(system, call).timer();
    Timers::Timer next{.interval = as_nanoseconds(wanted.interval),
                       .settings = timer.settings + 1,
                       .tells_each = timer.tells_each,
                       .is_realtime = timer.is_realtime};
    const bool runs = as_nanoseconds(wanted.value) > 0;
    if (runs)
        next.first = call.a[1] & absolute ? system.at(wanted.value, timer.is_realtime) : system.after(wanted.value);
    if (call.a[3]) system.user.put(call.a[3], setting_of(system, timer));
    timer = next;
    timer.told = system.waitables.timers.expired(timer, system.machine.now());
    system.waitables.waiting.changed();
    return 0;
}

Result timerfd_gettime(System& system, const Call& call) {
    system.user.put(call.a[1], setting_of(system, timer_of(system, call).timer()));
    return 0;
}

}  // namespace calls
}  // namespace croftsim
