#include "kernel/signal_timers.hpp"

#include <algorithm>

#include "kernel/system.hpp"

namespace croftsim {

SignalTimers::SignalTimers() {
    intervals_[real].sends = {sigalrm, 0, SignalInfo::by_kernel};
    intervals_[virtual_time].sends = {sigvtalrm, 0, SignalInfo::by_kernel};
    intervals_[profiling].sends = {sigprof, 0, SignalInfo::by_kernel};
    intervals_[virtual_time].by = intervals_[profiling].by = SignalTimer::By::process;
}

std::uint32_t SignalTimers::add(const SignalTimer& timer) {
    by_id_.emplace(last_id_, timer);
    return last_id_++;
}

SignalTimer* SignalTimers::find(std::uint64_t id) {
    const auto found = by_id_.find(static_cast<std::uint32_t>(id));
    return found == by_id_.end() ? nullptr : &found->second;
}

std::uint64_t SignalTimers::reading(System& system, const SignalTimer& timer) {
    const std::uint64_t now = system.machine.now();
    if (timer.by == SignalTimer::By::clock) return now;
    if (timer.by == SignalTimer::By::process) return system.threads.cpu_cycles();
    const Thread* const thread = system.threads.find(timer.of);
    return thread ? thread->cpu_cycles(now) : 0;
}

// Threads begin and cease to run only when the kernel acts, and it asks anew behind each act.
std::uint64_t SignalTimers::next_event(System& system) {
    std::uint64_t earliest = SignalTimer::off;
    if (!any_armed_) return earliest;
    any_armed_ = false;
    for_each([&](const SignalTimer& timer) {
        if (timer.next == SignalTimer::off) return;
        any_armed_ = true;
        if (timer.by == SignalTimer::By::clock) {
            earliest = std::min(earliest, timer.next);
            return;
        }
        std::uint64_t running = 0;
        system.threads.for_each([&](const Thread& thread) {
            running += thread.wait == Wait::none && (timer.by == SignalTimer::By::process || thread.id == timer.of);
        });
        if (running == 0) return;
        const std::uint64_t reads = reading(system, timer), left = timer.next - std::min(timer.next, reads);
        earliest = std::min(earliest, system.machine.now() + (left + running - 1) / running);
    });
    return earliest;
}

void SignalTimers::act(System& system) {
    for_each([&](SignalTimer& timer) {
        const std::uint64_t reads = timer.next == SignalTimer::off ? 0 : reading(system, timer);
        if (reads < timer.next || timer.next == SignalTimer::off) return;
        const std::uint64_t missed = timer.interval ? (reads - timer.next) / timer.interval : 0;
        timer.next = timer.interval ? timer.next + (missed + 1) * timer.interval : SignalTimer::off;
        if (timer.sends.signal == 0) return;
        Thread* const to = timer.to ? system.threads.find(timer.to) : nullptr;
        if (timer.to && !to) return;
        const PendingSignals& pending = to ? to->signals.pending : system.signals.pending;
        if (pending.set() & set_of(timer.sends.signal)) {
            timer.overrun += static_cast<std::uint32_t>(missed + 1);
            return;
        }
        timer.overrun = static_cast<std::uint32_t>(missed);
        SignalInfo info = timer.sends;
        if (info.code == SignalInfo::by_timer) info.from |= std::uint64_t{timer.overrun} << 32;
        system.post_signal(info, to);
    });
}

namespace {

using abi::TimerSetting;

abi::Time time_of(const System& system, std::uint64_t cycles) { return as_time(system.clock.nanoseconds(cycles)); }

TimerSetting setting_of(System& system, const SignalTimer& timer) {
    if (timer.next == SignalTimer::off) return {time_of(system, timer.interval), {}};
    const std::uint64_t reads = SignalTimers::reading(system, timer);
    return {time_of(system, timer.interval), time_of(system, timer.next > reads ? timer.next - reads : 1)};
}

void set(System& system, SignalTimer& timer, const TimerSetting& wanted, bool absolute, bool realtime) {
    const std::uint64_t value = as_nanoseconds(wanted.value);
    timer.interval = system.clock.cycles_for(as_nanoseconds(wanted.interval));
    timer.overrun = 0;
    system.signal_timers.armed();
    if (value == 0)
        timer.next = SignalTimer::off;
    else if (absolute)
        timer.next =
            timer.by == SignalTimer::By::clock ? system.at(wanted.value, realtime) : system.clock.cycles_for(value);
    else
        timer.next = SignalTimers::reading(system, timer) + system.clock.cycles_for(value);
}

TimerSetting from_microseconds(TimerSetting setting) {  // struct itimerval
    for (abi::Time* time : {&setting.interval, &setting.value}) {
        if (time->nanoseconds < 0 || time->nanoseconds >= 1'000'000) throw Errno{EINVAL};
        time->nanoseconds *= 1000;
    }
    return setting;
}

TimerSetting to_microseconds(TimerSetting setting) {
    for (abi::Time* time : {&setting.interval, &setting.value}) time->nanoseconds = (time->nanoseconds + 999) / 1000;
    return setting;
}

constexpr std::uint32_t of_realtime = 0, of_process = 2, of_thread = 3;

}  // namespace

namespace calls {

Result setitimer(System& system, const Call& call) {
    if (call.a[0] > SignalTimers::profiling) return -EINVAL;
    SignalTimer& timer = system.signal_timers.interval(static_cast<std::uint32_t>(call.a[0]));
    const TimerSetting old = to_microseconds(setting_of(system, timer));
    const TimerSetting wanted =
        call.a[1] ? from_microseconds(system.user.get<TimerSetting>(call.a[1])) : TimerSetting{};
    set(system, timer, wanted, false, false);
    if (call.a[2]) system.user.put(call.a[2], old);
    return 0;
}

Result getitimer(System& system, const Call& call) {
    if (call.a[0] > SignalTimers::profiling) return -EINVAL;
    const SignalTimer& timer = system.signal_timers.interval(static_cast<std::uint32_t>(call.a[0]));
    system.user.put(call.a[1], to_microseconds(setting_of(system, timer)));
    return 0;
}

Result timer_create(System& system, const Call& call) {
    struct Event {  // struct sigevent
        std::uint64_t value;
        std::uint32_t signal, notify, thread, unused[11];
    };
    static_assert(sizeof(Event) == 64);
    constexpr std::uint32_t by_signal = 0, by_nothing = 1, to_thread = 4;
    const auto clock = static_cast<std::uint32_t>(call.a[0]);
    if (clock > 11 || (clock >= 4 && clock <= 6) || clock == 10) return -EINVAL;
    SignalTimer timer;
    timer.by = clock == of_process  ? SignalTimer::By::process
               : clock == of_thread ? SignalTimer::By::thread
                                    : SignalTimer::By::clock;
    timer.of = clock == of_realtime ? 0 : call.thread.id;
    timer.sends = {sigalrm, 0, SignalInfo::by_timer};
    if (call.a[1]) {
        const auto event = system.user.get<Event>(call.a[1]);
        if (event.notify != by_signal && event.notify != by_nothing && event.notify != to_thread) return -EINVAL;
        if (event.notify != by_nothing && (event.signal == 0 || event.signal > last_signal)) return -EINVAL;
        timer.sends.signal = event.notify == by_nothing ? 0 : event.signal;
        timer.sends.value = event.value;
        if (event.notify == to_thread) {
            if (!system.threads.find(event.thread)) return -EINVAL;
            timer.to = event.thread;
        }
    }
    system.user.check(call.a[2], 4, Permission::write);
    const std::uint32_t id = system.signal_timers.add(timer);
    SignalTimer& added = *system.signal_timers.find(id);
    added.sends.from = id;
    if (!call.a[1]) added.sends.value = id;
    system.user.put(call.a[2], id);
    return 0;
}

Result timer_settime(System& system, const Call& call) {
    SignalTimer* const timer = system.signal_timers.find(call.a[0]);
    if (!timer || !call.a[2]) return -EINVAL;
    const TimerSetting old = setting_of(system, *timer);
    constexpr std::uint64_t absolute = 1;
    set(system, *timer, system.user.get<TimerSetting>(call.a[2]), call.a[1] & absolute, timer->of == 0);
    if (call.a[3]) system.user.put(call.a[3], old);
    return 0;
}

Result timer_gettime(System& system, const Call& call) {
    const SignalTimer* const timer = system.signal_timers.find(call.a[0]);
    if (!timer) return -EINVAL;
    system.user.put(call.a[1], setting_of(system, *timer));
    return 0;
}

Result timer_getoverrun(System& system, const Call& call) {
    const SignalTimer* const timer = system.signal_timers.find(call.a[0]);
    return timer ? static_cast<std::int64_t>(timer->overrun) : -EINVAL;
}

Result timer_delete(System& system, const Call& call) { return system.signal_timers.remove(call.a[0]) ? 0 : -EINVAL; }

}  // namespace calls
}  // namespace croftsim
