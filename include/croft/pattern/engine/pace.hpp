#pragma once
// How many items a role takes before the other roles of its thread have their turn: as many as take about two
// microseconds together. So small items do not pay for a turn each, and large ones do not keep others waiting. The same
// measure tells when to give acks held back: a role that works long on an item should not sit on them meanwhile.

#include <cstdint>

#include <croft/port/port.hpp>

namespace croft::detail {

class pace {
public:
    static constexpr std::uint32_t most = 32;

    // Those two microseconds in port::cycles(), roughly where the machine does not tell.
    static std::uint64_t usual_turn() {
        const std::uint64_t rate = port::cycles_per_second();
        return rate ? rate / 500'000 : 6'000;
    }
    pace() : limit_(usual_turn()) {}

    void begin() { began_ = port::cycles(); }
    std::uint32_t budget() const { return budget_; }
    // So many were taken. True: that took long.
    bool end(std::uint32_t taken) {
        const bool slow = port::cycles() - began_ > limit_;
        if (slow)
            budget_ = budget_ > 1 ? budget_ / 2 : 1;
        else if (taken == budget_ && budget_ < most)
            budget_ *= 2;
        return slow;
    }

private:
    std::uint64_t limit_;
    std::uint64_t began_ = 0;
    std::uint32_t budget_ = 1;
};

}  // namespace croft::detail
