#pragma once
// A moment, in nanoseconds and in cycles of the machine's counter.

#include <chrono>
#include <cstdint>

#include <croft/port/port.hpp>

namespace programs {

struct moment {
    std::chrono::steady_clock::time_point time = {};
    std::uint64_t cycles = 0;

    static moment now() { return {std::chrono::steady_clock::now(), croft::port::cycles()}; }
};

inline double nanoseconds(const moment& from, const moment& to) {
    return std::chrono::duration<double, std::nano>(to.time - from.time).count();
}
inline double cycles(const moment& from, const moment& to) { return static_cast<double>(to.cycles - from.cycles); }

}  // namespace programs
