#pragma once
// Ends croft's threads: before dlclose() of a shared object that uses croft, or under a tool that counts threads or
// their memory. Nothing else has to be ended, and nothing of this happens by itself when the program exits.
//
//     croft::shut_down();   // true: no thread of croft's is left
//
// Call it while nobody uses croft, from a thread that is none of its own. No run, loop or accelerator is under way, or
// is begun meanwhile, and no post waits. If somebody has threads all the same, in a scheduler of his own for example,
// these stay, and the answer is false. Afterwards all works as before: the next caller who needs threads starts them.

#include <croft/thread/thread_pool.hpp>

namespace croft {

inline bool shut_down() { return thread_pool::common().end_idle(); }

}  // namespace croft
