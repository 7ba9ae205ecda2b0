#pragma once
// Which run-time tasks have where none is named.

#include <croft/task/direct_stealing.hpp>

namespace croft {

using default_task_runtime = direct_stealing;

}  // namespace croft
