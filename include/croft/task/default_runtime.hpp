#pragma once
// Which run-time tasks have where none is named: the fastest that is right on the machine that a program is compiled
// for.

#include <croft/port/port.hpp>
#include <croft/task/direct_stealing.hpp>

#if defined(CROFT_MANY_CORE)
#include <croft/task/many_core_runtime.hpp>
#elif defined(CROFT_ANALYSIS)
#error "croft analyses programs on simulated machines: only there it can count instructions"
#else

namespace croft::detail {

using default_task_runtime = direct_stealing;

}  // namespace croft::detail

#endif
