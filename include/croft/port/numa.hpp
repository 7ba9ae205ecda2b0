#pragma once
// Nodes of memory: on a machine with several of them (NUMA) each core is nearer to one. Linux tells in files, and puts
// a page on a node if it is asked to. Where there is one node, nothing here does anything.

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace croft::port {

namespace detail {

// What the kernel writes for a set of numbers, "0-3,8,10-11", ascending; what cannot be read ends it.
inline std::vector<int> numbers_of_list(const std::string& list) {
    std::vector<int> found;
    const char* at = list.c_str();
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

}  // namespace detail

class memory_nodes {
public:
    // As described in a folder like /sys/devices/system/node: "online" lists the nodes, "node0/cpulist" the cores of
    // one. None, if there is no such folder.
    explicit memory_nodes(const std::string& folder) {
        for (const int node : detail::numbers_of_list(line_of(folder + "/online"))) {
            const std::vector<int> cores =
                detail::numbers_of_list(line_of(folder + "/node" + std::to_string(node) + "/cpulist"));
            for (const int core : cores) nodes_[core] = node;
            with_cores_ += !cores.empty();
        }
    }
    // This machine's, read once.
    static const memory_nodes& here() {
        static const memory_nodes own("/sys/devices/system/node");
        return own;
    }

    // Whether there are several that have cores.
    bool several() const { return with_cores_ > 1; }
    // -1 if that is not known, or if there is one node for all.
    int of_core(int core) const {
        const auto found = several() ? nodes_.find(core) : nodes_.end();
        return found == nodes_.end() ? -1 : found->second;
    }
    // Those of one node after those of another, the node first of which there are most; of one node in their order.
    std::vector<int> together(std::vector<int> cores) const {
        std::map<int, std::size_t> count;
        for (const int core : cores) ++count[of_core(core)];
        std::stable_sort(cores.begin(), cores.end(), [&](int a, int b) {
            const int node_a = of_core(a), node_b = of_core(b);
            return count[node_a] != count[node_b] ? count[node_a] > count[node_b] : node_a < node_b;
        });
        return cores;
    }

private:
    static std::string line_of(const std::string& file) {
        std::string line;
        std::getline(std::ifstream(file) >> std::ws, line);
        return line;
    }

    std::map<int, int> nodes_;  // of each core
    std::size_t with_cores_ = 0;
};

// Whole pages, of which each comes from that node when it is first used, or from another one if that has none left.
// False if the kernel does not do that; then they come from whose core uses them first.
inline bool put_on_node(void* pages, std::size_t bytes, int node) {
    constexpr std::size_t word_bits = 8 * sizeof(unsigned long);
    std::vector<unsigned long> mask(static_cast<std::size_t>(node) / word_bits + 1);
    mask.back() = 1ul << (static_cast<std::size_t>(node) % word_bits);
    // (The kernel takes one bit less than it is told of.)
    return syscall(SYS_mbind, pages, bytes, MPOL_PREFERRED, mask.data(), mask.size() * word_bits + 1, 0) == 0;
}

}  // namespace croft::port
