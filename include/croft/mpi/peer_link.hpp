#pragma once
// What two processes of a pattern have with each other: a link, what is written and read on it, and how far they have
// come.

#include <croft/mpi/frame_link.hpp>
#include <croft/mpi/peer_window.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/mpi/record.hpp>

namespace croft::mpi::detail {

struct peer_link {
    peer_link(const processes& group, int peer, int tag, frame_options options)
        : link(group, peer, tag, options), writer(link), reader(link) {}

    frame_link link;
    record_writer writer;
    record_reader reader;
    peer_window window;    // of one that works; no room before it has greeted
    bool greeted = false;  // it has said what it runs (greeting.hpp)
    bool lost = false;
    bool ended = false;  // it has said that no record will follow

    bool is_open() const { return !lost && !ended; }
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
