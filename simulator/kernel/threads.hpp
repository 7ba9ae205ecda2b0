#pragma once
// The program's threads, and what those wait for that wait. Which of them has which core: scheduler.hpp. A thread
// inherits its creator's affinity, as on Linux.

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "contract/machine_services.hpp"
#include "contract/simulation.hpp"
#include "kernel/scheduler.hpp"
#include "kernel/thread.hpp"

namespace croftsim {

class Threads {
public:
    static constexpr std::uint64_t never = Thread::never;

    Threads(AddressSpace& memory, MachineServices& machine, MemoryMap& map)
        : scheduler(memory, machine, map), machine_(machine) {}

    Scheduler scheduler;

    // A new thread, which has no core yet (Scheduler::seek).
    Thread& make(const CoreSet& affinity, const Hart& hart);
    void end(Thread& thread);

    Thread* find(std::uint32_t id);
    Thread& on(std::uint32_t core) { return *scheduler.on(core); }
    Wait wait_on(std::uint32_t core) const { return scheduler.on(core) ? scheduler.on(core)->wait : Wait::none; }
    template <class Visit>
    void for_each(Visit visit) {
        for (auto& [id, thread] : threads_) visit(thread);
    }
    bool is_taken(std::uint32_t core) const { return scheduler.on(core) != nullptr; }
    std::size_t size() const { return threads_.size(); }
    std::uint64_t cpu_cycles()
        const;  // of all threads, also of those that have ended: cycles not blocked in the kernel

    // Keeps the thread in its system call until wake(), or until the deadline.
    void block(Thread& thread, Wait wait, std::uint64_t address, std::uint64_t deadline);
    // The blocked thread goes on, with that result.
    void wake(Thread& thread, std::int64_t result);
    // The thread, not blocked, goes on after its system call.
    void finish(Thread& thread, std::int64_t result);

    std::uint64_t next_deadline() const { return deadlines_.empty() ? never : deadlines_.begin()->first; }
    // A thread whose deadline has come, the earliest and then the oldest first; null if there is none.
    Thread* due();

    std::vector<ThreadReport> report() const;
    void serialise(Archive& archive);

private:
    MachineServices& machine_;
    std::map<std::uint32_t, Thread> threads_;                      // by id
    std::set<std::pair<std::uint64_t, std::uint32_t>> deadlines_;  // (cycle, thread)
    std::uint32_t last_id_ = 0;
    std::uint64_t ended_cpu_cycles_ = 0;
};
static_assert(is_listed<Threads, 424>);

}  // namespace croftsim
