#pragma once
// Ends croft's threads, for who wants that: before dlclose() of a shared object that uses croft, or under a tool that
// counts threads or their memory. Nothing else has to be ended, and nothing of this happens by itself when the program
// exits.
//
//     croft::shut_down();   // true: no thread of croft's is left
//
// To be called while nobody uses croft, by a thread that is none of its own: no run, loop or accelerator is under way,
// or is begun meanwhile, and nothing that was posted waits. What somebody has all the same, a scheduler of his own too,
// keeps its threads, and the answer is false. Afterwards all works as before: the next one who needs threads starts
// them.

#include <croft/thread/thread_pool.hpp>

namespace croft {

inline bool shut_down() { return thread_pool::common().end_idle(); }

}  // namespace croft
