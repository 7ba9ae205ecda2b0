#pragma once
// What a handler finds on its stack: siginfo_t, and the interrupted thread's registers as a ucontext_t, which it may
// change (struct rt_sigframe of arch/riscv/kernel/signal.c). Its return address leads to two instructions that make the
// system call rt_sigreturn, where the registers are taken back. Linux keeps these in its vDSO; here they have a page
// above the first thread's stack.

#include <cstdint>

#include "isa/hart.hpp"
#include "kernel/signals.hpp"
#include "kernel/user_memory.hpp"
#include "memory/address_space.hpp"

namespace croftsim::signal_frame {

inline constexpr std::uint64_t return_page = AddressSpace::limit - AddressSpace::page_bytes;
// The page holds this.
inline constexpr std::uint32_t return_code[] = {0x08b00893, 0x00000073};  // li a7, 139; ecall

// Lays the frame down, and leads the thread to its handler. Throws Errno{EFAULT}: there is no room.
void push(const UserMemory& user, Hart& hart, const SignalInfo& info, const SignalAction& action,
          const SignalStack& stack, SignalSet mask);
// Takes the registers back from the frame at sp; returns the mask. Throws Errno{EFAULT}.
SignalSet pop(const UserMemory& user, Hart& hart);

}  // namespace croftsim::signal_frame
