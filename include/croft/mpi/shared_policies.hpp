#pragma once
// The policies of channels in shared memory, as croft::policies are of those between threads: how an event travels is
// the same. To change that, derive.

#include <croft/channel/policies.hpp>
#include <croft/mpi/in_shared_memory.hpp>
#include <croft/mpi/waiter.hpp>

namespace croft::mpi {

struct shared_policies : croft::policies {
    using home = homes::in_shared_memory;
    using wait = waiter;
};

}  // namespace croft::mpi
