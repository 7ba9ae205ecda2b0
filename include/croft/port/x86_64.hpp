#pragma once
// x86-64: see README.md for what each name promises.

#include <cstddef>
#include <cstdint>

namespace croft::port {

inline constexpr const char* machine_name = "x86-64";

// Lines are 64 bytes. The spatial prefetcher fetches them in pairs, which disturbs two writers of neighbouring lines a
// little. Twice the memory for every slot would disturb the caches more.
inline constexpr std::size_t cache_line = 64;

inline constexpr bool waits_on_lines = false;  // umwait needs a feature test and a kernel that allows it for long

inline void pause() { __builtin_ia32_pause(); }

inline void fetch_to_read(const void* address) { __builtin_prefetch(address); }
// By name, since compilers make it a mere read unless they are told of a newer processor; older ones do nothing.
inline void fetch_to_write(const void* address) {
    asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
}

inline std::uint64_t cycles() { return __builtin_ia32_rdtsc(); }

inline std::uint64_t cycles_per_second() { return 0; }  // the time stamp counter does not tell its rate portably

// A locked operation on the own stack: orders like mfence, for all that is not write-combining, in half its time.
inline void full_fence() { asm volatile("lock; orl $0, (%%rsp)" ::: "memory", "cc"); }

// mfence waits for the stores, and lfence lets nothing after it begin before that; without it later stores would ask
// for their lines meanwhile.
inline void finish_stores() { asm volatile("mfence\n\tlfence" ::: "memory"); }

}  // namespace croft::port
