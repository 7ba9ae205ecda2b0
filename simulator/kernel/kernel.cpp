#include "kernel/kernel.hpp"

#include <algorithm>
#include <cstring>

#include "kernel/loader.hpp"
#include "kernel/stacks.hpp"
#include "kernel/system.hpp"

namespace croftsim {
namespace {

struct SystemCall {
    std::uint32_t number;
    const char* name;
    Result (*handler)(System&, const Call&);
};

constexpr SystemCall table[] = {
#define SYSTEM_CALL(number, name, handler) {number, #name, calls::handler},
#include "kernel/system_calls.inc"
#undef SYSTEM_CALL
};

constexpr bool is_sorted = std::ranges::is_sorted(table, std::ranges::less_equal{}, &SystemCall::number);
static_assert(is_sorted);

constexpr std::uint32_t last_number = std::end(table)[-1].number;

// By number, for a look-up in one step; null where Linux has no call.
constexpr auto by_number = [] {
    std::array<const SystemCall*, last_number + 1> result{};
    for (const SystemCall& call : table) result[call.number] = &call;
    return result;
}();

}  // namespace

std::string name_of_system_call(std::uint64_t number) {
    return number <= last_number && by_number[number] ? by_number[number]->name : "";
}

std::string describe_system_call(std::uint64_t number) {
    const std::string name = name_of_system_call(number);
    return name.empty() ? std::to_string(number) : name + " (" + std::to_string(number) + ")";
}

System::System(AddressSpace& memory_, MachineServices& machine_, const RunOptions& options_)
    : memory(memory_),
      machine(machine_),
      options(options_),
      user(memory_, machine_),
      clock(machine_.clock_mhz()),
      random(options_.seed),
      threads(memory_, machine_, map),
      waitables(machine_, clock),
      files(options, random, waitables) {}

struct Kernel::State : System {
    using System::System;
};

Kernel::Kernel(AddressSpace& memory, MachineServices& machine, const RunOptions& options)
    : state_(std::make_unique<State>(memory, machine, options)) {}

Kernel::~Kernel() = default;

void Kernel::load(std::span<const std::uint8_t> elf) {
    const Hart hart = load_program(*state_, parse_elf(elf));
    Threads& threads = state_->threads;
    threads.scheduler.seek(threads.make(threads.scheduler.all_cores(), hart));
}

Call call_of(System& system, Thread& thread) {
    const Hart& hart = system.threads.scheduler.registers(thread);
    Call call{.thread = thread, .number = hart.x[Hart::a7], .a = {}};
    std::copy_n(hart.x.begin() + Hart::a0, call.a.size(), call.a.begin());
    return call;
}

Result carry_out(System& system, const Call& call) {
    const bool known = call.number <= last_number && by_number[call.number];
    return known ? by_number[call.number]->handler(system, call) : calls::unsimulated(system, call);
}

void Kernel::system_call(std::uint32_t core) {
    Thread& thread = state_->threads.on(core);
    Result result;
    state_->calling = &thread;
    try {
        result = carry_out(*state_, call_of(*state_, thread));
    } catch (const Errno& error) {
        result = -error.code;
    }
    state_->calling = nullptr;
    if (result) state_->threads.finish(thread, state_->end_call(thread, *result));
    if (!state_->exit_code) state_->try_waiting_again();
}

void Kernel::called(std::uint32_t core) {
    Thread& thread = state_->threads.on(core);
    state_->take_signals(thread);
    state_->threads.scheduler.called(thread);
}

bool Kernel::fault(std::uint32_t core, const GuestFault& fault) {
    Thread& thread = state_->threads.on(core);
    if (!state_->take_fault(thread, fault)) return false;
    state_->threads.scheduler.called(thread);
    return true;
}

std::uint64_t Kernel::next_timer() const {
    const std::uint64_t link = state_->link ? state_->link->next_event() : never;
    const Waitables& waitables = state_->waitables;
    const std::uint64_t timer = waitables.waiting.waiters().empty() ? never : waitables.timers.next_to_tell();
    return std::min({state_->threads.next_deadline(), state_->threads.scheduler.next_event(),
                     state_->signal_timers.next_event(*state_), link, timer});
}

void Kernel::expire_timers() {
    state_->threads.scheduler.act();
    if (state_->waitables.timers.next_to_tell() <= state_->machine.now()) {
        state_->waitables.timers.tell(state_->machine.now());
        state_->waitables.waiting.changed();
    }
    state_->try_waiting_again();
    while (Thread* thread = state_->threads.due()) {
        if (state_->waitables.waiting.find(thread->id)) {
            state_->try_again(*thread);
            continue;
        }
        switch (thread->wait) {
            case Wait::futex:
                state_->futexes.remove(thread->id);
                state_->threads.wake(*thread, -ETIMEDOUT);
                break;
            case Wait::signal:
                thread->signals.awaited = 0;
                state_->threads.wake(*thread, -EAGAIN);
                break;
            default:
                state_->threads.wake(*thread, 0);
        }
    }
    state_->signal_timers.act(*state_);
    state_->try_waiting_again();
    if (state_->link && state_->link->next_event() <= state_->machine.now()) look_at_host();
}

std::uint64_t Kernel::next_look() const { return state_->link ? state_->link->next_look() : never; }

void Kernel::look_at_host() {
    for (const HostLink::Wake& woken : state_->link->act()) {
        Thread& thread = *state_->threads.find(woken.thread);
        state_->threads.wake(thread, woken.result == HostLink::end_of_stream ? -ENODATA : woken.result);
        if (state_->has_signal(thread) && !thread.parked) state_->machine.call(thread.core);
    }
}

void Kernel::wait_for_host() {
    state_->link->wait_for_host();
    look_at_host();
}

std::array<LinkStatistics, 2> Kernel::link_statistics() const {
    return state_->link ? state_->link->statistics() : std::array<LinkStatistics, 2>{};
}

std::vector<std::pair<std::string, std::uint64_t>> Kernel::unsimulated() const { return state_->unsimulated.list(); }

std::string Kernel::sentence_for(const GuestFault& fault) const {
    constexpr int segmentation_fault = 139;
    if (fault.core == GuestFault::no_core || fault.exit_code != segmentation_fault) return fault.what();
    return stack_overflow(*state_, fault.core).value_or(fault.what());
}

std::optional<int> Kernel::exit_code() const { return state_->exit_code; }

void System::serialise(Archive& archive) {
    archive(random, map, threads, futexes, signals, signal_timers, waitables, files, exit_code, first_thread_status,
            unsimulated, limits);
    shared_mappings.serialise(archive, *this);
    bool is_linked = link.has_value();
    archive(is_linked);
    if (is_linked && (!options.host || !machine.host_link())) Archive::damaged();
    // A new link asks its host at once. Its answer is overwritten by what both knew.
    if (is_linked && !link) link.emplace(machine, *machine.host_link(), *options.host, 0, HostSide::Slots{1, 1});
    if (is_linked) archive(*link);
    if (options.host) options.host->serialise(archive);
}

void Kernel::serialise(Archive& archive) {
    try {
        archive(static_cast<System&>(*state_));
    } catch (const Errno& error) {
        throw CheckpointError("one of the program's files cannot be asked where it is: " +
                              std::string(std::strerror(error.code)));
    }
}

std::vector<ThreadReport> Kernel::threads() const {
    if (state_->exit_code) return {};  // exit_group ends them all
    std::vector<ThreadReport> reports = state_->threads.report();
    for (ThreadReport& report : reports)
        if (const auto* waiter = state_->waitables.waiting.find(report.thread); waiter && waiter->waits != Waits::time)
            report.state = description_of(waiter->waits);
    return reports;
}

Wait Kernel::wait_on(std::uint32_t core) const { return state_->threads.wait_on(core); }

}  // namespace croftsim
