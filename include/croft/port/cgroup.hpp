#pragma once
// How much processor time the control group of this process may use. A container with `--cpus 2` on a machine of 64
// cores sees 64 cores, but gets the time of two. It loses whole scheduler slices if it runs more threads than that.

#include <cstddef>

#include <croft/port/compiled.hpp>

namespace croft::port {

// In cores, rounded up; 0 if there is no quota.
std::size_t cgroup_quota();

namespace detail {
// The smallest quota of the group and of all groups around it, where their files are mounted.
std::size_t nested_quota(const char* mount, const char* group);
}  // namespace detail

}  // namespace croft::port

#if !defined(CROFT_COMPILED)
#include <croft/port/cgroup_body.hpp>
#endif
