#pragma once
// Paper 002, figure 3b: work stealing where L1s are software-coherent. As figure 3a, and
//
//   - invalidate after taking a queue's lock, flush before leaving it (lines 3, 13, 27; 5, 15, 29): the queue itself;
//   and
//     the flush of spawn shows the parent's data to whoever steals the child;
//   - a thief invalidates before it runs a stolen task and flushes afterwards (lines 33, 35);
//   - wait ends with an invalidate (line 40), as any child may have been stolen;
//   - a reference count is read by an atomic (line 10), as the own cache may hold an old one.

#include <croft/task/paper/coherence.hpp>
#include <croft/task/paper/locking_runtime.hpp>

namespace croft::paper {

using shared_deques_flushed = locking_runtime<by_software>;

}  // namespace croft::paper
