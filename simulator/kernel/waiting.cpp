#include "kernel/waiting.hpp"

#include <algorithm>
#include <array>

#include "kernel/system.hpp"

namespace croftsim {

const char* description_of(Waits waits) {
    constexpr const char* descriptions[] = {"sleeps",
                                            "waits for a pipe",
                                            "waits for an eventfd",
                                            "waits for a timerfd",
                                            "waits for a socket",
                                            "waits for one of several files"};
    return descriptions[static_cast<std::size_t>(waits)];
}

Waiting::Waiter* Waiting::find(std::uint32_t thread) {
    const auto it = std::ranges::find(waiters_, thread, &Waiter::thread);
    return it == waiters_.end() ? nullptr : &*it;
}

void Waiting::remove(std::uint32_t thread) {
    std::erase_if(waiters_, [&](const Waiter& waiter) { return waiter.thread == thread; });
}

Result System::wait(const Call& call, Waits waits, std::uint64_t deadline, std::int64_t late, std::uint64_t done) {
    if (deadline <= machine.now()) return late;
    if (Waiting::Waiter* waiter = waitables.waiting.find(call.thread.id)) {
        waiter->done = done;
        return blocked;
    }
    if (has_signal(call.thread)) return -EINTR;
    // The call has seen the timers that have run out by now.
    waitables.timers.tell(machine.now());
    waitables.waiting.add({call.thread.id, waits, done});
    threads.block(call.thread, waits == Waits::time ? Wait::sleep : Wait::event, 0, deadline);
    return blocked;
}

std::uint64_t System::deadline_of(const Call& call, std::uint64_t nanoseconds) const {
    if (call.waiter) return call.thread.deadline;
    const std::uint64_t cycles = nanoseconds == Clock::never ? Clock::never : clock.cycles_for(nanoseconds);
    return cycles > Clock::never - machine.now() ? Clock::never : machine.now() + cycles;
}

namespace {

// Addresses that the program cannot have.
std::uint64_t address_of(std::uint64_t key) { return AddressSpace::limit + key * 8; }

}  // namespace

void System::teach(std::uint64_t key) {
    if (key) machine.futex_releases(address_of(key));
}

void System::learn_from(const Call& call, std::uint64_t key) {
    if (key && !call.thread.parked) machine.futex_acquires(call.thread.core, address_of(key));
}

bool System::try_again(Thread& thread) {
    Waiting& waiting = waitables.waiting;
    const Waiting::Waiter waiter = *waiting.find(thread.id);
    Call call = call_of(*this, thread);
    call.waiter = &waiter;
    const std::uint32_t caller = machine.act_for(thread.core);
    Thread* const called_before = std::exchange(calling, &thread);
    Result result;
    try {
        result = carry_out(*this, call);
    } catch (const Errno& error) {
        result = -error.code;
    }
    machine.act_for(caller);
    calling = called_before;
    if (!result) return false;
    waiting.remove(thread.id);
    threads.wake(thread, end_call(thread, *result));
    return true;
}

void System::try_waiting_again() {
    Waiting& waiting = waitables.waiting;
    while (waiting.take_change())
        for (std::size_t i = 0; i < waiting.waiters().size();)
            if (!try_again(*threads.find(waiting.waiters()[i].thread))) ++i;
}

}  // namespace croftsim
