// The task as a shared library, for peers that are not in C++ (futures_farm.py calls it by ctypes).

#include "task.hpp"

extern "C" std::uint32_t bench_steps_of(std::uint32_t number, std::uint32_t steps) {
    return bench::steps_of(number, steps);
}
extern "C" double bench_steps_a_nanosecond() { return bench::steps_a_nanosecond(); }
