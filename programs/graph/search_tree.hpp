#pragma once
// Whether parents, as a breadth-first search leaves them, are those of one.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../common/kernel.hpp"
#include "csr_graph.hpp"
#include "graph_kernel.hpp"
#include "references.hpp"

namespace programs::graph {

// How many edges each vertex is away from the source along its parents. Throws if they lead nowhere.
inline std::vector<std::uint32_t> depths_by_parents(const graph_view& graph, vertex source, const vertex* parents) {
    std::vector<std::uint32_t> depth(graph.vertices(), reference::unreached);
    depth[source] = 0;
    if (parents[source] != source) wrong("the source's parent is vertex ", parents[source]);
    std::vector<vertex> way;
    for (std::size_t v = 0; v < graph.vertices(); ++v) {
        if (parents[v] == no_vertex) continue;
        way.clear();
        vertex at = static_cast<vertex>(v);
        while (depth[at] == reference::unreached) {
            way.push_back(at);
            if (way.size() > graph.vertices()) wrong("from vertex ", v, " the parents lead in a circle");
            at = parents[at];
            if (at >= graph.vertices()) wrong("from vertex ", v, " the parents lead nowhere");
        }
        for (std::uint32_t steps = depth[at]; !way.empty(); way.pop_back()) depth[way.back()] = ++steps;
    }
    return depth;
}

// Parents are neighbours, and no edge leads further than one step on: of all vertices that proves it.
inline void check_search_tree(const graph_view& graph, vertex source, const vertex* parents, verification how) {
    const std::vector<std::uint32_t> depth = depths_by_parents(graph, source, parents);
    for (std::size_t v = 0, step = step_between(graph, how); v < graph.vertices(); v += step) {
        bool has_edge = v == source || depth[v] == reference::unreached;
        for (const vertex from : graph.in().of(static_cast<vertex>(v))) {
            if (parents[v] == from) has_edge = true;
            // Unreached is larger than any depth.
            if (depth[from] != reference::unreached && depth[v] > depth[from] + 1)
                wrong("vertex ", v, " is next to ", from, " and not one step further");
        }
        if (!has_edge) wrong("there is no edge from vertex ", parents[v], ", the parent, to ", v);
    }
    if (how == verification::full && depth != reference::breadth_first(graph, source).depth)
        wrong("the search found other distances than a queue does");
}

}  // namespace programs::graph
