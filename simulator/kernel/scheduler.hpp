#pragma once
// Which thread has which core.
//
// A thread that does not wait has a core, or stands in the queue for one. A thread that waits in the kernel keeps its
// core, so that its way back is short; but it may have to lend it. `[kernel] scheduler` in the machine file says to
// whom:
//
//     own     A thread has a core of its own while it runs or sleeps. One that waits for another without a limit lends
//             its core to one that has none. If nobody lends one for a millisecond, the run ends with an error. (Why so
//             long: a thread that is about to end keeps its core for longer than its program can see. The result of
//             std::async, for example, is there before its thread has made its last system call.)
//     share   Any thread that waits lends its core. A thread in the queue waits for the core where fewest wait. The
//             thread there is called into the kernel when its turn, a quantum, is over, and goes behind the others.
//
// A core on which no thread runs takes the thread that has waited longest for it. If none waits for it, it takes the
// thread that has waited longest for any core, among the threads that may have this core. All of this is by simulated
// time and by the program's order of cores. Where every thread has a core, nobody is called, and nothing costs a cycle.

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "contract/machine_services.hpp"
#include "kernel/memory_map.hpp"
#include "kernel/thread.hpp"
#include "memory/address_space.hpp"

namespace croftsim {

class Scheduler {
public:
    static constexpr std::uint64_t never = Thread::never;
    static constexpr std::uint64_t patience_ns = 1'000'000;  // in the queue, where threads do not share

    Scheduler(AddressSpace& memory, MachineServices& machine, MemoryMap& map);

    const CoreSet& all_cores() const { return all_cores_; }
    Thread* on(std::uint32_t core) const { return on_core_[core]; }
    // The thread's registers, wherever they are. It is in the kernel, or has no core.
    Hart& registers(Thread& thread) { return thread.parked ? *thread.parked : machine_.hart(thread.core); }

    // The thread, which has no core, gets one, now or when there is one for it.
    void seek(Thread& thread);
    // The thread has ended.
    void leave(Thread& thread);
    // It waits, and lends its core.
    void blocked(Thread& thread);
    // It goes on after its wait, or after its system call.
    void go_on(Thread& thread);
    void finish(Thread& thread);
    // It goes behind those that wait for its core, or for any. False if there is none; then nothing happens.
    bool yield(Thread& thread);
    // It runs, and has been called: its turn may be over, or it may not stay where it is.
    void called(Thread& thread);
    // A thread that may not stay where it is moves. If there is a free core for it, that core is its own from now on.
    // It moves at the end of its current or next system call, and until then its old core is taken. If there is no free
    // core, it waits for one where threads share; else nothing changes, and the answer is false.
    bool set_affinity(Thread& thread, const CoreSet& allowed);

    // When something is due: a turn, or the end of patience.
    std::uint64_t next_event() const;
    void act();  // throws GuestFault

    // `find`: the thread of an identity, or null.
    void serialise(Archive& archive, const std::function<Thread*(std::uint32_t)>& find);

private:
    static constexpr std::uint64_t most_waiting = 1 << 16;  // a core

    bool shares() const { return machine_.costs().scheduler == KernelDescription::Scheduler::share; }
    bool lends(const Thread& thread) const;
    bool may_run(const Thread& thread, std::uint32_t core) const;
    template <class Fits>
    std::optional<std::uint32_t> first_core(const CoreSet& allowed, Fits fits) const;
    std::optional<std::uint32_t> free_core(const CoreSet& allowed) const;
    std::optional<std::uint32_t> core_for(const Thread& thread) const;
    void enqueue(Thread& thread);
    void dequeue(std::deque<Thread*>::iterator at);
    std::uint32_t shortest_queue(const CoreSet& allowed) const;
    void set_turn(std::uint32_t core);  // there is one if a thread waits for the core
    void fill(std::uint32_t core);      // nobody runs on it
    void put(Thread& thread, std::uint32_t core);
    void park(Thread& thread);
    void requeue(Thread& thread);
    void move(Thread& thread, std::uint32_t core);
    bool is_fresh_stack(const MemoryMap::Mapping& mapping, std::uint64_t begins) const;
    void adopt_stack(Thread& thread, std::uint64_t begins);
    void home_stack(const Thread& thread);

    AddressSpace& memory_;
    MachineServices& machine_;
    MemoryMap& map_;
    const CoreSet all_cores_;
    const std::uint64_t patience_;  // patience_ns in cycles
    std::vector<Thread*> on_core_;
    std::set<std::uint32_t> reserved_;                         // the next_core of some thread
    std::deque<Thread*> queue_;                                // each waits for its `core`, the oldest first
    std::vector<std::uint32_t> queued_;                        // at each core
    std::vector<std::uint64_t> turn_began_;                    // on each core
    std::set<std::pair<std::uint64_t, std::uint32_t>> turns_;  // (end, core), where a thread waits
};
static_assert(is_listed<Scheduler, 304>);

}  // namespace croftsim
