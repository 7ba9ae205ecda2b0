#pragma once
// Everything that system calls work on, and what the functions behind them look like.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/archive.hpp"
#include "base/random.hpp"
#include "contract/machine_services.hpp"
#include "contract/simulation.hpp"
#include "device/host_link.hpp"
#include "kernel/clock.hpp"
#include "kernel/errno.hpp"
#include "kernel/files.hpp"
#include "kernel/futex.hpp"
#include "kernel/memory_map.hpp"
#include "kernel/shared_mappings.hpp"
#include "kernel/signal_timers.hpp"
#include "kernel/signals.hpp"
#include "kernel/threads.hpp"
#include "kernel/unsimulated.hpp"
#include "kernel/user_memory.hpp"
#include "kernel/waitables.hpp"
#include "memory/address_space.hpp"

namespace croftsim {

inline constexpr std::uint64_t page = AddressSpace::page_bytes;

struct Call;

// The value for a0; none if the thread does not go on now. Errno{code} may be thrown for -code.
using Result = std::optional<std::int64_t>;
constexpr std::nullopt_t blocked = std::nullopt;

struct System {
    static constexpr std::uint64_t memory_bytes = std::uint64_t{16} << 30;  // all pages that allow something
    static constexpr std::uint64_t stack_bytes = std::uint64_t{8} << 20;    // of the first thread
    static constexpr std::uint64_t stack_end = AddressSpace::limit - page;
    static constexpr std::uint32_t process = 1;     // the process, and its first thread
    static constexpr std::uint32_t user_id = 1000;  // and group

    System(AddressSpace& memory, MachineServices& machine, const RunOptions& options);

    AddressSpace& memory;
    MachineServices& machine;
    const RunOptions options;  // its own copy
    UserMemory user;
    Clock clock;
    SplitMix64 random;
    MemoryMap map;
    Threads threads;
    FutexQueue futexes;
    Signals signals;
    SignalTimers signal_timers;
    Thread* calling = nullptr;  // whose system call is carried out
    Waitables waitables;
    Files files;
    SharedMappings shared_mappings;
    std::optional<HostLink> link;  // once the program has opened it
    std::optional<int> exit_code;
    int first_thread_status = 0;
    Unsimulated unsimulated;
    using Limits = std::array<std::uint64_t, 2>;  // soft and hard
    std::map<std::uint64_t, Limits> limits;       // those that the program has set, by resource

    // Deadlines in cycles: for a time from now on, and for a time of the realtime or the monotonic clock. 0 if that was
    // before the program started. Both throw Errno{EINVAL}.
    std::uint64_t after(const abi::Time& time) const;
    std::uint64_t at(abi::Time time, bool realtime_clock) const;

    // One that the process sends itself.
    static SignalInfo own_signal(std::uint32_t signal, std::int32_t code) {
        return {.signal = signal, .code = code, .from = std::uint64_t{user_id} << 32 | process};
    }
    // signal_delivery.cpp. Sends a signal to the thread; null: to the process.
    void post_signal(const SignalInfo& info, Thread* thread);
    bool has_signal(const Thread& thread) const;  // which it would take
    // The thread, in the kernel, takes the signals that it does not block. `call`: the first argument of its system
    // call, which has been interrupted and may begin anew.
    void take_signals(Thread& thread, std::optional<std::uint64_t> call = std::nullopt);
    // False if the program has no handler for that; then nothing has happened.
    bool take_fault(Thread& thread, const GuestFault& fault);
    void map_signal_return();  // where handlers return to

    // The result of a call that cannot go on now: the thread waits, and then the call is tried again. `late` is the
    // result if the deadline has come; `done` is how far the call has got.
    Result wait(const Call& call, Waits waits, std::uint64_t deadline, std::int64_t late, std::uint64_t done = 0);
    // The deadline of a call that waits so many nanoseconds: the one that it has already, if it waits.
    std::uint64_t deadline_of(const Call& call, std::uint64_t nanoseconds) const;
    // After a system call: tries again the calls of threads that wait, if anything has changed.
    void try_waiting_again();
    // Tries the call of a thread that waits; false if it still does.
    bool try_again(Thread& thread);
    // A call that waits may bring a mask for the time of its wait (ppoll). `address`: of the set; 0: it brings none.
    void mask_signals_for(const Call& call, std::uint64_t address);
    // The call of a thread ends with that result. Returns what the thread finds in a0, if it takes signals first.
    std::int64_t end_call(Thread& thread, std::int64_t result);
    // For the detector of races: whoever learns from a key knows what those have done who taught it (OpenFile).
    void teach(std::uint64_t key);
    void learn_from(const Call& call, std::uint64_t key);

    std::int64_t wake_futex(std::uint64_t address, std::uint64_t count, std::uint32_t bits = FutexQueue::any);
    // Whether there is memory for these pages to have that permission. The pages that they replace are given back, and
    // so are `leaving` bytes elsewhere.
    bool has_room(std::uint64_t first, std::uint64_t bytes, std::uint8_t permission, std::uint64_t leaving = 0) const;
    // mmap for the kernel's own use and the loader's: fresh pages, recorded, and nothing of theirs in any cache.
    // False if there is no room.
    bool map_fresh(std::uint64_t first, std::uint64_t bytes, std::uint8_t permission, bool from_file = false,
                   std::uint64_t leaving = 0);

    void serialise(Archive& archive);

private:
    void notice_signals(Thread& thread);
    void take_awaited_signal(Thread& thread);
    std::pair<std::int64_t, bool> end_wait(Thread& thread);
    void take_signal(Thread& thread, const SignalInfo& info, std::optional<std::uint64_t>& call);
};
static_assert(is_listed<System, 4552>);

struct Call {
    Thread& thread;
    std::uint64_t number;
    std::array<std::uint64_t, 6> a;
    const Waiting::Waiter* waiter = nullptr;  // of a thread that has waited, and tries again
};

// The call that the thread is in, from its hart.
Call call_of(System& system, Thread& thread);
Result carry_out(System& system, const Call& call);

// "io_uring_setup (425)", or the number alone if Linux has no such call.
std::string describe_system_call(std::uint64_t number);
// Empty if Linux has no such call.
std::string name_of_system_call(std::uint64_t number);

namespace calls {

#define SYSTEM_CALL(number, name, handler) Result handler(System&, const Call&);
#include "kernel/system_calls.inc"
#undef SYSTEM_CALL

}  // namespace calls
}  // namespace croftsim
