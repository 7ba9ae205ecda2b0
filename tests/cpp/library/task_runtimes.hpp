#pragma once
// The run-times that work natively.

#include "task_programs.hpp"

#define NATIVE_RUNTIMES croft::direct_stealing, croft::shared_deques
