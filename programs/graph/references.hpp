#pragma once
// The textbook's algorithms, one vertex after the other and without the layer: what full verification compares with.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "csr_graph.hpp"

namespace programs::graph::reference {

inline constexpr std::uint32_t unreached = ~std::uint32_t{0};
inline constexpr std::int64_t infinitely_far = std::numeric_limits<std::int64_t>::max() / 2;

struct search {
    std::vector<std::uint32_t> depth;  // unreached where there is no way
    std::vector<vertex> order;         // those reached, nearest first
};
inline search breadth_first(const graph_view& graph, vertex source) {
    search made{std::vector<std::uint32_t>(graph.vertices(), unreached), {source}};
    made.depth[source] = 0;
    for (std::size_t next = 0; next < made.order.size(); ++next) {
        const vertex from = made.order[next];
        for (const vertex to : graph.out().of(from))
            if (made.depth[to] == unreached) {
                made.depth[to] = made.depth[from] + 1;
                made.order.push_back(to);
            }
    }
    return made;
}

// Dijkstra would not do: weights may be below 0. False if some way round gets shorter and shorter.
inline bool bellman_ford(const graph_view& graph, vertex source, std::vector<std::int64_t>& distance) {
    distance.assign(graph.vertices(), infinitely_far);
    distance[source] = 0;
    for (std::size_t round = 0; round < graph.vertices(); ++round) {
        bool changed = false;
        for (std::size_t from = 0; from < graph.vertices(); ++from) {
            if (distance[from] == infinitely_far) continue;
            for (std::size_t i = graph.out().offsets[from]; i < graph.out().offsets[from + 1]; ++i) {
                const std::int64_t through = distance[from] + graph.out().weights[i];
                if (through < distance[graph.out().neighbours[i]]) {
                    distance[graph.out().neighbours[i]] = through;
                    changed = true;
                }
            }
        }
        if (!changed) return true;
    }
    return false;
}

// The least vertex of each one's component, by union and find.
inline std::vector<vertex> components(const graph_view& graph) {
    std::vector<vertex> parent(graph.vertices());
    std::iota(parent.begin(), parent.end(), 0);
    const auto root_of = [&](vertex v) {
        while (parent[v] != v) v = parent[v] = parent[parent[v]];
        return v;
    };
    for (std::size_t from = 0; from < graph.vertices(); ++from)
        for (const vertex to : graph.out().of(static_cast<vertex>(from))) {
            const vertex a = root_of(static_cast<vertex>(from)), b = root_of(to);
            parent[std::max(a, b)] = std::min(a, b);
        }
    for (std::size_t v = 0; v < graph.vertices(); ++v) parent[v] = root_of(static_cast<vertex>(v));
    return parent;
}

// The independent set that takes each vertex in turn if none of its neighbours is in.
inline std::vector<bool> independent_set(const graph_view& graph) {
    std::vector<bool> in(graph.vertices());
    for (std::size_t v = 0; v < graph.vertices(); ++v) {
        const auto neighbours = graph.out().of(static_cast<vertex>(v));
        in[v] = std::none_of(neighbours.begin(), neighbours.end(), [&](vertex other) { return in[other]; });
    }
    return in;
}

// How many triangles v and two vertices before it make. `marked` is all false, and is so again afterwards.
inline std::uint64_t triangles_below(const graph_view& graph, vertex v, std::vector<bool>& marked) {
    std::uint64_t found = 0;
    for (const vertex near : graph.out().of(v))
        if (near < v) marked[near] = true;
    for (const vertex near : graph.out().of(v)) {
        if (near > v) continue;
        for (const vertex third : graph.out().of(near)) found += third < near && marked[third];
    }
    for (const vertex near : graph.out().of(v)) marked[near] = false;
    return found;
}

// Brandes (2001): how many shortest ways from the source lead to each vertex, and what share of all others' leads
// through it, added up.
struct centrality {
    std::vector<double> paths, dependency;
};
inline centrality betweenness(const graph_view& graph, vertex source) {
    const search from_source = breadth_first(graph, source);
    centrality made{std::vector<double>(graph.vertices()), std::vector<double>(graph.vertices())};
    made.paths[source] = 1;
    const auto is_next = [&](vertex v, vertex to) { return from_source.depth[to] == from_source.depth[v] + 1; };
    for (const vertex v : from_source.order)
        for (const vertex to : graph.out().of(v))
            if (is_next(v, to)) made.paths[to] += made.paths[v];
    for (std::size_t i = from_source.order.size(); i-- > 0;) {
        const vertex v = from_source.order[i];
        for (const vertex to : graph.out().of(v))
            if (is_next(v, to)) made.dependency[v] += made.paths[v] / made.paths[to] * (1 + made.dependency[to]);
    }
    return made;
}

}  // namespace programs::graph::reference
