#pragma once
// Which run-time tasks have where none is named: the fastest that is right on every machine a program may be compiled
// for. A many-core's L1s may be software-coherent, and only the program's user knows; there it is the one of figure 3a.

#include <croft/port/port.hpp>
#include <croft/task/direct_stealing.hpp>
#include <croft/task/paper/shared_deques.hpp>

namespace croft {

#if defined(CROFT_MANY_CORE)
using default_task_runtime = paper::shared_deques;
#else
using default_task_runtime = direct_stealing;
#endif

}  // namespace croft
