#pragma once
// Which run-time tasks have on many-cores where none is named: one that is right on all of them. A many-core's L1s may
// be software-coherent, and its cores may interrupt each other or not: that is known when the program runs
// (docs/decisions/interrupt-stealing.md).

#include <croft/port/port.hpp>
#include <croft/task/interrupt_stealing.hpp>

#if defined(CROFT_ANALYSIS)  // `croft run --analyze` defines it, for all of the program
#include <croft/paper/analysis/runtime.hpp>
#endif

#if defined(CROFT_MANY_CORE)

namespace croft::detail {

#if defined(CROFT_ANALYSIS)
using default_task_runtime = analysis::runtime;
#else
using default_task_runtime = interrupt_stealing;
#endif

}  // namespace croft::detail

#endif
