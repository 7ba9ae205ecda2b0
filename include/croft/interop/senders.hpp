#pragma once
// croft's tasks under senders: those of C++26's <execution> where the library has them, or else stdexec's.
// docs/interop.md has a program.
//
// Where there is neither this header is nothing, but for a get_scheduler() that says so.

#include <croft/interop/sender_library.hpp>
#include <croft/interop/sender_scheduler.hpp>
#include <croft/task/scheduler.hpp>

#if defined(CROFT_HAS_SENDERS)

namespace croft {

// Throws std::system_error: sender_scheduler.hpp.
inline auto get_scheduler(task_scheduler& of = task_scheduler::common()) {
    return interop::sender_scheduler<interop::sender_library>(of);
}

}  // namespace croft

#else

namespace croft {

template <class... Scheduler>
void get_scheduler(Scheduler&&...) {
    static_assert(sizeof...(Scheduler) > 64,
                  "croft::get_scheduler: there is no <stdexec/execution.hpp>, and no <execution> with senders");
}

}  // namespace croft

#endif
