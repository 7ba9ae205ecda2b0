#include "kernel/system.hpp"

namespace croftsim {
namespace {

enum Id : std::uint32_t {
    realtime = 0,
    monotonic = 1,
    process_cpu = 2,
    thread_cpu = 3,
    monotonic_raw = 4,
    realtime_coarse = 5,
    monotonic_coarse = 6,
    boottime = 7,
    realtime_alarm = 8,
    boottime_alarm = 9,
    tai = 11,
};

bool is_realtime(std::uint32_t id) {
    return id == realtime || id == realtime_coarse || id == realtime_alarm || id == tai;
}
bool is_monotonic(std::uint32_t id) {
    return id == monotonic || id == monotonic_raw || id == monotonic_coarse || id == boottime || id == boottime_alarm;
}

abi::Time read_clock(const System& system, const Call& call, std::uint32_t id) {
    const std::uint64_t now = system.machine.now();
    if (is_monotonic(id)) return as_time(system.clock.nanoseconds(now));
    if (id == process_cpu) return as_time(system.clock.nanoseconds(system.threads.cpu_cycles()));
    if (id == thread_cpu) return as_time(system.clock.nanoseconds(call.thread.cpu_cycles(now)));
    if (!is_realtime(id)) throw Errno{EINVAL};
    abi::Time time = as_time(system.clock.nanoseconds(now));
    time.seconds += Clock::epoch;
    return time;
}

Result sleep_until(System& system, const Call& call, std::uint64_t deadline) {
    if (deadline <= system.machine.now()) return 0;
    system.threads.block(call.thread, Wait::sleep, 0, deadline);
    return blocked;
}

}  // namespace

namespace calls {

Result clock_gettime(System& system, const Call& call) {
    system.user.put(call.a[1], read_clock(system, call, static_cast<std::uint32_t>(call.a[0])));
    return 0;
}

Result clock_getres(System& system, const Call& call) {
    const auto id = static_cast<std::uint32_t>(call.a[0]);
    if (!is_realtime(id) && !is_monotonic(id) && id != process_cpu && id != thread_cpu) return -EINVAL;
    if (call.a[1])
        system.user.put(call.a[1], as_time((Clock::second + system.clock.hertz() - 1) / system.clock.hertz()));
    return 0;
}

Result gettimeofday(System& system, const Call& call) {
    abi::Time time = read_clock(system, call, realtime);
    time.nanoseconds /= 1000;  // struct timeval
    if (call.a[0]) system.user.put(call.a[0], time);
    if (call.a[1]) system.user.put(call.a[1], std::array<std::int32_t, 2>{});  // struct timezone: UTC
    return 0;
}

Result nanosleep(System& system, const Call& call) {
    return sleep_until(system, call, system.after(system.user.get<abi::Time>(call.a[0])));
}

Result clock_nanosleep(System& system, const Call& call) {
    constexpr std::uint64_t absolute = 1;
    const auto id = static_cast<std::uint32_t>(call.a[0]);
    if (id == realtime_coarse || id == monotonic_coarse || id == monotonic_raw || id == process_cpu) return -EOPNOTSUPP;
    if (!is_realtime(id) && !is_monotonic(id)) return -EINVAL;
    const auto time = system.user.get<abi::Time>(call.a[2]);
    return sleep_until(system, call, call.a[1] & absolute ? system.at(time, is_realtime(id)) : system.after(time));
}

Result getrusage(System& system, const Call& call) {
    struct Usage {
        abi::Time user, kernel;
        std::int64_t max_resident, others[13];
    } usage{};
    const auto who = static_cast<std::int32_t>(call.a[0]);
    if (who != 0 && who != 1 && who != -1) return -EINVAL;
    if (who >= 0) {
        const std::uint64_t cycles =
            who == 1 ? call.thread.cpu_cycles(system.machine.now()) : system.threads.cpu_cycles();
        usage.user = as_time(system.clock.nanoseconds(cycles));
        usage.user.nanoseconds /= 1000;
        usage.max_resident = static_cast<std::int64_t>(system.memory.resident_bytes() / 1024);
    }
    system.user.put(call.a[1], usage);
    return 0;
}

Result times(System& system, const Call& call) {
    constexpr std::uint64_t tick = Clock::second / 100;
    const std::uint64_t cpu = system.clock.nanoseconds(system.threads.cpu_cycles()) / tick;
    if (call.a[0]) system.user.put(call.a[0], std::array<std::uint64_t, 4>{cpu, 0, 0, 0});
    return static_cast<std::int64_t>(system.clock.nanoseconds(system.machine.now()) / tick);
}

}  // namespace calls
}  // namespace croftsim
