#pragma once
// RISC-V, 64 bit: see README.md for what each name promises.
//
// Two kinds of machine are meant. Compiled for Zawrs (`__riscv_zawrs`), this is one of croft's many-cores. It also has
// croft.watch, and every thread has a core to itself, so waiting on lines is all the waiting there is. Without Zawrs,
// or with CROFT_PLAIN_RISCV defined, it is any RISC-V under Linux, and waiting is what it is on x86-64.

#include <atomic>
#include <cstddef>
#include <cstdint>

#if defined(__riscv_zawrs) && !defined(CROFT_PLAIN_RISCV)
#include <croft/port/many_core.hpp>  // in the second include root, many_core/
#endif

namespace croft::port {

inline constexpr const char* machine_name = "riscv64";
inline constexpr std::size_t cache_line = 64;

inline void pause() { asm volatile(".4byte 0x0100000f" ::: "memory"); }  // Zihintpause; a no-op fence elsewhere

// Zicbop is rare yet, and croft's many-cores have other means (many_core.hpp).
inline void fetch_to_read(const void*) {}
inline void fetch_to_write(const void*) {}

inline std::uint64_t cycles() {
    std::uint64_t count;
#if defined(__riscv_zawrs) && !defined(CROFT_PLAIN_RISCV)
    asm volatile("rdcycle %0" : "=r"(count));
#else
    asm volatile("rdtime %0" : "=r"(count));  // Linux keeps rdcycle from user programs
#endif
    return count;
}

inline std::uint64_t cycles_per_second() { return 0; }

inline void full_fence() { asm volatile("fence rw, rw" ::: "memory"); }

inline void finish_stores() { full_fence(); }  // for a core that begins nothing behind a fence

#if defined(__riscv_zawrs) && !defined(CROFT_PLAIN_RISCV)
#define CROFT_HAS_LINE_WAIT 1  // the names below cannot even be mentioned elsewhere, so if constexpr will not do
inline constexpr bool waits_on_lines = true;

namespace detail {
template <class Word>
const Word* address(const std::atomic<Word>& flag) {
    static_assert((sizeof(flag) == 4 || sizeof(flag) == 8) && sizeof(flag) == sizeof(Word));
    static_assert(std::atomic<Word>::is_always_lock_free);
    return reinterpret_cast<const Word*>(&flag);
}
}  // namespace detail

// A flag is a word of 32 or 64 bits, or a pointer.
template <class Word>
Word reserve(const std::atomic<Word>& flag) {
    Word value;
    if constexpr (sizeof(Word) == 4)
        asm volatile("lr.w %0, (%1)" : "=r"(value) : "r"(detail::address(flag)) : "memory");
    else
        asm volatile("lr.d %0, (%1)" : "=r"(value) : "r"(detail::address(flag)) : "memory");
    return value;
}

// croft.watch.w and croft.watch.d, in the custom-0 space.
template <class Word>
Word reserve_also(const std::atomic<Word>& flag) {
    Word value;
    if constexpr (sizeof(Word) == 4)
        asm volatile(".insn i 0x0b, 2, %0, %1, 0" : "=r"(value) : "r"(detail::address(flag)) : "memory");
    else
        asm volatile(".insn i 0x0b, 3, %0, %1, 0" : "=r"(value) : "r"(detail::address(flag)) : "memory");
    return value;
}

inline void wait_for_change() { asm volatile(".4byte 0x00d00073" ::: "memory"); }  // wrs.nto

#else
inline constexpr bool waits_on_lines = false;
#endif

}  // namespace croft::port
