#pragma once
// The bodies of numa.hpp.

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <croft/port/never_destroyed.hpp>
#include <croft/port/numa.hpp>
#include <croft/port/small_file.hpp>

namespace croft::port {

namespace detail {

CROFT_INLINE std::vector<int> numbers_of_list(const char* list) {
    std::vector<int> found;
    const char* at = list;
    for (char* end = nullptr;; at = end + 1) {
        const long first = std::strtol(at, &end, 10);
        if (end == at || first < 0) return found;
        long last = first;
        if (*end == '-') {
            const char* const second = end + 1;
            last = std::strtol(second, &end, 10);
            if (end == second || last < first || last - first > 1 << 20) return found;
        }
        for (long each = first; each <= last; ++each) found.push_back(static_cast<int>(each));
        if (*end != ',') return found;
    }
}

inline std::vector<int> numbers_in_file(const path_of& path) {
    small_file<1 << 14> file(path);
    return numbers_of_list(file.text());
}

}  // namespace detail

CROFT_INLINE memory_nodes::memory_nodes(const char* folder) {
    for (const int node : detail::numbers_in_file({folder, "/online"})) {
        char number[16];
        std::snprintf(number, sizeof number, "%d", node);
        const std::vector<int> cores = detail::numbers_in_file({folder, "/node", number, "/cpulist"});
        for (const int core : cores) {
            const auto place = static_cast<std::size_t>(core);
            if (place >= nodes_.size()) nodes_.resize(place + 1, -1);
            nodes_[place] = node;
        }
        with_cores_ += !cores.empty();
    }
}

CROFT_INLINE const memory_nodes& memory_nodes::here() {
    static never_destroyed<const memory_nodes> own("/sys/devices/system/node");
    return own.get();
}

CROFT_INLINE std::vector<int> memory_nodes::together(std::vector<int> cores) const {
    if (!several()) return cores;
    std::vector<std::size_t> left;  // of each node, those of no known node first
    for (const int core : cores) {
        const auto place = static_cast<std::size_t>(of_core(core) + 1);
        if (place >= left.size()) left.resize(place + 1);
        ++left[place];
    }
    std::vector<int> sorted;
    while (sorted.size() < cores.size()) {
        std::size_t most = 0;
        for (std::size_t place = 1; place < left.size(); ++place)
            if (left[place] > left[most]) most = place;
        for (const int core : cores)
            if (of_core(core) + 1 == static_cast<int>(most)) sorted.push_back(core);
        left[most] = 0;
    }
    return sorted;
}

CROFT_INLINE bool put_on_node(void* pages, std::size_t bytes, int node) {
    constexpr std::size_t word_bits = 8 * sizeof(unsigned long);
    std::vector<unsigned long> mask(static_cast<std::size_t>(node) / word_bits + 1);
    mask.back() = 1ul << (static_cast<std::size_t>(node) % word_bits);
    // (The kernel takes one bit less than it is told of.)
    return syscall(SYS_mbind, pages, bytes, MPOL_PREFERRED, mask.data(), mask.size() * word_bits + 1, 0) == 0;
}

}  // namespace croft::port
