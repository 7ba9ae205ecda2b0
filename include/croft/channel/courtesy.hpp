#pragma once
// When a thread that waits lets others have its core before it sleeps. If it is one of this program's that they are, it
// sets the event it waits for, and many more, in its turn: that saves a wake-up an event (sleep.md). If it is another
// program, that takes a whole turn of the system's, some milliseconds, and whoever sleeps and is woken up has the core
// back earlier than whoever gave way. The two are told apart by how long the core was gone; after a long time the
// thread sleeps at once for so many next times, and for twice as many if the next attempt ends so, too.

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
