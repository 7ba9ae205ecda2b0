#pragma once
// The options of a channel between processes: the same on both sides, but for the waiters and `gather`.

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <croft/mpi/waiter.hpp>

namespace croft::mpi {

enum class kind {
    automatic,   // shared between two of one node, if messages are trivially copyable; else persistent
    persistent,  // messages of MPI's, into receives that are posted before (frame_link.hpp)
    put,         // one-sided communication (put_link.hpp), to compare
    shared,      // memory that both have (shared_side.hpp)
};

struct channel_options {
    kind by = kind::automatic;
    // How far the sender may be ahead: 1 or more. In shared memory it counts messages; elsewhere frames, each of which
    // carries one message, or several that were sent together.
    std::uint32_t degree = 32;
    // The size of a frame, where there are frames (both compare it in any case): 1 to 2^31 - 65. 0: 8,000, or the size
    // of a message, if that is more.
    std::size_t frame_bytes = 0;
    // How long a message may wait for others to share its frame; 0: not at all (frame_writer.hpp). In shared
    // memory it does not wait.
    std::chrono::nanoseconds gather{0};
    // The number of this channel among those that the two make with each other; 0: the next one
    // (processes::next_tag_with).
    int tag = 0;
    // For a thread that waits elsewhere as well; null: its own.
    waiter* sender_waiter = nullptr;
    waiter* receiver_waiter = nullptr;
};

}  // namespace croft::mpi
