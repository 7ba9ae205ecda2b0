#pragma once
// The services of the machine for the kernel. The kernel acts only while the whole machine stands still at one cycle.
// Every core and every message has done exactly what it does before now(), and nothing of what it does at or after it.

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "contract/description.hpp"
#include "isa/hart.hpp"

namespace croftsim {

class MachineServices {
public:
    virtual ~MachineServices() = default;

    virtual std::uint64_t now() const = 0;  // cycles
    virtual double clock_mhz() const = 0;
    virtual const KernelDescription& costs() const = 0;
    virtual std::uint32_t cores() const = 0;  // cores that may hold a thread
    virtual std::uint32_t tiles() const = 0;  // that may be a line's home
    // A core, here and in all threads, is the tile that it is in. The program has a number for it (CoreOrder).
    virtual std::uint32_t tile_of(std::uint64_t number) const { return static_cast<std::uint32_t>(number); }
    virtual std::uint32_t number_of(std::uint32_t core) const { return core; }
    virtual std::uint32_t controllers() const = 0;
    virtual bool controllers_have_homes() const { return false; }  // so a page that gets another gets another home
    virtual Hart& hart(std::uint32_t core) = 0;

    // Coherent access to the program's memory. It finds what a core's load at this cycle would find: caches first, then
    // DRAM. A write updates or drops every copy and breaks reservations. The caller has checked the range with
    // AddressSpace::allows.
    virtual void read(std::uint64_t address, std::span<std::uint8_t> to) = 0;
    virtual void write(std::uint64_t address, std::span<const std::uint8_t> from) = 0;

    // A device's access to the program's memory, past the cores. In a coherent page it reads what a load of any core
    // would. It writes whole lines, which are then in memory and in no cache. (The rest of the last one is undefined.)
    // In an incoherent page it reads and writes memory, and copies in caches stay as they are. Throws GuestFault if the
    // range is not mapped.
    virtual void device_read(std::uint64_t address, std::span<std::uint8_t> to) = 0;
    virtual void device_write(std::uint64_t address, std::span<const std::uint8_t> from) = 0;
    virtual const HostLinkDescription* host_link() const = 0;  // null if the machine has none

    // The kernel acts for the thread on this core from now on; returns the core for which it did before.
    virtual std::uint32_t act_for(std::uint32_t core) { return core; }
    // A new thread begins on an idle core.
    virtual void start(std::uint32_t core, const Hart& hart) = 0;
    // The thread that stopped in a system call on this core goes on after its ecall (a0 is already in its hart).
    virtual void resume(std::uint32_t core) = 0;
    // At this word a call of futex wakes threads, or has moved them there. They, and later waiters, come behind
    // everything that the caller has done. A thread waits there, or has been woken there.
    virtual void futex_releases(std::uint64_t address) = 0;
    virtual void futex_acquires(std::uint32_t core, std::uint64_t address) = 0;
    // The thread on this core has ended or has moved away: the core is idle from now on.
    virtual void vacate(std::uint32_t core) = 0;

    // The thread that runs on this core enters the kernel before its next instruction, as if by a system call
    // (Kernel::called).
    virtual void call(std::uint32_t core) = 0;
    // The thread on this core, which has done what it must not, may go on: its hart stands at that instruction.
    virtual void stop_at_fault(std::uint32_t core) = 0;
    // A thread that was stopped in the kernel goes on, on a core that no thread has, so many cycles from now on.
    virtual void go_on(std::uint32_t core, const Hart& hart, std::uint32_t after) = 0;

    // A thread that does nothing meanwhile has moved to another core.
    virtual void moved(std::uint32_t from, std::uint32_t to) = 0;

    // Pages of the range are about to go, to get another home, or to allow less. Every store under way there is
    // finished first. Then every cached line of it goes to memory; `discard`: it is forgotten, because the pages'
    // contents go, too. So no store is lost or comes late, and memory alone knows of the range.
    virtual void address_space_changes(std::uint64_t address, std::uint64_t bytes, bool discard) = 0;
    // Whether memory or a cache holds anything of the range: no if nobody has used it since it was mapped.
    virtual bool is_used(std::uint64_t address, std::uint64_t bytes) = 0;
    // From now on requests between caches for these lines are counted by themselves.
    virtual void count_requests(std::uint64_t address, std::uint64_t bytes) = 0;
    // The run's statistics count between these two. False if a region has begun already; if none has.
    virtual bool begin_region() = 0;
    virtual bool end_region() = 0;
    // Make stores so far visible to instruction fetch (riscv_flush_icache).
    virtual void synchronise_instructions() = 0;
};

// The program did something that ends the run: an unknown system call, abort(), one thread too many, ...
struct GuestFault : std::runtime_error {
    static constexpr std::uint32_t no_core = ~std::uint32_t{0};  // none in particular
    explicit GuestFault(std::uint32_t core_ = no_core, const std::string& what = {}, int exit_code_ = 1)
        : std::runtime_error(what), core(core_), exit_code(exit_code_) {}
    std::uint32_t core;
    int exit_code;
    std::uint32_t signal = 0;   // which the program may handle; 0: none
    std::uint64_t address = 0;  // which it is about
};

}  // namespace croftsim
