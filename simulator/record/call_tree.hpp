#pragma once
// The call stacks of a run, each once, as a tree of calls. A node is a call by the same instruction in the same stack
// (a calling context tree: Ammons, Ball and Larus 1997). All cores share it.

#include <cstdint>
#include <vector>

#include "contract/simulation.hpp"
#include "record/flat_map.hpp"

namespace croftsim {

class CallTree {
public:
    // Beyond so many, calls belong to their callers' node: a program may recurse in ever new ways.
    static constexpr std::uint32_t most_nodes = 1 << 20;
    static constexpr std::uint32_t root = 0;

    CallTree() : nodes_(1) {}

    // The node of a call from `parent` that returns to `return_address`.
    std::uint32_t call(std::uint32_t parent, std::uint64_t return_address, bool is_interrupt) {
        std::uint32_t& node = known_[{parent, return_address + is_interrupt}];
        if (node) return node;
        if (nodes_.size() == most_nodes) return parent;
        node = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back({parent, return_address, is_interrupt});
        return node;
    }

    const std::vector<CallNode>& nodes() const { return nodes_; }

private:
    struct Key {
        std::uint32_t parent = ~std::uint32_t{0};
        std::uint64_t return_address = 0;  // odd: of an interrupt
        bool operator==(const Key&) const = default;
        std::uint64_t hash() const { return return_address + (std::uint64_t{parent} << 40 | parent); }
    };
    std::vector<CallNode> nodes_;
    FlatMap<Key, std::uint32_t> known_;
};

}  // namespace croftsim
