#pragma once
// Paper 002, figure 3b: work stealing where L1s are software-coherent. As figure 3a, and
//
//   - invalidate after taking a queue's lock, flush before leaving it (lines 3, 13, 27; 5, 15, 29), for the queue
//     itself. The flush of spawn also shows the parent's data to whoever steals the child;
//   - wait ends with an invalidate (line 40), because any child may have been stolen;
//   - a reference count is read by an atomic (line 10), because the own cache may hold an old one.
//
// Each of these shows if it is left out (tests/python/test_task_mutants.py), but for three, which the figure has and
// which only cost time here:
//
//   - line 3: spawn reads tail, which its owner alone writes, and head, which only grows. An old head makes the queue
//     look fuller than it is, and the child is run at once instead;
//   - line 27 or line 33, one of the two. With line 27 there is nothing left for line 33: in between a thief reads only
//     the queue, under its lock. With line 33, suppose a thief's copy of head and tail, which share a line, is old.
//     Then it has found no task since (else it would have dropped the copy there), so the old copy says that the queue
//     is empty.

#include <croft/paper/task/coherence.hpp>
#include <croft/paper/task/locking_runtime.hpp>

namespace croft::paper {

using shared_deques_flushed = locking_runtime<by_software>;

}  // namespace croft::paper
