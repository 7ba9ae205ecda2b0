#pragma once
// The policies of patterns across processes (run.hpp): those of any, but that a thread which calls MPI naps while it
// waits (nap.hpp). Others, which only wait for threads of their own process, are rung as ever.

#include <croft/channel/policies.hpp>
#include <croft/mpi/nap.hpp>

namespace croft::mpi {

// A doorbell, until its owner says that it calls MPI: look_again(true).
struct rung_first : nap {
    rung_first() { look_again(false); }
};

struct policies : croft::policies {
    using wait = rung_first;
};

}  // namespace croft::mpi
