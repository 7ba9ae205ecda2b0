#pragma once
// The part of Linux that a static RISC-V program needs: threads, futexes, memory, files under a sandbox, clocks that
// tell simulated time.

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "contract/machine_services.hpp"
#include "contract/simulation.hpp"
#include "device/host_link.hpp"
#include "memory/address_space.hpp"

namespace croftsim {

enum class Wait : std::uint8_t;  // kernel/threads.hpp

class Kernel {
public:
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

    Kernel(AddressSpace& memory, MachineServices& machine, const RunOptions& options);
    ~Kernel();

    // Maps the program, builds the first thread's stack (argv, envp, auxv) and starts it on core 0.
    // Throws BadProgram.
    void load(std::span<const std::uint8_t> elf);

    // The thread on `core` executed ecall: number in a7, arguments in a0..a5. Either resumes the core, now, or keeps
    // the thread until an event resumes it. Throws GuestFault.
    void system_call(std::uint32_t core);
    // The kernel has called the thread that ran on `core` (MachineServices::call), and it has come.
    void called(std::uint32_t core);
    // The thread on `core` has done what it must not. Whether the program has a handler for that, and goes on there.
    bool fault(std::uint32_t core, const GuestFault& fault);

    std::uint64_t next_timer() const;  // the cycle of the earliest timeout, or `never`
    void expire_timers();              // handles every timeout due at machine.now()

    // For a host that runs beside the simulation (device/host_link.hpp). When to look at it next; `never` if nothing
    // depends on it.
    std::uint64_t next_look() const;
    void look_at_host();
    void wait_for_host();  // a while, in real time
    // The messages to the program, and to the host.
    std::array<LinkStatistics, 2> link_statistics() const;

    // Set once exit_group was called or the last thread ended.
    std::optional<int> exit_code() const;

    // Throws CheckpointError for what cannot be kept or found again: files, and a host in real time.
    void serialise(Archive& archive);

    // The sentence for the user about a fault: that of the fault, unless a stack has overflowed.
    std::string sentence_for(const GuestFault& fault) const;
    // The system calls that were answered with ENOSYS because they are not simulated, and how often each was.
    std::vector<std::pair<std::string, std::uint64_t>> unsimulated() const;

    // Every thread alive. The machine fills in pc and ra, and the state of those that do not wait in the kernel
    // (state is empty for these).
    std::vector<ThreadReport> threads() const;
    // The reason for which the thread on `core` waits in the kernel.
    Wait wait_on(std::uint32_t core) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace croftsim
