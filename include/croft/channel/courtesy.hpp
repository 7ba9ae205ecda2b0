#pragma once
// Whether a waiting thread lets others have its core before it sleeps. If these are threads of this program, one of
// them sets the event in its turn, and many more. That saves a wake-up an event (sleep.md). Another program takes a
// whole turn of the system's, some milliseconds. Then a thread that sleeps and is woken up has the core back earlier
// than one that gave way. The time that the core was gone tells the two apart. After a long time the thread sleeps at
// once, for so many next times. If the next attempt ends so too, it does for twice as many.

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace croft::waits {

class courtesy {
public:
    // Longer than this library's threads mostly go on before they wait themselves, and shorter than a system's turn.
    static constexpr std::chrono::microseconds long_time{500};
    static constexpr std::uint32_t fewest = 32, most = 32'768;

    // Whether to give way this time.
    bool is_due() {
        if (left_out_ == 0) return true;
        --left_out_;
        return false;
    }
    // It gave way, and had the core back after so long.
    void gone_for(std::chrono::nanoseconds time) {
        if (time > long_time) {
            left_out_ = next_;
            next_ = std::min(2 * next_, most);
        } else {
            next_ = fewest;
        }
    }

private:
    std::uint32_t left_out_ = 0;  // so many next times
    std::uint32_t next_ = fewest;
};

}  // namespace croft::waits
