#pragma once

#include <mpi.h>

#include <chrono>
#include <thread>

#include <croft/mpi/processes.hpp>

namespace mpi_test {

// A barrier that keeps no core from others: where there are fewer cores than processes, who waits must not spin.
inline void meet(const croft::mpi::processes& group) {
    MPI_Request all;
    MPI_Ibarrier(group.comm(), &all);
    for (int met = 0; !met; MPI_Test(&all, &met, MPI_STATUS_IGNORE))
        std::this_thread::sleep_for(std::chrono::microseconds(50));
}

}  // namespace mpi_test
