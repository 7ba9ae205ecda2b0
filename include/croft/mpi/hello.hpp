#pragma once
// The two sides of a link describe themselves before anything else. So both tell of a difference, and neither finds it
// in the messages that it receives.

#include <cstdint>
#include <string>

#include <croft/mpi/error.hpp>

namespace croft::mpi {

enum class direction : std::uint32_t { both, out, in };

namespace detail {

// Its form on the way: no padding, 32 bytes.
struct hello {
    std::uint32_t transport = 0;  // a number of each one's own
    direction way = direction::both;
    std::uint64_t bytes = 0;    // of a frame
    std::uint64_t element = 0;  // bytes of a message in it; 0: of any size
    std::uint32_t slots = 0;
    std::uint32_t unused = 0;
};

inline const char* name_of_transport(std::uint32_t transport) {
    constexpr const char* names[] = {"message", "put", "shared"};
    return transport < 3 ? names[transport] : "unknown";
}

inline std::string text_of(const hello& one) {
    constexpr const char* ways[] = {"both ways", "outgoing", "incoming"};
    const auto way = static_cast<std::uint32_t>(one.way);
    if (one.transport == 2)
        return std::string(way < 3 ? ways[way] : "unknown") + ", in shared memory, " + std::to_string(one.slots) +
               " messages of " + std::to_string(one.element) + " bytes" +
               (one.bytes ? ", and frames of " + std::to_string(one.bytes) + " bytes were asked for" : "");
    return std::string(way < 3 ? ways[way] : "unknown") + ", by " + name_of_transport(one.transport) + ", " +
           std::to_string(one.slots) + " frames of " + std::to_string(one.bytes) + " bytes with " +
           (one.element ? "messages of " + std::to_string(one.element) + " bytes" : "messages of any size");
}

// Throws `error`, at `peer`, if the two do not fit.
inline void check_fit(const hello& mine, const hello& theirs, int peer) {
    const auto opposite = [](direction way) {
        return way == direction::out ? direction::in : way == direction::in ? direction::out : direction::both;
    };
    if (theirs.transport == mine.transport && theirs.way == opposite(mine.way) && theirs.bytes == mine.bytes &&
        theirs.element == mine.element && theirs.slots == mine.slots)
        return;
    throw error("croft::mpi: rank " + std::to_string(peer) + " has made its side of a link as: " + text_of(theirs) +
                    "; and this side is: " + text_of(mine),
                peer);
}

}  // namespace detail
}  // namespace croft::mpi
