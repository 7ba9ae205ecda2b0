// When a signal is taken, and what happens then.
//
// A thread takes a signal that it does not block at the end of a system call. If it runs, it is called into the kernel
// for that. If it waits, its wait ends, and the call returns EINTR. Behind a handler with SA_RESTART some calls begin
// anew instead (signal(7)). So a thread that does not run has no signal pending that it would take. The exception is
// a thread that waits for the host; such a wait ends of itself.

#include "kernel/signal_frame.hpp"
#include "kernel/system.hpp"

namespace croftsim {
namespace {

bool is_ignored_by_default(std::uint32_t signal) {
    return signal == sigchld || signal == sigcont || signal == sigurg || signal == sigwinch;
}
bool stops_by_default(std::uint32_t signal) { return signal >= sigstop && signal <= sigttou; }

}  // namespace

void System::post_signal(const SignalInfo& info, Thread* thread) {
    const SignalAction& action = signals.actions[info.signal];
    const auto waits_for_it = [&](const Thread& one) { return (one.signals.awaited & set_of(info.signal)) != 0; };
    if (!thread) {  // whoever waits for it, or else may take it
        threads.for_each([&](Thread& one) {
            if (!thread && waits_for_it(one)) thread = &one;
        });
        threads.for_each([&](Thread& one) {
            if (!thread && !(one.signals.mask & set_of(info.signal))) thread = &one;
        });
        if (!thread) return signals.pending.add(info);
    }
    const bool is_blocked = thread->signals.mask & set_of(info.signal);
    const bool does_nothing = action.handler == SignalAction::ignored ||
                              (action.handler == SignalAction::by_default && is_ignored_by_default(info.signal));
    if (does_nothing && !is_blocked && !waits_for_it(*thread)) return;
    thread->signals.pending.add(info);
    if (waits_for_it(*thread)) return take_awaited_signal(*thread);
    if (!is_blocked) notice_signals(*thread);
}

void System::take_awaited_signal(Thread& thread) {
    const auto info = thread.signals.pending.take(thread.signals.awaited);
    thread.signals.awaited = 0;
    Hart& hart = threads.scheduler.registers(thread);
    if (const std::uint64_t to = hart.x[Hart::a0 + 1]) user.put(to, info->bytes());
    threads.wake(thread, info->signal);
}

bool System::has_signal(const Thread& thread) const {
    return ((thread.signals.pending.set() | signals.pending.set()) & ~thread.signals.mask) != 0;
}

void System::notice_signals(Thread& thread) {
    if (&thread == calling) return;  // at its call's end
    switch (thread.wait) {
        case Wait::none:
            return machine.call(thread.core);
        case Wait::host:
            return;
        case Wait::core:
            return take_signals(thread);
        default:
            break;
    }
    const auto [result, may_restart] = end_wait(thread);
    Hart& hart = threads.scheduler.registers(thread);
    const std::uint64_t argument = hart.x[Hart::a0];
    hart.x[Hart::a0] = static_cast<std::uint64_t>(result);
    take_signals(thread, may_restart ? std::optional(argument) : std::nullopt);
    threads.wake(thread, static_cast<std::int64_t>(hart.x[Hart::a0]));
}

// The thread's wait is over before what it waits for. The call's result, and whether it may begin anew instead.
std::pair<std::int64_t, bool> System::end_wait(Thread& thread) {
    const bool has_limit = thread.deadline != Threads::never;
    std::int64_t result = -EINTR;
    bool is_restartable = false;
    if (const Waiting::Waiter* const waiter = waitables.waiting.find(thread.id)) {
        if (waiter->done) result = static_cast<std::int64_t>(waiter->done);
        is_restartable = result < 0 && !has_limit && waiter->waits != Waits::files && waiter->waits != Waits::time;
        waitables.waiting.remove(thread.id);
    }
    switch (thread.wait) {
        case Wait::futex:
            futexes.remove(thread.id);
            return {result, !has_limit};
        case Wait::sleep: {
            const Hart& hart = threads.scheduler.registers(thread);
            constexpr std::uint64_t nanosleep = 101, clock_nanosleep = 115;
            const bool is_relative =
                hart.x[Hart::a7] == nanosleep || (hart.x[Hart::a7] == clock_nanosleep && !(hart.x[Hart::a0 + 1] & 1));
            const std::uint64_t to = hart.x[Hart::a0 + (hart.x[Hart::a7] == nanosleep ? 1 : 3)];
            const std::uint64_t left = has_limit ? thread.deadline - machine.now() : 0;
            if (is_relative && to && memory.allows(to, sizeof(abi::Time), Permission::write))
                user.put(to, as_time(clock.nanoseconds(left)));
            return {result, false};
        }
        default:
            thread.signals.awaited = 0;
            return {result, is_restartable};
    }
}

// `call`: the first argument of a system call that a handler may let begin anew.
void System::take_signals(Thread& thread, std::optional<std::uint64_t> call) {
    for (;;) {
        const SignalSet allowed = ~thread.signals.mask;
        auto info = thread.signals.pending.take(allowed);
        if (!info) info = signals.pending.take(allowed);
        if (!info) break;
        take_signal(thread, *info, call);
    }
    // No handler: the call's own mask is not needed any more.
    if (thread.signals.mask_before) {
        thread.signals.mask = *thread.signals.mask_before;
        thread.signals.mask_before.reset();
    }
}

void System::take_signal(Thread& thread, const SignalInfo& info, std::optional<std::uint64_t>& call) {
    SignalAction& action = signals.actions[info.signal];
    if (action.handler == SignalAction::ignored) return;
    if (!action.has_handler()) {
        if (is_ignored_by_default(info.signal)) return;
        const std::string name = name_of_signal(info.signal);
        if (stops_by_default(info.signal))
            throw GuestFault(thread.core, "the program is stopped by " + name + ", and nobody could let it go on");
        throw GuestFault(thread.core, "the program was ended by " + name + (info.signal == sigabrt ? " (abort())" : ""),
                         static_cast<int>(128 + info.signal));
    }
    Hart& hart = threads.scheduler.registers(thread);
    if (call && (action.flags & SignalAction::restarts)) {
        constexpr std::uint64_t length_of_ecall = 4;
        hart.pc -= length_of_ecall;
        hart.x[Hart::a0] = *call;
    }
    call.reset();  // further handlers interrupt this handler, and no call
    const SignalSet before = thread.signals.mask_before.value_or(thread.signals.mask);
    thread.signals.mask_before.reset();
    try {
        signal_frame::push(user, hart, info, action, thread.signals.stack, before);
    } catch (const Errno&) {
        throw GuestFault(thread.core,
                         "there is no room on the stack for the frame of a handler of " + name_of_signal(info.signal),
                         128 + static_cast<int>(sigsegv));
    }
    thread.signals.mask |= action.mask & ~not_maskable;
    if (!(action.flags & SignalAction::no_defer)) thread.signals.mask |= set_of(info.signal);
    if (action.flags & SignalAction::once) action.handler = SignalAction::by_default;
}

std::int64_t System::end_call(Thread& thread, std::int64_t result) {
    if (!thread.signals.mask_before && !has_signal(thread)) return result;
    std::uint64_t& a0 = threads.scheduler.registers(thread).x[Hart::a0];
    a0 = static_cast<std::uint64_t>(result);
    take_signals(thread);
    return static_cast<std::int64_t>(a0);
}

void System::mask_signals_for(const Call& call, std::uint64_t address) {
    if (call.waiter || !address) return;
    ThreadSignals& own = call.thread.signals;
    const auto mask = user.get<SignalSet>(address);
    own.mask_before = own.mask;
    own.mask = mask & ~not_maskable;
}

void System::map_signal_return() {
    if (memory.find(signal_frame::return_page)) return;
    if (!map_fresh(signal_frame::return_page, page, Permission::read | Permission::execute)) throw Errno{ENOMEM};
    memory.write_dram(signal_frame::return_page, signal_frame::return_code, sizeof signal_frame::return_code);
}

bool System::take_fault(Thread& thread, const GuestFault& fault) {
    if (fault.signal == 0 || !signals.actions[fault.signal].has_handler() ||
        (thread.signals.mask & set_of(fault.signal)))
        return false;
    machine.stop_at_fault(thread.core);
    SignalInfo info{fault.signal};
    info.code = fault.signal == sigill || memory.find(fault.address) == nullptr ? SignalInfo::not_mapped
                                                                                : SignalInfo::not_allowed;
    info.from = fault.address;
    std::optional<std::uint64_t> no_call;
    take_signal(thread, info, no_call);
    return true;
}

}  // namespace croftsim
