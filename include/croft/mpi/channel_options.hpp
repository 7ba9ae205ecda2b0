#pragma once
// What a channel between processes is told when it is made: the same on both sides, but for the waiters and `gather`.

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <croft/mpi/waiter.hpp>

namespace croft::mpi {

enum class kind {
    automatic,   // shared between two of one node, where there is such; else persistent
    persistent,  // messages, into receives that are posted before (frame_link.hpp)
    put,         // one-sided communication (put_link.hpp), to compare
    shared,      // memory that both have
};

struct channel_options {
    kind by = kind::automatic;
    // Frames that the sender may be ahead: 1 or more. Each carries one message, or several that were sent together.
    std::uint32_t degree = 32;
    // Of a frame: 1 to 2^31 - 65. 0: 8,192, or what a message takes, if that is more.
    std::size_t frame_bytes = 0;
    // How long a message may wait for others to share its frame; 0: not at all (frame_writer.hpp).
    std::chrono::nanoseconds gather{0};
    // Of what the two make with each other, which of all; 0: the next one (processes::next_tag_with).
    int tag = 0;
    // For a thread that waits elsewhere as well; null: its own.
    waiter* sender_waiter = nullptr;
    waiter* receiver_waiter = nullptr;
};

}  // namespace croft::mpi
