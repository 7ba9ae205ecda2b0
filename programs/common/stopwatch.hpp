#pragma once
// Adds up times between start() and stop(), each of which costs one reading of the cycle counter. The two clocks over
// the whole time since the watch was made tell how long a cycle is. So make it some while before.

#include <cstdint>

#include "moment.hpp"

namespace programs {

class stopwatch {
public:
    void start() { begin_ = croft::port::cycles(); }
    void stop() { sum_ += croft::port::cycles() - begin_; }
    void reset() { sum_ = 0; }

    double cycles() const { return static_cast<double>(sum_); }
    double nanoseconds() const {
        const moment now = moment::now();
        return cycles() * programs::nanoseconds(made_, now) / programs::cycles(made_, now);
    }

private:
    moment made_ = moment::now();
    std::uint64_t begin_ = 0, sum_ = 0;
};

}  // namespace programs
