#include "kernel/signals.hpp"

#include <string>

#include "kernel/system.hpp"

namespace croftsim {
namespace {

constexpr std::uint64_t set_bytes = 8;  // of a signal set

constexpr const char* names[] = {"none",     "SIGHUP",  "SIGINT",    "SIGQUIT", "SIGILL",  "SIGTRAP",   "SIGABRT",
                                 "SIGBUS",   "SIGFPE",  "SIGKILL",   "SIGUSR1", "SIGSEGV", "SIGUSR2",   "SIGPIPE",
                                 "SIGALRM",  "SIGTERM", "SIGSTKFLT", "SIGCHLD", "SIGCONT", "SIGSTOP",   "SIGTSTP",
                                 "SIGTTIN",  "SIGTTOU", "SIGURG",    "SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF",
                                 "SIGWINCH", "SIGIO",   "SIGPWR",    "SIGSYS"};

enum Number : std::uint32_t {
    sigabrt = 6,
    sigkill = 9,
    sigchld = 17,
    sigcont = 18,
    sigstop = 19,
    sigurg = 23,
    sigwinch = 28
};

std::string name_of_signal(std::uint32_t signal) {
    return signal < std::size(names) ? names[signal] : "signal " + std::to_string(signal);
}

bool ignored_by_default(std::uint32_t signal) {
    return signal == sigchld || signal == sigcont || signal == sigurg || signal == sigwinch;
}

Result send(System& system, const Call& call, std::uint64_t number) {
    const auto signal = static_cast<std::uint32_t>(number);
    if (signal > Signals::count) return -EINVAL;
    if (signal == 0) return 0;
    const std::uint64_t handler = system.signals.actions[signal].handler;
    if (handler == Signals::ignore || (handler == Signals::default_action && ignored_by_default(signal))) return 0;
    const std::string name = name_of_signal(signal);
    if (handler != Signals::default_action)
        throw GuestFault(call.thread.core, "the program sends itself " + name +
                                               ", for which it has a handler; signal handlers are not simulated");
    throw GuestFault(call.thread.core, "the program was ended by " + name + (signal == sigabrt ? " (abort())" : ""),
                     static_cast<int>(128 + signal));
}

bool is_thread(System& system, std::uint64_t id) {
    return id != 0 && system.threads.find(static_cast<std::uint32_t>(id)) != nullptr;
}

}  // namespace

namespace calls {

Result kill(System& system, const Call& call) {
    const auto target = static_cast<std::int32_t>(call.a[0]);
    // 0 and -1 mean the process group and everything, which both are this process.
    if (target > 0 && target != static_cast<std::int32_t>(System::process)) return -ESRCH;
    if (target < -1) return -ESRCH;
    return send(system, call, call.a[1]);
}

Result tkill(System& system, const Call& call) {
    return is_thread(system, call.a[0]) ? send(system, call, call.a[1]) : -ESRCH;
}

Result tgkill(System& system, const Call& call) {
    if (call.a[0] != System::process || !is_thread(system, call.a[1])) return -ESRCH;
    return send(system, call, call.a[2]);
}

Result rt_sigaction(System& system, const Call& call) {
    const auto signal = static_cast<std::uint32_t>(call.a[0]);
    if (call.a[3] != set_bytes || signal == 0 || signal > Signals::count) return -EINVAL;
    if (call.a[1] && (signal == sigkill || signal == sigstop)) return -EINVAL;
    SignalAction& action = system.signals.actions[signal];
    const SignalAction old = action;
    if (call.a[1]) action = system.user.get<SignalAction>(call.a[1]);
    if (call.a[2]) system.user.put(call.a[2], old);
    return 0;
}

Result rt_sigprocmask(System& system, const Call& call) {
    if (call.a[3] != set_bytes) return -EINVAL;
    std::uint64_t& mask = call.thread.signals.mask;
    const std::uint64_t old = mask;
    if (call.a[1]) {
        const auto set = system.user.get<std::uint64_t>(call.a[1]);
        switch (static_cast<std::uint32_t>(call.a[0])) {
            case 0:
                mask |= set;
                break;
            case 1:
                mask &= ~set;
                break;
            case 2:
                mask = set;
                break;
            default:
                return -EINVAL;
        }
        mask &= ~(std::uint64_t{1} << (sigkill - 1) | std::uint64_t{1} << (sigstop - 1));
    }
    if (call.a[2]) system.user.put(call.a[2], old);
    return 0;
}

Result rt_sigpending(System& system, const Call& call) {
    if (call.a[1] > set_bytes) return -EINVAL;
    system.user.put(call.a[0], std::uint64_t{0});
    return 0;
}

Result sigaltstack(System& system, const Call& call) {
    SignalStack& stack = call.thread.signals.stack;
    const SignalStack old = stack;
    if (call.a[0]) {
        const auto wanted = system.user.get<SignalStack>(call.a[0]);
        constexpr std::uint64_t least = 2048;
        if (wanted.flags & ~SignalStack::disabled) return -EINVAL;
        if (!wanted.flags && wanted.size < least) return -ENOMEM;
        stack = wanted;
    }
    if (call.a[1]) system.user.put(call.a[1], old);
    return 0;
}

}  // namespace calls
}  // namespace croftsim
