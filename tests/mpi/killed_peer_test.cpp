// A process is killed in the middle of a stream. The process that waits for it gets what was sent, and then an error
// with its rank. For 2 processes, and an MPI that lets the other one go on:
//
//     mpiexec -disable-auto-cleanup -n 2 killed_peer_test      (MPICH)
//     mpiexec --enable-recovery -n 2 killed_peer_test          (Open MPI)
//
// It has passed if it prints "rank 1 was told"; mpiexec returns the status of the killed process. (Now and then MPICH's
// mpiexec kills the other process all the same.)

#include <croft/mpi/channel.hpp>
#include <croft/mpi/environment.hpp>

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
    const croft::mpi::environment mpi(argc, argv);
    const croft::mpi::processes& all = croft::mpi::world();
    alarm(30);  // or it would hang
    croft::mpi::channel<int> channel(all, 0, 1, {.by = croft::mpi::kind::shared, .degree = 4});
    if (all.rank() == 0) {
        for (int i = 0; i < 3; ++i) channel.send(i);
        // Not before the two have met: whoever finds the other one's memory gone then is told so, and of nothing else.
        MPI_Recv(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        raise(SIGKILL);
    }
    int received = 0;
    try {
        while (const auto message = channel.receive()) {
            received += *message == received;
            if (received == 1) MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    } catch (const croft::mpi::error& thrown) {
        const bool right = received == 3 && thrown.rank() == 0 &&
                           thrown.what() == std::string("croft::mpi: rank 0 has died, and is waited for");
        std::puts(right ? "rank 1 was told" : thrown.what());
        std::fflush(stdout);
    }
    _exit(0);  // not by MPI_Finalize, which would wait for the other one
}
