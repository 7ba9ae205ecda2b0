#pragma once
// What two processes of a pattern have with each other: a link, what is written and read on it, and how far they have
// come.

#include <span>
#include <string>

#include <croft/mpi/error.hpp>
#include <croft/mpi/frame_link.hpp>
#include <croft/mpi/greeting.hpp>
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
    void greet(const greeting& mine) { writer.tell(record_kind::hello, 0, std::as_bytes(std::span(&mine, 1))); }
    // Of a record that the other one has not to send.
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
