#pragma once
// One process's side of what it shares with another of a pattern: a link, its writer and reader, and how far they have
// come.

#include <cstddef>
#include <limits>
#include <span>
#include <string>

#include <croft/mpi/error.hpp>
#include <croft/mpi/frame_link.hpp>
#include <croft/mpi/greeting.hpp>
#include <croft/mpi/peer_window.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/mpi/record.hpp>

namespace croft::mpi::detail {

// Throws `error`, at this process's rank, if there are no such frames, or no record would fit in one.
inline frame_options fit_for_records(const processes& group, frame_options options) {
    constexpr std::size_t least = sizeof(record_head) + 1;
    constexpr std::size_t most = static_cast<std::size_t>(std::numeric_limits<int>::max()) - port::cache_line;
    if (options.slots > 0 && options.bytes >= least && options.bytes <= most) return options;
    throw error("croft::mpi: at rank " + std::to_string(group.rank()) +
                    ": processes need at least one frame for each other, of " + std::to_string(least) + " to " +
                    std::to_string(most) + " bytes, and were given " + std::to_string(options.slots) + " of " +
                    std::to_string(options.bytes),
                group.rank());
}

struct peer_link {
    peer_link(const processes& group, int peer, int tag, frame_options options)
        : link(group, peer, tag, fit_for_records(group, options)), writer(link), reader(link) {}

    frame_link link;
    record_writer writer;
    record_reader reader;
    peer_window window;    // of one that works; no room before it has greeted
    bool greeted = false;  // it has said what it runs (greeting.hpp)
    bool lost = false;
    bool ended = false;  // it has said that no record will follow

    bool is_open() const { return !lost && !ended; }
    void greet(const greeting& mine) { writer.tell(record_kind::hello, 0, std::as_bytes(std::span(&mine, 1))); }
    // A process goes when its run is over. If it goes before its peer has had its last word, something was thrown
    // there, and nobody will answer.
    void check_is_there() const {
        if (link.peer_has_gone())
            throw error("croft::mpi: rank " + std::to_string(link.peer()) + " has left the run before its end",
                        link.peer());
    }
    // Throws for a record that the other process may not send.
    [[noreturn]] void refuse() const {
        throw error("croft::mpi: rank " + std::to_string(link.peer()) + " says what is not its to say", link.peer());
    }
    // Whether nothing that it was sent is still on its way.
    bool has_left() {
        try {
            return lost || (writer.is_empty() && link.all_sent());
        } catch (const error&) {
            return true;  // it has all that it needs, and is gone
        }
    }
};

}  // namespace croft::mpi::detail
