#pragma once
// Paper 002, figure 3a: work stealing where the hardware keeps caches coherent. Every worker has a queue with a lock.
// The owner takes its newest task; thieves take the oldest of a victim chosen at random. A parent's reference count
// goes down by an atomic.
//
// C++'s rules alone make it right: the lock acquires and releases, a child's writes go to its parent with the count. So
// it runs on every machine, also where an L1 is software-coherent, because acquire and release invalidate and flush
// there. (Slowly: figure 3b does it in the places where it has to be.)

#include <croft/paper/task/coherence.hpp>
#include <croft/paper/task/locking_runtime.hpp>

namespace croft::paper {

using shared_deques = locking_runtime<by_hardware>;

}  // namespace croft::paper
