#include <algorithm>
#include <string>

#include "base/hexadecimal.hpp"
#include "kernel/system.hpp"

namespace croftsim {
namespace {

void check_clone_flags(const Call& call) {
    constexpr std::uint64_t required =
        abi::clone_vm | abi::clone_fs | abi::clone_files | abi::clone_sighand | abi::clone_thread;
    constexpr std::uint64_t possible = required | abi::clone_sysvsem | abi::clone_settls | abi::clone_parent_settid |
                                       abi::clone_child_cleartid | abi::clone_child_settid | abi::clone_detached | 0xff;
    const std::uint64_t flags = call.a[0];
    if (!(flags & abi::clone_thread))
        throw GuestFault(call.thread.core, std::string("the program starts another process (") +
                                               (flags & abi::clone_vfork ? "vfork" : "fork") +
                                               "), and only one process is simulated");
    if ((flags & required) != required || flags & ~possible)
        throw GuestFault(call.thread.core, "clone with the flags " + hexadecimal(flags) +
                                               " is not simulated: only threads as pthread_create makes them are");
}

// The thread of that number (0: the calling one); throws Errno{ESRCH}.
Thread& thread_named(System& system, const Call& call, std::uint64_t id) {
    const auto number = static_cast<std::int32_t>(id);
    if (number == 0) return call.thread;
    Thread* thread = number > 0 ? system.threads.find(static_cast<std::uint32_t>(number)) : nullptr;
    if (!thread) throw Errno{ESRCH};
    return *thread;
}

}  // namespace

namespace calls {

// clone(flags, stack, parent_tid, tls, child_tid): RISC-V has the order of CONFIG_CLONE_BACKWARDS.
Result clone(System& system, const Call& call) {
    check_clone_flags(call);
    const auto [flags, stack, parent_tid, tls, child_tid, unused] = call.a;
    if (flags & abi::clone_parent_settid) system.user.check(parent_tid, 4, Permission::write);
    if (flags & abi::clone_child_settid) system.user.check(child_tid, 4, Permission::write);

    Hart hart = system.machine.hart(call.thread.core);
    hart.interrupts = {};  // a thread's own business
    hart.x[Hart::a0] = 0;
    if (stack) hart.x[Hart::sp] = stack;
    if (flags & abi::clone_settls) hart.x[Hart::tp] = tls;
    // The parent goes on even if there is no core for the child. A thread that is about to end may need a lock that the
    // parent holds (musl's thread list).
    Thread& child = system.threads.make(call.thread.affinity, hart);
    child.signals.mask = call.thread.signals.mask;
    if (flags & abi::clone_child_cleartid) child.clear_child_tid = child_tid;
    const std::uint32_t id = child.id;
    if (flags & abi::clone_parent_settid) system.user.put(parent_tid, id);
    if (flags & abi::clone_child_settid) system.user.put(child_tid, id);
    system.threads.scheduler.seek(child);
    return id;
}

Result exit(System& system, const Call& call) {
    Thread& thread = call.thread;
    const std::uint64_t word = thread.clear_child_tid;
    if (word && system.memory.allows(word, 4, Permission::write)) {
        system.user.put(word, std::uint32_t{0});
        system.wake_futex(word, 1);
    }
    const int status = static_cast<int>(call.a[0] & 0xff);
    // The process ends with its last thread, and with the first one's status.
    if (thread.id == System::process) system.first_thread_status = status;
    system.threads.end(thread);
    if (system.threads.size() == 0) {
        system.shared_mappings.write_back_all(system);
        system.exit_code = system.first_thread_status;
    }
    return blocked;
}

Result exit_group(System& system, const Call& call) {
    system.shared_mappings.write_back_all(system);
    system.exit_code = static_cast<int>(call.a[0] & 0xff);
    return blocked;
}

Result sched_yield(System& system, const Call& call) {
    system.machine.hart(call.thread.core).x[Hart::a0] = 0;
    if (system.threads.scheduler.yield(call.thread)) return blocked;
    return 0;
}

Result gettid(System&, const Call& call) { return call.thread.id; }
Result getpid(System&, const Call&) { return System::process; }

Result set_tid_address(System&, const Call& call) {
    call.thread.clear_child_tid = call.a[0];
    return call.thread.id;
}

Result sched_setaffinity(System& system, const Call& call) {
    Thread& thread = thread_named(system, call, call.a[0]);
    const std::uint32_t cores = system.machine.cores();
    CoreSet allowed;
    bool any = false;
    for (std::uint64_t byte = 0; byte < std::min<std::uint64_t>(call.a[1], (cores + 7) / 8); ++byte) {
        const auto bits = system.user.get<std::uint8_t>(call.a[2] + byte);
        for (std::uint32_t bit = 0; bit < 8; ++bit) {
            const auto core = static_cast<std::uint32_t>(byte * 8 + bit);
            if (core >= cores || !(bits >> bit & 1)) continue;
            allowed.add(core);
            any = true;
        }
    }
    return any && system.threads.scheduler.set_affinity(thread, allowed) ? 0 : -EINVAL;
}

Result sched_getaffinity(System& system, const Call& call) {
    const Thread& thread = thread_named(system, call, call.a[0]);
    const std::uint32_t cores = system.machine.cores();
    std::vector<std::uint64_t> words = thread.affinity.words();
    words.resize((cores + 63) / 64);
    if (call.a[1] % 8 || call.a[1] * 8 < cores) return -EINVAL;
    const std::uint64_t bytes = std::min<std::uint64_t>(call.a[1], words.size() * 8);
    system.user.write(call.a[2], {reinterpret_cast<const std::uint8_t*>(words.data()), bytes});
    return static_cast<std::int64_t>(bytes);
}

Result getcpu(System& system, const Call& call) {
    if (call.a[0]) system.user.put(call.a[0], system.machine.number_of(call.thread.core));
    if (call.a[1]) system.user.put(call.a[1], std::uint32_t{0});  // the one NUMA node
    return 0;
}

// Every thread has SCHED_OTHER (0), and its one priority.
Result sched_setscheduler(System& system, const Call& call) {
    thread_named(system, call, call.a[0]);
    const auto policy = static_cast<std::int32_t>(call.a[1]);
    if (system.user.get<std::int32_t>(call.a[2]) != 0) return -EINVAL;
    return policy == 0 || policy == 3 || policy == 5 ? 0 : -EPERM;  // OTHER, BATCH, IDLE
}

Result sched_setparam(System& system, const Call& call) {
    thread_named(system, call, call.a[0]);
    return system.user.get<std::int32_t>(call.a[1]) == 0 ? 0 : -EINVAL;
}

Result sched_getscheduler(System& system, const Call& call) {
    thread_named(system, call, call.a[0]);
    return 0;
}

Result sched_getparam(System& system, const Call& call) {
    thread_named(system, call, call.a[0]);
    system.user.put(call.a[1], std::int32_t{0});
    return 0;
}

Result sched_priority_limit(System&, const Call& call) {
    if (call.a[0] == 0 || call.a[0] == 3 || call.a[0] == 5) return 0;
    if (call.a[0] == 1 || call.a[0] == 2) return call.number == 125 ? 99 : 1;  // FIFO, RR: maximum, minimum
    return -EINVAL;
}

}  // namespace calls
}  // namespace croftsim
