#pragma once
// How much processor time the control group of this process may use: a container with `--cpus 2` on a machine of 64
// cores sees 64 cores, but gets the time of two, and loses whole scheduler slices if it runs more threads than that.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <string>

namespace croft::port {

namespace detail {

// The quota of one group in cores, rounded up; 0 if it has none. Version 2 writes "quota period" or "max period".
inline std::size_t group_quota(const std::string& folder) {
    double quota = -1, period = 0;
    if (std::ifstream both(folder + "/cpu.max"); both) {
        std::string word;
        both >> word >> period;
        if (!word.empty() && word != "max") quota = std::strtod(word.c_str(), nullptr);
    } else {
        std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
        std::ifstream(folder + "/cpu.cfs_period_us") >> period;
    }
    return quota > 0 && period > 0 ? static_cast<std::size_t>(std::ceil(quota / period)) : 0;
}

// The smallest quota of the group and of all groups around it.
inline std::size_t nested_quota(const std::string& mount, std::string group) {
    std::size_t least = 0;
    for (;;) {
        if (const std::size_t quota = group_quota(mount + group)) least = least ? std::min(least, quota) : quota;
        if (group.empty()) return least;
        group.erase(group.find_last_of('/') == std::string::npos ? 0 : group.find_last_of('/'));
    }
}

}  // namespace detail

// In cores, rounded up; 0 if there is no quota.
inline std::size_t cgroup_quota() {
    std::ifstream groups("/proc/self/cgroup");  // lines "hierarchy:controllers:/path"
    std::size_t least = 0;
    for (std::string line; std::getline(groups, line);) {
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        std::string path = line.substr(second + 1);
        if (path == "/") path.clear();
        std::size_t quota = 0;
        if (controllers.empty()) quota = detail::nested_quota("/sys/fs/cgroup", path);
        if ((',' + controllers + ',').find(",cpu,") != std::string::npos)
            quota = detail::nested_quota("/sys/fs/cgroup/cpu", path);
        if (quota) least = least ? std::min(least, quota) : quota;
    }
    return least;
}

}  // namespace croft::port
