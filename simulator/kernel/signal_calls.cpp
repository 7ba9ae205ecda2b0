#include "kernel/signal_frame.hpp"
#include "kernel/system.hpp"

namespace croftsim {
namespace {

constexpr std::uint64_t set_bytes = 8;  // of a signal set

Result send(System& system, std::uint64_t number, std::int32_t code, Thread* to) {
    if (number > last_signal) return -EINVAL;
    if (number == 0) return 0;
    system.post_signal(System::own_signal(static_cast<std::uint32_t>(number), code), to);
    return 0;
}

Thread* thread_of(System& system, std::uint64_t id) {
    Thread* const thread = id != 0 ? system.threads.find(static_cast<std::uint32_t>(id)) : nullptr;
    if (!thread) throw Errno{ESRCH};
    return thread;
}

// The program has filled the information in itself. Only the kernel may claim that kill or tgkill sent a signal.
Result queue(System& system, std::uint64_t number, std::uint64_t at, Thread* to) {
    if (number > last_signal) return -EINVAL;
    auto info = system.user.get<SignalInfo>(at);
    if (info.code >= 0 || info.code == SignalInfo::by_thread) return -EPERM;
    if (number == 0) return 0;
    info.signal = static_cast<std::uint32_t>(number);
    system.post_signal(info, to);
    return 0;
}

}  // namespace

namespace calls {

Result kill(System& system, const Call& call) {
    const auto target = static_cast<std::int32_t>(call.a[0]);
    // 0 and -1 mean the process group and everything, which both are this process.
    if (target > 0 && target != static_cast<std::int32_t>(System::process)) return -ESRCH;
    if (target < -1) return -ESRCH;
    return send(system, call.a[1], SignalInfo::by_user, nullptr);
}

Result tkill(System& system, const Call& call) {
    return send(system, call.a[1], SignalInfo::by_thread, thread_of(system, call.a[0]));
}

Result tgkill(System& system, const Call& call) {
    if (call.a[0] != System::process) return -ESRCH;
    return send(system, call.a[2], SignalInfo::by_thread, thread_of(system, call.a[1]));
}

Result rt_sigqueueinfo(System& system, const Call& call) {
    if (call.a[0] != System::process) return -ESRCH;
    return queue(system, call.a[1], call.a[2], nullptr);
}

Result rt_tgsigqueueinfo(System& system, const Call& call) {
    if (call.a[0] != System::process) return -ESRCH;
    return queue(system, call.a[2], call.a[3], thread_of(system, call.a[1]));
}

Result rt_sigaction(System& system, const Call& call) {
    const auto signal = static_cast<std::uint32_t>(call.a[0]);
    if (call.a[3] != set_bytes || signal == 0 || signal > last_signal) return -EINVAL;
    if (call.a[1] && (set_of(signal) & not_maskable)) return -EINVAL;
    SignalAction& action = system.signals.actions[signal];
    const SignalAction old = action;
    if (call.a[1]) {
        const auto wanted = system.user.get<SignalAction>(call.a[1]);
        if (wanted.has_handler()) system.map_signal_return();
        action = wanted;
        if (wanted.handler == SignalAction::ignored) {
            system.signals.pending.forget(signal);
            system.threads.for_each([&](Thread& thread) { thread.signals.pending.forget(signal); });
        }
    }
    if (call.a[2]) system.user.put(call.a[2], old);
    return 0;
}

Result rt_sigreturn(System& system, const Call& call) {
    Hart& hart = system.machine.hart(call.thread.core);
    try {
        call.thread.signals.mask = signal_frame::pop(system.user, hart);
    } catch (const Errno&) {
        throw GuestFault(call.thread.core, "the program was ended by SIGSEGV: rt_sigreturn finds no frame",
                         128 + static_cast<int>(sigsegv));
    }
    return static_cast<std::int64_t>(hart.x[Hart::a0]);
}

Result rt_sigprocmask(System& system, const Call& call) {
    if (call.a[3] != set_bytes) return -EINVAL;
    SignalSet& mask = call.thread.signals.mask;
    const SignalSet old = mask;
    if (call.a[1]) {
        const auto set = system.user.get<SignalSet>(call.a[1]);
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
        mask &= ~not_maskable;
    }
    if (call.a[2]) system.user.put(call.a[2], old);
    return 0;
}

Result rt_sigpending(System& system, const Call& call) {
    if (call.a[1] > set_bytes) return -EINVAL;
    const ThreadSignals& own = call.thread.signals;
    system.user.put(call.a[0], (own.pending.set() | system.signals.pending.set()) & own.mask);
    return 0;
}

Result rt_sigsuspend(System& system, const Call& call) {
    if (call.a[1] != set_bytes) return -EINVAL;
    ThreadSignals& own = call.thread.signals;
    const auto mask = system.user.get<SignalSet>(call.a[0]);
    own.mask_before = own.mask;
    own.mask = mask & ~not_maskable;
    if (system.has_signal(call.thread)) return -EINTR;
    system.threads.block(call.thread, Wait::signal, 0, Threads::never);
    return blocked;
}

Result rt_sigtimedwait(System& system, const Call& call) {
    if (call.a[3] != set_bytes) return -EINVAL;
    ThreadSignals& own = call.thread.signals;
    const SignalSet wanted = system.user.get<SignalSet>(call.a[0]) & ~not_maskable;
    auto info = own.pending.take(wanted);
    if (!info) info = system.signals.pending.take(wanted);
    if (info) {
        if (call.a[1]) system.user.put(call.a[1], info->bytes());
        return info->signal;
    }
    const std::uint64_t deadline = call.a[2] ? system.after(system.user.get<abi::Time>(call.a[2])) : Threads::never;
    if (deadline <= system.machine.now()) return -EAGAIN;
    if (call.a[1]) system.user.check(call.a[1], 128, Permission::write);
    own.awaited = wanted;
    system.threads.block(call.thread, Wait::signal, 0, deadline);
    return blocked;
}

Result sigaltstack(System& system, const Call& call) {
    SignalStack& stack = call.thread.signals.stack;
    const bool is_there = stack.holds(system.machine.hart(call.thread.core).x[Hart::sp]);
    SignalStack old = stack;
    if (is_there) old.flags |= SignalStack::in_use;
    if (call.a[0]) {
        if (is_there) return -EPERM;
        auto wanted = system.user.get<SignalStack>(call.a[0]);
        constexpr std::uint64_t least = 2048;
        constexpr std::int32_t in_use = SignalStack::in_use;  // which Linux does not mind
        if (wanted.flags & ~(SignalStack::disabled | in_use)) return -EINVAL;
        wanted.flags &= ~in_use;
        if (!wanted.flags && wanted.size < least) return -ENOMEM;
        stack = wanted;
    }
    if (call.a[1]) system.user.put(call.a[1], old);
    return 0;
}

}  // namespace calls
}  // namespace croftsim
