#pragma once
// Paper 002, figure 3a: work stealing where the hardware keeps caches coherent. Every worker has a queue with a lock;
// the owner takes its newest task, thieves take the oldest of a victim chosen at random; a parent's reference count
// goes down by an atomic.
//
// All that makes it right is C++'s: the lock acquires and releases, a child's writes go to its parent with the count.
// So it runs on every machine, also where an L1 is software-coherent, as acquire and release invalidate and flush there
// (slowly: figure 3b does it in the places where it has to be).

#include <croft/paper/task/coherence.hpp>
#include <croft/paper/task/locking_runtime.hpp>

namespace croft::paper {

using shared_deques = locking_runtime<by_hardware>;

}  // namespace croft::paper
