#include "kernel/kernel.hpp"

#include <algorithm>
#include <cstring>

#include "kernel/loader.hpp"
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

std::string describe_system_call(std::uint64_t number) {
    const bool known = number <= last_number && by_number[number];
    return known ? std::string(by_number[number]->name) + " (" + std::to_string(number) + ")" : std::to_string(number);
}

System::System(AddressSpace& memory_, MachineServices& machine_, const RunOptions& options_)
    : memory(memory_),
      machine(machine_),
      options(options_),
      user(memory_, machine_),
      clock(machine_.clock_mhz()),
      random(options_.seed),
      threads(memory_, machine_, map),
      files(options, random) {}

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

void Kernel::system_call(std::uint32_t core) {
    Thread& thread = state_->threads.on(core);
    const Hart& hart = state_->machine.hart(core);
    Call call{thread, hart.x[Hart::a7], {}};
    std::copy_n(hart.x.begin() + Hart::a0, call.a.size(), call.a.begin());
    const bool known = call.number <= last_number && by_number[call.number];
    Result result;
    state_->calling = &thread;
    try {
        result = known ? by_number[call.number]->handler(*state_, call) : calls::unsimulated(*state_, call);
    } catch (const Errno& error) {
        result = -error.code;
    }
    state_->calling = nullptr;
    if (!result) return;
    if (thread.signals.mask_before || state_->has_signal(thread)) {
        std::uint64_t& a0 = state_->machine.hart(core).x[Hart::a0];
        a0 = static_cast<std::uint64_t>(*result);
        state_->take_signals(thread);
        result = static_cast<std::int64_t>(a0);
    }
    state_->threads.finish(thread, *result);
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
    return std::min({state_->threads.next_deadline(), state_->threads.scheduler.next_event(),
                     state_->signal_timers.next_event(*state_), link});
}

void Kernel::expire_timers() {
    state_->threads.scheduler.act();
    while (Thread* thread = state_->threads.due()) {
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

std::optional<int> Kernel::exit_code() const { return state_->exit_code; }

void System::serialise(Archive& archive) {
    archive(random, map, threads, futexes, signals, signal_timers, files, exit_code, first_thread_status);
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
    return state_->threads.report();
}

Wait Kernel::wait_on(std::uint32_t core) const { return state_->threads.wait_on(core); }

}  // namespace croftsim
