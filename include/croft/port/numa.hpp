#pragma once
// Nodes of memory: on a machine with several of them (NUMA) each core is nearer to one. Linux tells in files, and puts
// a page on a node if it is asked to. Where there is one node, nothing here does anything.

#include <cstddef>
#include <vector>

#include <croft/port/compiled.hpp>

namespace croft::port {

namespace detail {

// The numbers of the kernel's form of a set, "0-3,8,10-11", ascending. Text that cannot be read ends it.
std::vector<int> numbers_of_list(const char* list);

}  // namespace detail

class memory_nodes {
public:
    // As described in a folder like /sys/devices/system/node: "online" lists the nodes, "node0/cpulist" the cores of
    // one. None, if there is no such folder.
    explicit memory_nodes(const char* folder);
    // This machine's, read once.
    static const memory_nodes& here();

    // Whether there are several that have cores.
    bool several() const { return with_cores_ > 1; }
    // -1 if that is not known, or if there is one node for all.
    int of_core(int core) const {
        return several() && core >= 0 && static_cast<std::size_t>(core) < nodes_.size()
                   ? nodes_[static_cast<std::size_t>(core)]
                   : -1;
    }
    // The cores of one node after those of another, the node with the most first; within one node in their order.
    std::vector<int> together(std::vector<int> cores) const;

private:
    std::vector<int> nodes_;  // of each core; -1: not known
    std::size_t with_cores_ = 0;
};

// Whole pages, of which each comes from that node when it is first used, or from another one if that has none left.
// False if the kernel does not do that; then they come from whose core uses them first.
bool put_on_node(void* pages, std::size_t bytes, int node);

}  // namespace croft::port

#if !defined(CROFT_COMPILED)
#include <croft/port/numa_body.hpp>
#endif
