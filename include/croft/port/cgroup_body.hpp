#pragma once
// The bodies of cgroup.hpp.

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <croft/port/cgroup.hpp>
#include <croft/port/small_file.hpp>

namespace croft::port {

namespace detail {

// -1 for "max" and other words that are no number.
inline double number_in(const char*& at) {
    char* end = nullptr;
    const double number = std::strtod(at, &end);
    if (end == at) return -1;
    at = end;
    return number;
}
inline double number_of(const char* folder, const char* name) {
    small_file<64> file({folder, "/", name});
    const char* at = file.text();
    return number_in(at);
}

// The quota of one group in cores, rounded up; 0 if it has none. Version 2 writes "quota period" or "max period".
inline std::size_t group_quota(const char* folder) {
    double quota = -1, period = 0;
    if (small_file<128> both({folder, "/cpu.max"}); both.exists()) {
        const char* at = both.text();
        quota = number_in(at);
        period = number_in(at);
    } else {
        quota = number_of(folder, "cpu.cfs_quota_us");
        period = number_of(folder, "cpu.cfs_period_us");
    }
    if (!(quota > 0 && period > 0)) return 0;
    const auto whole = static_cast<std::size_t>(quota / period);
    return whole + (static_cast<double>(whole) * period < quota);
}

// The smaller of two quotas, of which 0 is none.
inline std::size_t least_quota(std::size_t a, std::size_t b) { return a == 0 || (b != 0 && b < a) ? b : a; }

// Whether a comma-separated list has the word "cpu".
inline bool names_cpu(const char* list) {
    for (const char* at = list; (at = std::strstr(at, "cpu")) != nullptr; ++at)
        if ((at == list || at[-1] == ',') && (at[3] == 0 || at[3] == ',')) return true;
    return false;
}

CROFT_INLINE std::size_t nested_quota(const char* mount, const char* group) {
    path_of folder({mount, group});
    const std::size_t top = std::strlen(mount);
    for (std::size_t least = 0;;) {
        least = least_quota(least, group_quota(folder.text));
        if (std::strlen(folder.text) <= top) return least;
        *std::strrchr(folder.text, '/') = 0;  // mount and group begin with one
    }
}

}  // namespace detail

CROFT_INLINE std::size_t cgroup_quota() {
    detail::small_file<1 << 14> groups({"/proc/self/cgroup"});  // lines "hierarchy:controllers:/path"
    std::size_t least = 0;
    for (char* line = groups.text(); *line != 0;) {
        char* const end = line + std::strcspn(line, "\n");
        char* const next = *end ? end + 1 : end;
        *end = 0;
        char* const controllers = std::strchr(line, ':');
        char* const path = controllers ? std::strchr(controllers + 1, ':') : nullptr;
        line = next;
        if (path == nullptr || path[1] != '/') continue;
        *path = 0;
        const char* const group = path[2] == 0 ? "" : path + 1;
        if (controllers[1] == 0) least = detail::least_quota(least, detail::nested_quota("/sys/fs/cgroup", group));
        if (detail::names_cpu(controllers + 1))
            least = detail::least_quota(least, detail::nested_quota("/sys/fs/cgroup/cpu", group));
    }
    return least;
}

}  // namespace croft::port
