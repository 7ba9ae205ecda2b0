#pragma once
// Whom a worker tries to steal from.

#include <cstddef>
#include <cstdint>

#include <croft/port/port.hpp>

namespace croft::victims {

// Any other, all alike (paper 002, figure 3: choose_victim).
class random {
public:
    explicit random(std::size_t own) : own_(own), state_(2 * own + 1) {}
    std::size_t choose(std::size_t workers) {
        const std::size_t other = static_cast<std::size_t>(next() % (workers - 1));
        return other < own_ ? other : other + 1;
    }

protected:
    std::uint64_t next() {  // xorshift
        state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
        return state_ >> 16;
    }
    std::size_t own_;

private:
    std::uint64_t state_;
};

// Three times out of four one of the nearest by number. If workers are pinned in order, that is the nearest by place:
// its tasks and their data have a shorter way. Else any, so that work spreads over the whole chip.
class near_first : random {
public:
    using random::random;
    std::size_t choose(std::size_t workers) {
        constexpr std::size_t near = 4;
        if (workers <= 2 * near + 1 || next() % 4 == 0) return random::choose(workers);
        const std::size_t step = 1 + static_cast<std::size_t>(next() % near);
        return (next() % 2 ? own_ + step : own_ + workers - step) % workers;
    }
};

}  // namespace croft::victims
