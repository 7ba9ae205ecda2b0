#include "kernel/scheduler.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "kernel/clock.hpp"

namespace croftsim {

Scheduler::Scheduler(AddressSpace& memory, MachineServices& machine, MemoryMap& map)
    : memory_(memory),
      machine_(machine),
      map_(map),
      all_cores_(CoreSet::all(machine.cores())),
      patience_(Clock(machine.clock_mhz()).cycles_for(patience_ns)),
      on_core_(machine.tiles()),
      queued_(machine.tiles()),
      turn_began_(machine.tiles()) {}

void Scheduler::serialise(Archive& archive, const std::function<Thread*(std::uint32_t)>& find) {
    const auto by_id = [&](Thread*& there) {
        std::uint32_t id = there ? there->id : 0;
        archive(id);
        there = id ? find(id) : nullptr;
        if (id && !there) Archive::damaged();
    };
    archive(reserved_, queued_, turn_began_, turns_);
    for (Thread*& there : on_core_) by_id(there);
    std::uint64_t waiting = queue_.size();
    archive(waiting);
    if (waiting > on_core_.size() * most_waiting) Archive::damaged();
    queue_.resize(waiting);
    for (Thread*& there : queue_) by_id(there);
    if (queued_.size() != on_core_.size() || turn_began_.size() != on_core_.size()) Archive::damaged();
    for (std::uint32_t core = 0; core < on_core_.size(); ++core)
        if (on_core_[core] && on_core_[core]->core != core) Archive::damaged();
    for (const Thread* thread : queue_)
        if (!thread || !thread->parked || thread->core >= on_core_.size()) Archive::damaged();
}

// ---- cores ----

bool Scheduler::lends(const Thread& thread) const {
    if (thread.wait == Wait::none || thread.next_core) return false;
    const bool for_others = thread.wait == Wait::futex || thread.wait == Wait::event || thread.wait == Wait::signal;
    return shares() || (for_others && thread.deadline == never);
}

// Where threads have cores of their own, a new one begins on another than it may have if none of those is free.
bool Scheduler::may_run(const Thread& thread, std::uint32_t core) const {
    return (!shares() && !thread.begun) || thread.affinity.contains(machine_.number_of(core));
}

template <class Fits>
std::optional<std::uint32_t> Scheduler::first_core(const CoreSet& allowed, Fits fits) const {
    for (std::uint32_t number = 0; number < machine_.cores(); ++number) {
        const std::uint32_t core = machine_.tile_of(number);
        if (allowed.contains(number) && !reserved_.contains(core) && fits(core)) return core;
    }
    return std::nullopt;
}

std::optional<std::uint32_t> Scheduler::free_core(const CoreSet& allowed) const {
    return first_core(allowed, [this](std::uint32_t core) { return !on_core_[core]; });
}

std::optional<std::uint32_t> Scheduler::core_for(const Thread& thread) const {
    const bool is_allowed = thread.begun && may_run(thread, thread.core) && !reserved_.contains(thread.core);
    if (is_allowed && !on_core_[thread.core]) return thread.core;
    const bool anywhere = !shares() && !thread.begun;
    auto core = free_core(thread.affinity);
    if (!core && anywhere) core = free_core(all_cores_);
    const auto is_lent = [this](std::uint32_t at) { return on_core_[at] && lends(*on_core_[at]); };
    if (!core && is_allowed && is_lent(thread.core)) return thread.core;
    if (!core) core = first_core(anywhere ? all_cores_ : thread.affinity, is_lent);
    return core;
}

std::uint32_t Scheduler::shortest_queue(const CoreSet& allowed) const {
    std::optional<std::uint32_t> shortest;
    first_core(allowed, [&](std::uint32_t core) {
        if (!shortest || queued_[core] < queued_[*shortest]) shortest = core;
        return false;
    });
    return shortest.value_or(machine_.tile_of(0));
}

// ---- the queue ----

void Scheduler::seek(Thread& thread) {
    if (const auto core = core_for(thread)) return put(thread, *core);
    if (shares()) thread.core = shortest_queue(thread.affinity);
    enqueue(thread);
}

void Scheduler::enqueue(Thread& thread) {
    queue_.push_back(&thread);
    thread.queued_since = machine_.now();
    if (++queued_[thread.core] == 1) set_turn(thread.core);
}

void Scheduler::dequeue(std::deque<Thread*>::iterator at) {
    const std::uint32_t core = (*at)->core;
    queue_.erase(at);
    if (--queued_[core] == 0) set_turn(core);
}

void Scheduler::set_turn(std::uint32_t core) {
    std::erase_if(turns_, [core](const auto& turn) { return turn.second == core; });
    if (!shares() || queued_[core] == 0) return;
    turns_.emplace(std::max(machine_.now(), turn_began_[core] + machine_.costs().quantum), core);
}

void Scheduler::fill(std::uint32_t core) {
    if (queue_.empty() || reserved_.contains(core)) return;
    const auto waits_here = [&](const Thread* one) { return one->core == core && may_run(*one, core); };
    auto next = std::ranges::find_if(queue_, waits_here);
    if (next == queue_.end())
        next = std::ranges::find_if(queue_, [&](const Thread* one) { return may_run(*one, core); });
    if (next == queue_.end()) return;
    Thread& thread = **next;
    dequeue(next);
    put(thread, core);
}

void Scheduler::put(Thread& thread, std::uint32_t core) {
    if (Thread* const lender = on_core_[core]) park(*lender);
    const Hart hart = *thread.parked;
    const bool moves = thread.begun && core != thread.core;
    if (moves) machine_.moved(thread.core, core);
    if (thread.begun) thread.blocked_cycles += machine_.now() - thread.blocked_since;
    thread.core = core;
    thread.parked.reset();
    thread.wait = Wait::none;
    on_core_[core] = &thread;
    turn_began_[core] = machine_.now();
    set_turn(core);
    if (thread.begun) {
        if (moves) home_stack(thread);
        if (thread.wait_address) machine_.futex_acquires(core, thread.wait_address);
        return machine_.go_on(core, hart, machine_.costs().exit + machine_.costs().switching);
    }
    thread.begun = true;
    thread.started = machine_.now();
    adopt_stack(thread, hart.x[Hart::sp]);
    machine_.start(core, hart);
}

// Its core is another thread's from now on.
void Scheduler::park(Thread& thread) {
    thread.parked = machine_.hart(thread.core);
    on_core_[thread.core] = nullptr;
    if (!thread.displaced) machine_.vacate(thread.core);
    thread.displaced = false;
}

// It could run, and waits for a core.
void Scheduler::requeue(Thread& thread) {
    thread.wait = Wait::core;
    thread.wait_address = 0;
    thread.blocked_since = machine_.now();
    park(thread);
}

void Scheduler::leave(Thread& thread) {
    const std::uint32_t core = thread.core;
    if (thread.next_core) reserved_.erase(*thread.next_core);
    on_core_[core] = nullptr;
    machine_.vacate(core);
    fill(core);
}

void Scheduler::blocked(Thread& thread) {
    // A move that waited for this system call can be made now: the hart stands still.
    if (thread.next_core) {
        const std::uint32_t left = thread.core;
        move(thread, *thread.next_core);
        fill(left);
    }
    if (lends(thread)) fill(thread.core);
}

void Scheduler::go_on(Thread& thread) {
    if (thread.parked) {
        thread.wait = Wait::core;
        return seek(thread);
    }
    thread.blocked_cycles += machine_.now() - thread.blocked_since;
    thread.wait = Wait::none;
    if (!thread.displaced) return machine_.resume(thread.core);
    thread.displaced = false;
    machine_.start(thread.core, Hart(machine_.hart(thread.core)));
}

void Scheduler::finish(Thread& thread) {
    if (!thread.next_core) {
        if (!shares() || may_run(thread, thread.core)) return machine_.resume(thread.core);
        const std::uint32_t left = thread.core;
        requeue(thread);
        fill(left);
        return seek(thread);
    }
    const std::uint32_t left = thread.core;
    move(thread, *thread.next_core);
    thread.displaced = false;
    machine_.start(thread.core, Hart(machine_.hart(thread.core)));
    fill(left);
}

bool Scheduler::yield(Thread& thread) {
    const std::uint32_t core = thread.core;
    if (thread.next_core || std::ranges::none_of(queue_, [&](const Thread* one) { return may_run(*one, core); }))
        return false;
    requeue(thread);
    fill(core);
    seek(thread);
    return true;
}

void Scheduler::called(Thread& thread) {
    const bool is_over = queued_[thread.core] > 0 &&
                         machine_.now() >= turn_began_[thread.core] + machine_.costs().quantum && yield(thread);
    if (!is_over) finish(thread);
}

// ---- moves ----

bool Scheduler::set_affinity(Thread& thread, const CoreSet& allowed) {
    if (thread.parked) {
        thread.affinity = allowed;
        const auto waiting = std::ranges::find(queue_, &thread);
        if (waiting == queue_.end() || may_run(thread, thread.core)) return true;
        dequeue(waiting);
        seek(thread);
        return true;
    }
    const std::uint32_t left = thread.core;
    const bool stays = allowed.contains(machine_.number_of(left)), waits = thread.wait != Wait::none;
    if (allowed.contains(machine_.number_of(thread.next_core.value_or(left)))) {
        thread.affinity = allowed;
        return true;
    }
    const std::optional<std::uint32_t> core = stays ? left : free_core(allowed);
    if (!core && !shares()) return false;
    thread.affinity = allowed;
    const std::optional<std::uint32_t> kept = std::exchange(thread.next_core, std::nullopt);
    if (kept) reserved_.erase(*kept);
    if (!core) {
        waits ? park(thread), fill(left) : machine_.call(left);
    } else if (!stays) {
        thread.next_core = core;
        reserved_.insert(*core);
        if (waits) move(thread, *core), fill(left);
    }
    if (kept && !on_core_[*kept]) fill(*kept);
    return true;
}

// The thread is in the kernel. Its hart is laid down at its new core, where it starts when it goes on.
void Scheduler::move(Thread& thread, std::uint32_t core) {
    const Hart hart = machine_.hart(thread.core);
    on_core_[thread.core] = nullptr;
    machine_.vacate(thread.core);
    machine_.moved(thread.core, core);
    thread.core = core;
    thread.next_core.reset();
    thread.displaced = true;
    reserved_.erase(core);
    on_core_[core] = &thread;
    turn_began_[core] = machine_.now();
    machine_.hart(core) = hart;
    home_stack(thread);
}

// ---- stacks ----

// Whether the mapping is for the stack that begins there. Most of it lies below the stack pointer, and nobody has used
// anything of that. Such are the stacks that C libraries map, with the thread's own data above. Stacks in a pool or in
// a heap are not.
bool Scheduler::is_fresh_stack(const MemoryMap::Mapping& mapping, std::uint64_t begins) const {
    const std::uint64_t below = begins / AddressSpace::page_bytes * AddressSpace::page_bytes - mapping.first;
    return mapping.end > 0 && mapping.end - begins <= begins - mapping.first && !machine_.is_used(mapping.first, below);
}

// A thread's stack is homed at its core if it has a mapping for itself.
void Scheduler::adopt_stack(Thread& thread, std::uint64_t begins) {
    thread.stack = begins;
    // The stack pointer may be the end of its mapping; the first word that the thread pushes is below it.
    if (const MemoryMap::Mapping mapping = map_.at(begins - 1); is_fresh_stack(mapping, begins))
        map_.make_stack(mapping, begins);
    home_stack(thread);
}

void Scheduler::home_stack(const Thread& thread) {
    const MemoryMap::Mapping mapping = map_.at(thread.stack - 1);
    if (mapping.stack == 0 || mapping.stack != thread.stack) return;
    machine_.address_space_changes(mapping.first, mapping.end - mapping.first, false);
    memory_.set_home(mapping.first, mapping.end - mapping.first, static_cast<std::uint16_t>(thread.core));
}

// ---- time ----

std::uint64_t Scheduler::next_event() const {
    if (queue_.empty()) return never;
    if (shares()) return turns_.empty() ? never : turns_.begin()->first;
    return queue_.front()->queued_since + patience_;
}

void Scheduler::act() {
    if (!shares() && next_event() <= machine_.now())
        throw GuestFault(GuestFault::no_core,
                         "more threads run at a time than the program has cores (" + std::to_string(machine_.cores()) +
                             "): use a larger machine, more --cores, or --set kernel.scheduler=share");
    while (!turns_.empty() && turns_.begin()->first <= machine_.now()) {
        const std::uint32_t core = turns_.begin()->second;
        turns_.erase(turns_.begin());
        machine_.call(core);
    }
}

}  // namespace croftsim
