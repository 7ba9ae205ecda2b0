#pragma once
// Two ways of sending blocks of bytes between the two processes of a group: croft's link of frames, and MPI's own
// non-blocking messages. The code that measures sees no difference: both have as many slots, posted as early. A sender
// waits for a slot, a receiver for a message, both by looking. `idle` is called between two looks.

#include <mpi.h>

#include <array>
#include <cstddef>
#include <vector>

#include <croft/mpi/frame_link.hpp>
#include <croft/mpi/processes.hpp>

namespace bench {

inline constexpr std::size_t most_bytes = 65'536;
inline constexpr std::size_t message_slots = 16;

class by_link {
public:
    explicit by_link(const croft::mpi::processes& group)
        : link_(group, 1 - group.rank(), group.next_tag(), {.bytes = most_bytes, .slots = message_slots}) {}

    template <class Idle>
    void send(std::size_t bytes, Idle idle) {
        while (!link_.try_acquire()) idle();
        link_.publish(bytes);
    }
    template <class Idle>
    void receive(Idle idle) {
        while (link_.try_receive().empty()) idle();
        link_.release();
    }

private:
    croft::mpi::frame_link link_;
};

class by_mpi {
public:
    explicit by_mpi(const croft::mpi::processes& group)
        : comm_(group.comm()),
          peer_(1 - group.rank()),
          tag_(group.next_tag()),
          memory_(2 * message_slots * most_bytes) {
        sends_.fill(MPI_REQUEST_NULL);
        for (std::size_t i = 0; i < message_slots; ++i) post(i);
    }
    ~by_mpi() {
        MPI_Waitall(message_slots, sends_.data(), MPI_STATUSES_IGNORE);
        for (MPI_Request& each : receives_) {
            MPI_Cancel(&each);
            MPI_Wait(&each, MPI_STATUS_IGNORE);
        }
    }
    by_mpi(const by_mpi&) = delete;
    by_mpi& operator=(const by_mpi&) = delete;

    template <class Idle>
    void send(std::size_t bytes, Idle idle) {
        wait_for(sends_[to_send_], idle);
        MPI_Isend(memory_.data() + (message_slots + to_send_) * most_bytes, static_cast<int>(bytes), MPI_BYTE, peer_,
                  tag_, comm_, &sends_[to_send_]);
        to_send_ = (to_send_ + 1) % message_slots;
    }
    template <class Idle>
    void receive(Idle idle) {
        wait_for(receives_[to_receive_], idle);
        post(to_receive_);
        to_receive_ = (to_receive_ + 1) % message_slots;
    }

private:
    template <class Idle>
    static void wait_for(MPI_Request& one, Idle idle) {
        for (int done = 0;;) {
            MPI_Test(&one, &done, MPI_STATUS_IGNORE);
            if (done) return;
            idle();
        }
    }
    void post(std::size_t slot) {
        MPI_Irecv(memory_.data() + slot * most_bytes, most_bytes, MPI_BYTE, peer_, tag_, comm_, &receives_[slot]);
    }

    MPI_Comm comm_;
    int peer_, tag_;
    std::size_t to_send_ = 0, to_receive_ = 0;
    std::vector<std::byte> memory_;  // to receive into, and to send from
    std::array<MPI_Request, message_slots> sends_, receives_;
};

}  // namespace bench
