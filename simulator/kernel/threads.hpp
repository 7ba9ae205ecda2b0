#pragma once
// The program's threads, the cores they are on, and why they wait. A thread has a core of its own from its start to its
// end; it changes cores only when its affinity says so. It inherits its creator's affinity, as on Linux, and begins on
// a core of that. But no two threads share a core here: where none of these is free, it begins on another.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "contract/machine_services.hpp"
#include "contract/simulation.hpp"
#include "kernel/core_set.hpp"
#include "kernel/memory_map.hpp"
#include "kernel/signals.hpp"
#include "memory/address_space.hpp"

namespace croftsim {

enum class Wait : std::uint8_t { none, futex, sleep, host, event };

struct Thread {
    std::uint32_t id = 0;
    std::uint32_t core = 0;
    std::uint64_t stack = 0;              // its stack pointer when it began
    CoreSet affinity;                     // the program's numbers
    std::uint64_t clear_child_tid = 0;    // zeroed, and woken as a futex, when the thread ends
    std::array<std::uint8_t, 16> name{};  // of prctl(PR_SET_NAME), with its terminating zero
    ThreadSignals signals;

    Wait wait = Wait::none;
    std::uint64_t wait_address = 0;
    std::uint64_t deadline = 0;              // of the wait; Threads::never if it has none
    bool displaced = false;                  // it waits, and its core has been changed meanwhile
    std::optional<std::uint32_t> next_core;  // where it goes on after its next system call; kept free for it

    std::uint64_t cpu_cycles(std::uint64_t now) const {
        return (wait == Wait::none ? now : blocked_since) - started - blocked_cycles;
    }
    std::uint64_t started = 0, blocked_since = 0, blocked_cycles = 0;

    void serialise(Archive& archive) {
        archive(id, core, stack, affinity, clear_child_tid, name, signals, wait, wait_address, deadline, displaced,
                next_core, started, blocked_since, blocked_cycles);
    }
};
static_assert(is_listed<Thread, 160>);

class Threads {
public:
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    Threads(AddressSpace& memory, MachineServices& machine, MemoryMap& map);

    // The first core in the program's order that is in `allowed` and no thread's, or none.
    std::optional<std::uint32_t> free_core(const CoreSet& allowed) const;
    const CoreSet& all_cores() const { return all_cores_; }

    // The number of a thread to be started; none is used again.
    std::uint32_t new_id() { return ++last_id_; }
    // A new thread, of that number, on a free core. Its stack is homed there if it has a mapping for itself.
    Thread& start(std::uint32_t id, std::uint32_t core, const CoreSet& affinity, const Hart& hart);
    void end(Thread& thread);

    Thread* find(std::uint32_t id);
    Thread& on(std::uint32_t core) { return *on_core_[core]; }
    Wait wait_on(std::uint32_t core) const { return on_core_[core] ? on_core_[core]->wait : Wait::none; }
    bool is_taken(std::uint32_t core) const { return on_core_[core] != nullptr; }
    std::size_t size() const { return threads_.size(); }
    std::uint64_t cpu_cycles()
        const;  // of all threads, also of those that have ended: cycles not blocked in the kernel

    // Keeps the thread in its system call until wake(), or until the deadline.
    void block(Thread& thread, Wait wait, std::uint64_t address, std::uint64_t deadline);
    // The blocked thread goes on, with that result.
    void wake(Thread& thread, std::int64_t result);
    // The thread, not blocked, goes on after its system call.
    void finish(Thread& thread, std::int64_t result);

    // Changes the affinity. A thread that may not stay where it is moves to the free core with the lowest number. If it
    // waits in the kernel it moves at once, otherwise at the end of its current or next system call. Until it has left,
    // its old core is taken. False, and nothing changed, if none is free.
    bool set_affinity(Thread& thread, const CoreSet& allowed);

    std::uint64_t next_deadline() const { return deadlines_.empty() ? never : deadlines_.begin()->first; }
    // A thread whose deadline has come, the earliest and then the oldest first; null if there is none.
    Thread* due();

    std::vector<ThreadReport> report() const;
    void serialise(Archive& archive);

private:
    bool is_fresh_stack(const MemoryMap::Mapping& mapping, std::uint64_t begins) const;
    void home_stack(const Thread& thread);
    void move(Thread& thread, std::uint32_t core);

    AddressSpace& memory_;
    MachineServices& machine_;
    MemoryMap& map_;
    const CoreSet all_cores_;
    std::map<std::uint32_t, Thread> threads_;  // by id
    std::vector<Thread*> on_core_;
    std::set<std::uint32_t> reserved_;                             // the next_core of some thread
    std::set<std::pair<std::uint64_t, std::uint32_t>> deadlines_;  // (cycle, thread)
    std::uint32_t last_id_ = 0;
    std::uint64_t ended_cpu_cycles_ = 0;
};
static_assert(is_listed<Threads, 232>);

}  // namespace croftsim
