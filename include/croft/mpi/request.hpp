#pragma once
// The questions that are put to MPI's requests everywhere.

#include <mpi.h>

#include <croft/mpi/error.hpp>

namespace croft::mpi::detail {

// Lets MPI get on with it. `doing`, and with which rank: for what is thrown if MPI refuses.
inline bool is_complete(MPI_Request& request, const char* doing, int rank) {
    int complete = 0;
    check(MPI_Test(&request, &complete, MPI_STATUS_IGNORE), doing, rank);
    return complete != 0;
}
// The same for one of several that are in vain once one is. A look whether something has come leaves the error to the
// call that takes it. But MPI says it once, after which the request is like one that has received. So it is kept in
// `failed`, and thrown each time.
inline bool is_complete(MPI_Request& request, MPI_Status* status, int& failed, const char* doing, int rank) {
    int complete = 0;
    if (failed == MPI_SUCCESS) failed = MPI_Test(&request, &complete, status);
    check(failed, doing, rank);
    return complete != 0;
}
// A receive that is not wanted any more.
inline void withdraw(MPI_Request& request) {
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace croft::mpi::detail
