#pragma once
// What is asked of MPI's requests everywhere.

#include <mpi.h>

#include <croft/mpi/error.hpp>

namespace croft::mpi::detail {

// Lets MPI get on with it. `doing`, and with which rank: for what is thrown if MPI refuses.
inline bool is_complete(MPI_Request& request, const char* doing, int rank) {
    int complete = 0;
    check(MPI_Test(&request, &complete, MPI_STATUS_IGNORE), doing, rank);
    return complete != 0;
}
// A receive that is not wanted any more.
inline void withdraw(MPI_Request& request) {
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace croft::mpi::detail
