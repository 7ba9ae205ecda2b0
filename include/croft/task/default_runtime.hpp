#pragma once
// Which run-time tasks have where none is named: the fastest that is right on every machine a program may be compiled
// for. A many-core's L1s may be software-coherent, and its cores may interrupt each other or not: that is known when
// the program runs (docs/decisions/interrupt-stealing.md).

#include <type_traits>

#include <croft/port/port.hpp>
#include <croft/task/direct_stealing.hpp>
#include <croft/task/interrupt_stealing.hpp>

#if defined(CROFT_ANALYSIS)  // `croft run --analyze` defines it, for all of the program
#include <croft/paper/analysis/runtime.hpp>
#endif

namespace croft {

#if defined(CROFT_ANALYSIS)
static_assert(port::is_many_core,
              "croft analyses programs on simulated machines: only there it can count instructions");
using default_task_runtime = analysis::runtime;
#else
struct interrupt_stealing;
using default_task_runtime = std::conditional_t<port::is_many_core, interrupt_stealing, direct_stealing>;
#endif

}  // namespace croft
