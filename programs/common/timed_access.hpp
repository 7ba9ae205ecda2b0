#pragma once
// How long one access to memory takes, in cycles of a simulated many-core. Its counter is read right before and right
// after, and the same sequence without the access is taken off. Only there, where the counter counts every cycle and
// instructions execute in order.

#include <croft/port/port.hpp>

#ifdef CROFT_MANY_CORE

#include <cstdint>

namespace programs {

// A load; over when an instruction that uses what it loaded has got it.
inline std::int64_t timed_load(const std::uint32_t* at) {
    std::uint64_t begin, end, without, word;
    asm volatile(
        "fence rw, rw\n rdcycle %0\n                 addi %2, zero, 1\n rdcycle %1\n sub %1, %1, %0\n mv %3, %1\n"
        "fence rw, rw\n rdcycle %0\n lw %2, 0(%4)\n  addi %2, %2, 1\n   rdcycle %1\n sub %1, %1, %0\n"
        : "=&r"(begin), "=&r"(end), "=&r"(word), "=&r"(without)
        : "r"(at)
        : "memory");
    return static_cast<std::int64_t>(end - without);
}

// A synchronous store: a store, and a fence that waits until it is visible to all. With `Hint` it begins with the write
// hint (croft.allocate, wh64 on the TILEPro64), so that nobody fetches the line from memory.
template <bool Hint>
std::int64_t timed_synchronous_store(std::uint32_t* at, std::uint32_t value) {
    std::uint64_t begin, end, without;
    asm volatile(
        "fence rw, rw\n rdcycle %0\n rdcycle %1\n sub %1, %1, %0\n mv %2, %1\n"
        "fence rw, rw\n rdcycle %0\n"
        ".if %5\n .insn r 0x0b, 0, 0x01, x0, %3, x0\n .endif\n"
        "sw %4, 0(%3)\n fence rw, rw\n rdcycle %1\n sub %1, %1, %0\n"
        : "=&r"(begin), "=&r"(end), "=&r"(without)
        : "r"(at), "r"(value), "i"(Hint ? 1 : 0)
        : "memory");
    return static_cast<std::int64_t>(end - without);
}

}  // namespace programs

#endif
