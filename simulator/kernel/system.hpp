#pragma once
// Everything that system calls work on, and what the functions behind them look like.

#include <array>
#include <cstdint>
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
#include "kernel/signal_timers.hpp"
#include "kernel/signals.hpp"
#include "kernel/threads.hpp"
#include "kernel/user_memory.hpp"
#include "memory/address_space.hpp"

namespace croftsim {

inline constexpr std::uint64_t page = AddressSpace::page_bytes;

struct System {
    static constexpr std::uint64_t memory_bytes = std::uint64_t{16} << 30;  // all pages that allow something
    static constexpr std::uint64_t stack_bytes = std::uint64_t{8} << 20;    // of the first thread
    static constexpr std::uint32_t process = 1;                             // the process, and its first thread
    static constexpr std::uint32_t user_id = 1000;                          // and group

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
    Files files;
    std::optional<HostLink> link;  // once the program has opened it
    std::optional<int> exit_code;
    int first_thread_status = 0;

    // Deadlines in cycles: for a time from now on, and for a time of the realtime or the monotonic clock. 0 if that was
    // before the program started. Both throw Errno{EINVAL}.
    std::uint64_t after(const abi::Time& time) const;
    std::uint64_t at(abi::Time time, bool realtime_clock) const;

    // signal_delivery.cpp. Sends a signal to the thread; null: to the process.
    void post_signal(const SignalInfo& info, Thread* thread);
    bool has_signal(const Thread& thread) const;  // which it would take
    // The thread, in the kernel, takes the signals that it does not block. `call`: the first argument of its system
    // call, which has been interrupted and may begin anew.
    void take_signals(Thread& thread, std::optional<std::uint64_t> call = std::nullopt);
    // False if the program has no handler for that; then nothing has happened.
    bool take_fault(Thread& thread, const GuestFault& fault);
    void put_signal_info(std::uint64_t to, const SignalInfo& info);
    void map_signal_return();  // where handlers return to

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
    bool end_wait(Thread& thread);
    void take_signal(Thread& thread, const SignalInfo& info, std::optional<std::uint64_t>& call);
};
static_assert(is_listed<System, 4160>);

struct Call {
    Thread& thread;
    std::uint64_t number;
    std::array<std::uint64_t, 6> a;
};

// The value for a0; none if the thread does not go on now. Errno{code} may be thrown for -code.
using Result = std::optional<std::int64_t>;
constexpr std::nullopt_t blocked = std::nullopt;

// "io_uring_setup (425)", or the number alone if Linux has no such call.
std::string describe_system_call(std::uint64_t number);

namespace calls {

#define SYSTEM_CALL(number, name, handler) Result handler(System&, const Call&);
#include "kernel/system_calls.inc"
#undef SYSTEM_CALL

}  // namespace calls
}  // namespace croftsim
