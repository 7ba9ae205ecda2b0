#include "kernel/futex.hpp"

#include <algorithm>

#include "isa/sign_extend.hpp"
#include "kernel/system.hpp"

namespace croftsim {

void FutexQueue::add(std::uint32_t thread, std::uint64_t address, std::uint32_t bits) {
    waiters_.push_back({thread, bits, address});
}

void FutexQueue::remove(std::uint32_t thread) {
    std::erase_if(waiters_, [&](const Waiter& waiter) { return waiter.thread == thread; });
}

std::vector<std::uint32_t> FutexQueue::take(std::uint64_t address, std::uint64_t count, std::uint32_t bits) {
    std::vector<std::uint32_t> taken;
    std::erase_if(waiters_, [&](const Waiter& waiter) {
        if (taken.size() >= count || waiter.address != address || !(waiter.bits & bits)) return false;
        taken.push_back(waiter.thread);
        return true;
    });
    return taken;
}

std::vector<std::uint32_t> FutexQueue::requeue(std::uint64_t from, std::uint64_t to, std::uint64_t count) {
    std::vector<Waiter> moved;
    std::erase_if(waiters_, [&](const Waiter& waiter) {
        if (moved.size() >= count || waiter.address != from) return false;
        moved.push_back(waiter);
        return true;
    });
    std::vector<std::uint32_t> threads;
    for (Waiter& waiter : moved) {
        waiter.address = to;
        waiters_.push_back(waiter);
        threads.push_back(waiter.thread);
    }
    return threads;
}

std::int64_t System::wake_futex(std::uint64_t address, std::uint64_t count, std::uint32_t bits) {
    machine.futex_releases(address);
    const std::vector<std::uint32_t> woken = futexes.take(address, count, bits);
    for (const std::uint32_t id : woken) {
        Thread& thread = *threads.find(id);
        threads.wake(thread, 0);
        if (!thread.parked) machine.futex_acquires(thread.core, address);  // else when it has a core
    }
    return static_cast<std::int64_t>(woken.size());
}

namespace {

enum Command : std::uint32_t {
    wait = 0,
    wake = 1,
    requeue = 3,
    compare_requeue = 4,
    wake_operation = 5,
    wait_bits = 9,
    wake_bits = 10,
    is_private = 128,
    clock_realtime = 256,
};

void check_address(std::uint64_t address) {
    if (address % 4) throw Errno{EINVAL};
}

Result futex_wait(System& system, const Call& call, std::uint32_t bits, std::uint64_t deadline) {
    const std::uint64_t address = call.a[0];
    check_address(address);
    if (!bits) return -EINVAL;
    system.machine.futex_acquires(call.thread.core, address);
    if (system.user.get<std::uint32_t>(address) != static_cast<std::uint32_t>(call.a[2])) return -EAGAIN;
    if (deadline <= system.machine.now()) return -ETIMEDOUT;
    system.futexes.add(call.thread.id, address, bits);
    system.threads.block(call.thread, Wait::futex, address, deadline);
    return blocked;
}

Result futex_wake(System& system, const Call& call, std::uint32_t bits) {
    check_address(call.a[0]);
    system.user.check(call.a[0], 4, Permission::none);
    if (!bits) return -EINVAL;
    // Linux counts after it wakes: asked for none, it wakes one.
    const auto count = std::max<std::int32_t>(1, static_cast<std::int32_t>(call.a[2]));
    return system.wake_futex(call.a[0], static_cast<std::uint64_t>(count), bits);
}

Result futex_requeue(System& system, const Call& call, bool compare) {
    const std::uint64_t from = call.a[0], to = call.a[4];
    const auto wakes = static_cast<std::int32_t>(call.a[2]), moves = static_cast<std::int32_t>(call.a[3]);
    check_address(from);
    check_address(to);
    if (wakes < 0 || moves < 0) return -EINVAL;
    system.user.check(from, 4, Permission::read);
    system.user.check(to, 4, Permission::none);
    if (compare && system.user.get<std::uint32_t>(from) != static_cast<std::uint32_t>(call.a[5])) return -EAGAIN;
    const std::int64_t woken = system.wake_futex(from, static_cast<std::uint64_t>(wakes));
    const auto moved = system.futexes.requeue(from, to, static_cast<std::uint64_t>(moves));
    for (const std::uint32_t id : moved) system.threads.find(id)->wait_address = to;
    if (!moved.empty()) system.machine.futex_releases(to);
    return woken + static_cast<std::int64_t>(moved.size());
}

// One atomic operation on the second word, then a wake at the first, and one at the second if its old value compares.
Result futex_wake_operation(System& system, const Call& call) {
    const std::uint64_t first = call.a[0], second = call.a[4];
    const auto encoded = static_cast<std::uint32_t>(call.a[5]);
    check_address(first);
    check_address(second);
    system.user.check(first, 4, Permission::none);
    system.user.check(second, 4, Permission::read | Permission::write);
    const std::uint32_t operation = encoded >> 28 & 7, comparison = encoded >> 24 & 15;
    auto operand = static_cast<std::uint32_t>(sign_extend(encoded >> 12, 12));
    const std::int32_t reference = sign_extend(encoded, 12);
    if (encoded >> 31) operand = std::uint32_t{1} << (operand & 31);

    const auto old = system.user.get<std::uint32_t>(second);
    std::uint32_t value = 0;
    switch (operation) {
        case 0:
            value = operand;
            break;
        case 1:
            value = old + operand;
            break;
        case 2:
            value = old | operand;
            break;
        case 3:
            value = old & ~operand;
            break;
        case 4:
            value = old ^ operand;
            break;
        default:
            return -ENOSYS;
    }
    const auto signed_old = static_cast<std::int32_t>(old);
    bool holds = false;
    switch (comparison) {
        case 0:
            holds = signed_old == reference;
            break;
        case 1:
            holds = signed_old != reference;
            break;
        case 2:
            holds = signed_old < reference;
            break;
        case 3:
            holds = signed_old <= reference;
            break;
        case 4:
            holds = signed_old > reference;
            break;
        case 5:
            holds = signed_old >= reference;
            break;
        default:
            return -ENOSYS;
    }
    system.user.put(second, value);
    const auto count = [](std::uint64_t argument) {
        return static_cast<std::uint64_t>(std::max<std::int32_t>(1, static_cast<std::int32_t>(argument)));
    };
    std::int64_t woken = system.wake_futex(first, count(call.a[2]));
    if (holds) woken += system.wake_futex(second, count(call.a[3]));
    return woken;
}

}  // namespace

Result calls::futex(System& system, const Call& call) {
    const auto operation = static_cast<std::uint32_t>(call.a[1]);
    const std::uint32_t command = operation & ~(is_private | clock_realtime);
    const bool realtime = operation & clock_realtime;
    const auto bits = static_cast<std::uint32_t>(call.a[5]);
    const auto deadline = [&] {
        if (!call.a[3]) return Clock::never;
        const auto time = system.user.get<abi::Time>(call.a[3]);
        return command == wait ? system.after(time) : system.at(time, realtime);
    };
    switch (command) {
        case wait:
            return futex_wait(system, call, FutexQueue::any, deadline());
        case wait_bits:
            return futex_wait(system, call, bits, deadline());
        case wake:
            return futex_wake(system, call, FutexQueue::any);
        case wake_bits:
            return futex_wake(system, call, bits);
        case requeue:
            return futex_requeue(system, call, false);
        case compare_requeue:
            return futex_requeue(system, call, true);
        case wake_operation:
            return futex_wake_operation(system, call);
        default:
            return -ENOSYS;  // among them the priority-inheriting ones
    }
}

}  // namespace croftsim
