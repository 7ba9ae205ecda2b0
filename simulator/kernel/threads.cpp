#include "kernel/threads.hpp"

#include <string>

namespace croftsim {

void Threads::serialise(Archive& archive) {
    archive(threads_, deadlines_, last_id_, ended_cpu_cycles_);
    for (const auto& [id, thread] : threads_)
        if (thread.id != id) Archive::damaged();
    for (const auto& [deadline, id] : deadlines_)
        if (!find(id)) Archive::damaged();
    scheduler.serialise(archive, [this](std::uint32_t id) { return find(id); });
    for (const auto& [id, thread] : threads_)
        if (!thread.parked && scheduler.on(thread.core) != &thread) Archive::damaged();
}

Thread& Threads::make(const CoreSet& affinity, const Hart& hart) {
    const std::uint32_t id = ++last_id_;  // none is used again
    Thread& thread = threads_[id];
    thread.id = id;
    thread.affinity = affinity;
    thread.parked = hart;
    thread.wait = Wait::core;
    return thread;
}

void Threads::end(Thread& thread) {
    ended_cpu_cycles_ += thread.cpu_cycles(machine_.now());
    scheduler.leave(thread);
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
    scheduler.blocked(thread);
}

void Threads::wake(Thread& thread, std::int64_t result) {
    if (thread.deadline != never) deadlines_.erase({thread.deadline, thread.id});
    thread.deadline = never;
    scheduler.registers(thread).x[Hart::a0] = static_cast<std::uint64_t>(result);
    scheduler.go_on(thread);
}

void Threads::finish(Thread& thread, std::int64_t result) {
    scheduler.registers(thread).x[Hart::a0] = static_cast<std::uint64_t>(result);
    scheduler.finish(thread);
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
        } else if (thread.wait == Wait::signal) {
            report.state = "waits for a signal";
        } else if (thread.wait == Wait::host) {
            report.state = "waits for the host";
        } else if (thread.wait == Wait::core) {
            report.state = "waits for a core";
        }
        if (!thread.parked) continue;
        report.has_core = false;
        report.pc = thread.parked->pc;
        report.return_address = thread.parked->x[1];
        std::copy_n(thread.parked->x.begin(), report.registers.size(), report.registers.begin());
    }
    return reports;
}

}  // namespace croftsim
