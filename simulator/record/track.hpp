#pragma once
// A core's track of the timeline: when it had a thread, and within that its waits, its handlers of interrupts, and the
// program's marks. Slices lie within or behind each other. Whoever ends one ends whatever has begun within it.

#include <cstdint>
#include <vector>

#include "record/timeline.hpp"

namespace croftsim {

class Track {
public:
    // A mark is one that the program makes itself, a landmark the library's.
    enum class Kind : std::uint8_t { thread, handler, mark, landmark };

    Track(Timeline& timeline, std::uint32_t core) : timeline_(timeline), core_(core) {}

    // The core waits, and goes on behind that.
    void wait(std::uint32_t name, std::uint64_t from, std::uint64_t until);
    void instant(std::uint32_t name, std::uint64_t time, std::uint64_t flow = 0, bool ends_flow = false);
    // `depth`: of the stack of calls that it is in. A landmark that begins where the same one, in the same call, has
    // not ended, ends that.
    void begin(Kind kind, std::uint32_t name, std::uint64_t time, std::size_t depth = 0);
    // The latest mark or landmark (of that name, if it is not 0) ends. If a handler has begun since, that is an end
    // without a beginning, and nothing happens.
    void end_latest(Kind kind, std::uint32_t name, std::uint64_t time);
    // Calls have returned: the stack is so deep now. Everything that has begun in them, or called them, ends. Returns
    // how many handlers.
    std::size_t returned(std::size_t depth, std::uint64_t time);
    // Everything ends: at `time` the wait does, too.
    void end_all(std::uint64_t time);

private:
    struct Open {
        Kind kind;
        std::uint32_t name;
        std::uint64_t since;
        std::size_t depth;
        enum class State : std::uint8_t { to_come, written, left_out } state;
    };
    struct Wait {
        std::uint32_t name = 0;
        std::uint64_t from = 0, until = 0;
    };

    // Of something told at `time`: behind all that is in front of it.
    std::uint64_t place(std::uint64_t time);
    void write_wait();
    // Slices that have begun before the time that is looked at are written when that has begun.
    void write_begins(std::uint64_t time);
    void end_down_to(std::size_t count, std::uint64_t time);

    Timeline& timeline_;
    const std::uint32_t core_;
    std::vector<Open> open_;
    Wait wait_;  // the latest, while it is not written
    std::uint64_t latest_ = 0;
};

}  // namespace croftsim
