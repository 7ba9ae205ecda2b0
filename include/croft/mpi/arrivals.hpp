#pragma once
// Finds the messages that have come to several links of one thread, by one look at MPI.
//
// Once all are added, look() asks, and then each link is received from as ever.
//
// A link by itself asks MPI for its own next message, and each question lets MPI get on. That is dear where there are
// many links and little comes. Where processes share cores, an MPI may give the core away whenever it has found nothing
// (Open MPI does). So a thread that asks for fifteen links in turn waits fifteen times for all other processes before
// it goes on. So here MPI is asked once for the next message of all (MPI_Testsome), and each link is given its own.
// From add() to remove() a link finds only the messages that it is given. Measured: docs/decisions/across.md.
//
// An error at a link is told there, as if the link had looked itself. (An MPI whose processes may not be lost may end
// the program instead, as MPICH does. It has no communicator, and so no error handler, for requests of several.)

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <croft/mpi/frame_link.hpp>
#include <croft/mpi/frame_slots.hpp>

namespace croft::mpi::detail {

class arrivals {
public:
    arrivals() = default;
    ~arrivals() {
        for (frame_slots* each : links_) each->look_alone();
    }
    arrivals(const arrivals&) = delete;
    arrivals& operator=(const arrivals&) = delete;

    // A link is removed before it is destroyed, or after this is.
    void add(frame_link& one) {
        links_.push_back(&one.slots());
        links_.back()->look_together();
        awaited_.resize(links_.size());
        which_.resize(links_.size());
        said_.resize(links_.size());
    }
    void remove(frame_link& one) {
        one.slots().look_alone();
        std::erase(links_, &one.slots());
    }

    // True if something has come.
    bool look() {
        const std::size_t count = links_.size();
        if (count == 0) return false;
        for (std::size_t i = 0; i < count; ++i) awaited_[i] = links_[i]->awaited();
        int found = 0;
        const int code = MPI_Testsome(static_cast<int>(count), awaited_.data(), &found, which_.data(), said_.data());
        if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) return give_up();
        if (found == MPI_UNDEFINED) return false;  // all have one that they have not taken
        for (std::size_t i = 0; i < static_cast<std::size_t>(found); ++i) {
            const auto at = static_cast<std::size_t>(which_[i]);
            links_[at]->give(awaited_[at], said_[i], code == MPI_SUCCESS ? code : said_[i].MPI_ERROR);
        }
        return found > 0;
    }

private:
    // MPI does not say for whom: each finds out.
    bool give_up() {
        for (frame_slots* each : links_) each->look_alone();
        links_.clear();
        return true;
    }

    std::vector<frame_slots*> links_;
    std::vector<MPI_Request> awaited_;  // of each
    std::vector<int> which_;
    std::vector<MPI_Status> said_;
};

}  // namespace croft::mpi::detail
