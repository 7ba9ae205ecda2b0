/* The part of a C or C++ program whose statistics count, for programs that use nothing else of croft (C99).
 *
 *     croft_region_begin();
 *     work();
 *     croft_region_end();
 *
 * On a simulated core these are croft's system calls 2010 and 2011 (docs/instructions.md). A run's statistics are those
 * of its regions, if it has any. They return 0; -EBUSY if a region has begun already, and -EINVAL if none has. A region's
 * first cycles are those of the way out of the kernel. On a real RISC-V core Linux knows no such call: they return
 * -ENOSYS there, and 0 on other processors, and nothing happens. croft/port/port.hpp has the same for C++. */
#ifndef CROFT_REGION_H
#define CROFT_REGION_H

#if defined(__riscv) && __riscv_xlen == 64 && defined(__linux__)

static inline long croft_region_call(long number) {
    register long result __asm__("a0");
    register long call __asm__("a7") = number;
    __asm__ volatile("ecall" : "=r"(result) : "r"(call) : "memory");
    return result;
}
static inline long croft_region_begin(void) { return croft_region_call(2010); }
static inline long croft_region_end(void) { return croft_region_call(2011); }

#else

static inline long croft_region_begin(void) { return 0; }
static inline long croft_region_end(void) { return 0; }

#endif

#endif
