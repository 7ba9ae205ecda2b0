#pragma once
// The policies of channels and patterns across processes, as croft::policies are of those between threads. Events
// travel in the same way. A thread waits with a waiter (waiter.hpp), for its own process's threads and for others.
// Patterns across processes have the first ones, and local channels of a thread that waits for other processes as well.
// Channels in memory that processes have in common have the second ones. To change how an event travels, derive.

#include <croft/channel/policies.hpp>
#include <croft/mpi/in_shared_memory.hpp>
#include <croft/mpi/waiter.hpp>

namespace croft::mpi {

struct policies : croft::policies {
    using wait = waiter;
};

struct shared_policies : policies {
    using home = homes::in_shared_memory;
};

}  // namespace croft::mpi
