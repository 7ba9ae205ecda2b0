// The bodies of the library that are no templates, for programs that define CROFT_COMPILED (port/compiled.hpp).

#if !defined(CROFT_COMPILED)
#error "src/croft.cpp is compiled with CROFT_COMPILED defined, like what links with it"
#endif

#include <croft/port/count_option_body.hpp>
#include <croft/port/port.hpp>

#if defined(__linux__)
#include <croft/port/cgroup_body.hpp>
#include <croft/port/numa_body.hpp>
#endif

#include <croft/memory/data_memory_body.hpp>
#include <croft/memory/homed_lines_body.hpp>
#include <croft/pattern/engine/builder.hpp>
#include <croft/pattern/engine/executor.hpp>
#include <croft/pattern/engine/farm_joints.hpp>
#include <croft/pattern/engine/farm_rows_body.hpp>
#include <croft/pattern/engine/network.hpp>
#include <croft/pattern/engine/network_threads.hpp>
#include <croft/pattern/engine/role_list_body.hpp>
#include <croft/pattern/placement_body.hpp>
#include <croft/pattern/plan_body.hpp>
#include <croft/pattern/run_metrics_body.hpp>
#include <croft/task/lazy_loop.hpp>
#include <croft/task/scheduler.hpp>
#include <croft/thread/core_claims_body.hpp>
#include <croft/thread/core_share_body.hpp>
#include <croft/thread/thread_pool_body.hpp>

namespace croft {

template class detail::regions<detail::default_task_runtime::worker>;
template class detail::workforce<detail::default_task_runtime::worker>;
template class detail::workforces<detail::default_task_runtime::worker>;
template class detail::basic_task_scheduler<detail::default_task_runtime>;
template class detail::lazy_loop<detail::default_task_runtime>;

template class detail::executor<policies>;
template class detail::builder<policies>;
template class detail::network_threads<policies>;
template class detail::network<policies>;

}  // namespace croft

CROFT_USUAL_ITEMS(CROFT_LINKS, )
CROFT_USUAL_ITEMS(CROFT_FARMS, )
