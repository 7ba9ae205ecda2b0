#include "kernel/threads.hpp"

#include <string>

namespace croftsim {
void Threads::serialise(Archive& archive) {
    archive(threads_, reserved_, deadlines_, last_id_, ended_cpu_cycles_);
    for (Thread*& there : on_core_) {
        std::uint32_t id = there ? there->id : 0;
        archive(id);
        there = find(id);
    }
    for (const auto& [id, thread] : threads_)
        if (thread.id != id || thread.core >= on_core_.size() || on_core_[thread.core] != &thread) Archive::damaged();
    for (const auto& [deadline, id] : deadlines_)
        if (!find(id)) Archive::damaged();
}

Threads::Threads(AddressSpace& memory, MachineServices& machine, MemoryMap& map)
    : memory_(memory),
      machine_(machine),
      map_(map),
      all_cores_(CoreSet::all(machine.cores())),
      on_core_(machine.tiles()) {}

std::optional<std::uint32_t> Threads::free_core(const CoreSet& allowed) const {
    for (std::uint32_t number = 0; number < machine_.cores(); ++number) {
        const std::uint32_t core = machine_.tile_of(number);
        if (!on_core_[core] && !reserved_.contains(core) && allowed.contains(number)) return core;
    }
    return std::nullopt;
}

Thread& Threads::start(std::uint32_t id, std::uint32_t core, const CoreSet& affinity, const Hart& hart) {
    Thread& thread = threads_[id];
    thread.id = id;
    thread.core = core;
    thread.affinity = affinity;
    thread.started = machine_.now();
    on_core_[core] = &thread;
    thread.stack = hart.x[Hart::sp];
    // The stack pointer may be the end of its mapping; the first word that the thread pushes is below it.
    if (const MemoryMap::Mapping mapping = map_.at(thread.stack - 1); is_fresh_stack(mapping, thread.stack))
        map_.make_stack(mapping, thread.stack);
    home_stack(thread);
    machine_.start(core, hart);
    return thread;
}

void Threads::end(Thread& thread) {
    ended_cpu_cycles_ += thread.cpu_cycles(machine_.now());
    if (thread.next_core) reserved_.erase(*thread.next_core);
    on_core_[thread.core] = nullptr;
    machine_.vacate(thread.core);
    threads_.erase(thread.id);
}

Thread* Threads::find(std::uint32_t id) {
    const auto it = threads_.find(id);
    return it == threads_.end() ? nullptr : &it->second;
}

std::uint64_t Threads::cpu_cycles() const {
    std::uint64_t cycles = ended_cpu_cycles_;
    for (const auto& [id, thread] : threads_) cycles += thread.cpu_cycles(machine_.now());
    return cycles;
}

void Threads::block(Thread& thread, Wait wait, std::uint64_t address, std::uint64_t deadline) {
    thread.wait = wait;
    thread.wait_address = address;
    thread.deadline = deadline;
    thread.blocked_since = machine_.now();
    if (deadline != never) deadlines_.emplace(deadline, thread.id);
    // A move that waited for this system call can be made now: the hart stands still.
    if (thread.next_core) move(thread, *thread.next_core);
}

void Threads::wake(Thread& thread, std::int64_t result) {
    if (thread.deadline != never) deadlines_.erase({thread.deadline, thread.id});
    thread.blocked_cycles += machine_.now() - thread.blocked_since;
    thread.wait = Wait::none;
    Hart& hart = machine_.hart(thread.core);
    hart.x[Hart::a0] = static_cast<std::uint64_t>(result);
    if (thread.displaced) {
        thread.displaced = false;
        machine_.start(thread.core, Hart(hart));
    } else {
        machine_.resume(thread.core);
    }
}

void Threads::finish(Thread& thread, std::int64_t result) {
    machine_.hart(thread.core).x[Hart::a0] = static_cast<std::uint64_t>(result);
    if (!thread.next_core) return machine_.resume(thread.core);
    move(thread, *thread.next_core);
    thread.displaced = false;
    machine_.start(thread.core, Hart(machine_.hart(thread.core)));
}

bool Threads::set_affinity(Thread& thread, const CoreSet& allowed) {
    const std::uint32_t bound_for = thread.next_core.value_or(thread.core);
    if (!allowed.contains(machine_.number_of(bound_for))) {
        const bool stay = allowed.contains(machine_.number_of(thread.core));
        const std::optional<std::uint32_t> core = stay ? thread.core : free_core(allowed);
        if (!core) return false;
        if (thread.next_core) reserved_.erase(*thread.next_core);
        thread.next_core.reset();
        if (!stay) {
            thread.next_core = core;
            reserved_.insert(*core);
            if (thread.wait != Wait::none) move(thread, *core);
        }
    }
    thread.affinity = allowed;
    return true;
}

// The thread is in the kernel. Its hart is laid down at its new core, where it starts when it goes on.
void Threads::move(Thread& thread, std::uint32_t core) {
    const Hart hart = machine_.hart(thread.core);
    on_core_[thread.core] = nullptr;
    machine_.vacate(thread.core);
    machine_.moved(thread.core, core);
    thread.core = core;
    thread.next_core.reset();
    thread.displaced = true;
    reserved_.erase(core);
    on_core_[core] = &thread;
    machine_.hart(core) = hart;
    home_stack(thread);
}

// Whether the mapping is for the stack that begins there. Most of it lies below the stack pointer, and nobody has used
// anything of that. Such are the stacks that C libraries map, with the thread's own data above. Stacks in a pool or in
// a heap are not.
bool Threads::is_fresh_stack(const MemoryMap::Mapping& mapping, std::uint64_t begins) const {
    const std::uint64_t below = begins / AddressSpace::page_bytes * AddressSpace::page_bytes - mapping.first;
    return mapping.end > 0 && mapping.end - begins <= begins - mapping.first && !machine_.is_used(mapping.first, below);
}

void Threads::home_stack(const Thread& thread) {
    const MemoryMap::Mapping mapping = map_.at(thread.stack - 1);
    if (mapping.stack == 0 || mapping.stack != thread.stack) return;
    machine_.address_space_changes(mapping.first, mapping.end - mapping.first, false);
    memory_.set_home(mapping.first, mapping.end - mapping.first, static_cast<std::uint16_t>(thread.core));
}

Thread* Threads::due() {
    if (next_deadline() > machine_.now() || deadlines_.empty()) return nullptr;
    return find(deadlines_.begin()->second);
}

std::vector<ThreadReport> Threads::report() const {
    std::vector<ThreadReport> reports;
    for (const auto& [id, thread] : threads_) {
        ThreadReport& report = reports.emplace_back();
        report.thread = id;
        report.core = thread.core;
        if (thread.wait == Wait::futex) {
            report.state = "waits in futex";
            report.address = thread.wait_address;
        } else if (thread.wait == Wait::sleep) {
            report.state =
                thread.deadline == never ? "sleeps for ever" : "sleeps until cycle " + std::to_string(thread.deadline);
        } else if (thread.wait == Wait::host) {
            report.state = "waits for the host";
        }
    }
    return reports;
}

}  // namespace croftsim
