#pragma once
// AArch64: see README.md for what each name promises.

#include <cstddef>
#include <cstdint>

namespace croft::port {

inline constexpr const char* machine_name = "aarch64";

#if defined(__APPLE__)
inline constexpr std::size_t cache_line = 128;
#else
inline constexpr std::size_t cache_line = 64;
#endif

// ldaxr + wfe would wait on one line, but wfe also returns at every event-stream tick and keeps the core from others.
inline constexpr bool waits_on_lines = false;

// isb holds a core back for about as long as pause does on x86-64; yield is a no-op on most cores.
inline void pause() { asm volatile("isb" ::: "memory"); }

inline void fetch_to_read(const void* address) { __builtin_prefetch(address); }
inline void fetch_to_write(const void* address) { __builtin_prefetch(address, 1); }

inline std::uint64_t cycles() {
    std::uint64_t count;
    asm volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
}

inline std::uint64_t cycles_per_second() {
    std::uint64_t rate;
    asm volatile("mrs %0, cntfrq_el0" : "=r"(rate));
    return rate;
}

inline void full_fence() { asm volatile("dmb ish" ::: "memory"); }

inline void finish_stores() { asm volatile("dsb ish\n\tisb" ::: "memory"); }

}  // namespace croft::port
