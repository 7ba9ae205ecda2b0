#pragma once
// Whether an error of MPI's says that a process is gone, and that all others may go on without it. MPIs say that if
// they have User-Level Failure Mitigation, and run with it: Open MPI 5 under `mpiexec --with-ft ulfm`. (Bland et al.,
// "Post-failure recovery of MPI communication capability", 2013.) Others end the whole program, or say something else.

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace croft::mpi::detail {

inline bool is_lost_process([[maybe_unused]] int code) {
#if defined(MPIX_ERR_PROC_FAILED)
    int kind = MPI_SUCCESS;
    return MPI_Error_class(code, &kind) == MPI_SUCCESS && kind == MPIX_ERR_PROC_FAILED;
#else
    return false;
#endif
}

}  // namespace croft::mpi::detail
