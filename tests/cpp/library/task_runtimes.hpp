#pragma once
// The run-times that work natively.

#include <croft/paper/task/shared_deques.hpp>
#include <croft/paper/task/shared_deques_flushed.hpp>

#include "task_programs.hpp"

#define NATIVE_RUNTIMES \
    croft::direct_stealing, croft::shared_deques, croft::paper::shared_deques, croft::paper::shared_deques_flushed
