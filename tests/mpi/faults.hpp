#pragma once
// MPI that refuses, at a call of the test's choice: this program's own MPI_Isend, MPI_Test and MPI_Testsome, in front
// of the library's (MPI 3.1, 14.2). A refused call says what an MPI says of a process that is gone, where it has an
// error for that.
//
// To be included by one file of a program.

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <cstring>
#include <set>

#include <croft/mpi/frame_slots.hpp>

namespace mpi_test {

enum class refused { sends, tests };

struct faults {
    static faults& of_this_process() {
        static faults one;
        return one;
    }
    // The call behind so many of that kind fails. A send fails alone, so that the peer, which is not gone, can be told
    // of it. If it tests a receive, all that follow fail, too.
    void refuse(refused which, int after) {
        kind = which;
        left = after;
        armed = true;
    }
    void stop() { armed = false; }
    bool is_due(refused which) {
        if (!armed || which != kind || left-- > 0) return false;
        armed = which == refused::tests;
        return true;
    }
#if defined(MPIX_ERR_PROC_FAILED)
    static constexpr int code = MPIX_ERR_PROC_FAILED;
#else
    static constexpr int code = MPI_ERR_OTHER;
#endif

    std::set<MPI_Request> receives;  // that may be waited for in vain
    refused kind = refused::sends;
    int left = 0;
    bool armed = false;
};

// Messages that arrive in any case. One is a link's last word: a process that does not get it looks out for it for ten
// seconds, at the end of all. With MPICH the hello is another. In place of a missing hello the peer receives a frame,
// which is longer. MPICH ends the program for that where several receives are looked at together.
inline bool always_arrives(const void* message, int bytes) {
#if defined(MPICH_VERSION)
    if (bytes == sizeof(croft::mpi::detail::hello)) return true;
#endif
    croft::mpi::detail::frame_head head;
    if (bytes != sizeof head) return false;
    std::memcpy(&head, message, sizeof head);
    return !head.is_frame() && head.mark() == croft::mpi::detail::mark_of_last;
}

// Whether this receive fails now. Such a request is over: a persistent one inactive, another one none.
inline bool fails(MPI_Request& request) {
    faults& all = faults::of_this_process();
    if (!all.receives.count(request) || !all.is_due(refused::tests)) return false;
    PMPI_Cancel(&request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return true;
}

}  // namespace mpi_test

extern "C" {

int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    if (!mpi_test::always_arrives(from, count) &&
        mpi_test::faults::of_this_process().is_due(mpi_test::refused::sends)) {
        *request = MPI_REQUEST_NULL;
        return mpi_test::faults::code;
    }
    return PMPI_Isend(from, count, type, to, tag, comm, request);
}

int MPI_Irecv(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    const int code = PMPI_Irecv(to, count, type, from, tag, comm, request);
    mpi_test::faults::of_this_process().receives.insert(*request);
    return code;
}

int MPI_Recv_init(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    const int code = PMPI_Recv_init(to, count, type, from, tag, comm, request);
    mpi_test::faults::of_this_process().receives.insert(*request);
    return code;
}

int MPI_Test(MPI_Request* request, int* complete, MPI_Status* status) {
    return mpi_test::fails(*request) ? mpi_test::faults::code : PMPI_Test(request, complete, status);
}

// A look at several counts as one, at the first receive.
int MPI_Testsome(int count, MPI_Request requests[], int* found, int which[], MPI_Status said[]) {
    for (int i = 0; i < count; ++i) {
        if (!mpi_test::faults::of_this_process().receives.count(requests[i])) continue;
        if (!mpi_test::fails(requests[i])) break;
        *found = 1;
        which[0] = i;
        said[0].MPI_ERROR = mpi_test::faults::code;
        return MPI_ERR_IN_STATUS;
    }
    return PMPI_Testsome(count, requests, found, which, said);
}

}  // extern "C"
