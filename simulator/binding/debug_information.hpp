#pragma once
// croft._simulator.DebugInformation, of which python/croft/symbols.py is made.

#include <nanobind/nanobind.h>

namespace croftsim {

void bind_debug_information(nanobind::module_& module);

}  // namespace croftsim
