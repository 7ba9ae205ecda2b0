#pragma once
// The edges of a graph as they are drawn or read, and the graph in rows that they make.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../common/options.hpp"
#include "csr_graph.hpp"

namespace programs::graph {

struct edge {
    vertex from, to;
    weight length;
};

struct edge_list {
    std::size_t vertices = 0;
    std::vector<edge> edges;
    bool weighted = false;
};

namespace detail {

// `list` by rows, into words.
inline void write_rows(const edge_list& list, std::uint32_t* words) {
    std::uint32_t* const offsets = words;
    std::uint32_t* const neighbours = words + list.vertices + 1;
    std::fill(offsets, neighbours, 0);
    for (const edge& one : list.edges) ++offsets[one.from + 1];
    for (std::size_t v = 0; v < list.vertices; ++v) offsets[v + 1] += offsets[v];
    // The edges are in order.
    for (std::size_t i = 0; i < list.edges.size(); ++i) {
        neighbours[i] = list.edges[i].to;
        if (list.weighted) neighbours[list.edges.size() + i] = static_cast<std::uint32_t>(list.edges[i].length);
    }
}

// If an edge is there more than once, the lightest stays. Rows by counting, then each by itself.
inline void sort_and_clean(edge_list& list) {
    std::erase_if(list.edges, [](const edge& one) { return one.from == one.to; });
    std::vector<std::size_t> next(list.vertices + 1);
    for (const edge& one : list.edges) ++next[one.from + 1];
    for (std::size_t v = 0; v < list.vertices; ++v) next[v + 1] += next[v];
    std::vector<edge> by_row(list.edges.size());
    for (const edge& one : list.edges) by_row[next[one.from]++] = one;
    // next[v] is now where row v ends.
    for (std::size_t v = 0, begin = 0; v < list.vertices; begin = next[v++])
        std::sort(by_row.begin() + static_cast<std::ptrdiff_t>(begin),
                  by_row.begin() + static_cast<std::ptrdiff_t>(next[v]),
                  [](const edge& a, const edge& b) { return std::tie(a.to, a.length) < std::tie(b.to, b.length); });
    const auto same = [](const edge& a, const edge& b) { return a.from == b.from && a.to == b.to; };
    by_row.erase(std::unique(by_row.begin(), by_row.end(), same), by_row.end());
    list.edges = std::move(by_row);
}

inline void turn_round(edge_list& list) {
    for (edge& one : list.edges) std::swap(one.from, one.to);
}

}  // namespace detail

// Every edge in both directions.
inline void make_symmetric(edge_list& list) {
    const std::size_t edges = list.edges.size();
    list.edges.reserve(2 * edges);
    for (std::size_t i = 0; i < edges; ++i)
        list.edges.push_back({list.edges[i].to, list.edges[i].from, list.edges[i].length});
}

inline edge_list edges_of(const graph_view& graph) {
    edge_list list{graph.vertices(), {}, graph.weighted()};
    list.edges.reserve(graph.edges());
    const edges_of_vertices& edges = graph.out();
    for (std::size_t v = 0; v < graph.vertices(); ++v)
        for (std::size_t i = edges.offsets[v]; i < edges.offsets[v + 1]; ++i)
            list.edges.push_back({static_cast<vertex>(v), edges.neighbours[i], edges.weights ? edges.weights[i] : 1});
    return list;
}

// Without loops, and with the lightest of edges that are there more than once. Throws usage_error if it is too large.
inline csr_graph graph_of(edge_list list) {
    detail::sort_and_clean(list);
    if (list.vertices > most_vertices || list.edges.size() > most_edges)
        throw usage_error("the graph is too large: " + std::to_string(list.vertices) + " vertices, " +
                          std::to_string(list.edges.size()) + " edges");
    edge_list turned = list;
    detail::turn_round(turned);
    detail::sort_and_clean(turned);
    const bool symmetric = std::equal(
        list.edges.begin(), list.edges.end(), turned.edges.begin(),
        [](const edge& a, const edge& b) { return a.from == b.from && a.to == b.to && a.length == b.length; });
    const graph_shape shape{list.vertices, list.edges.size(), list.weighted, symmetric};
    buffer<std::uint32_t> words = make_buffer<std::uint32_t>(shape.words());
    detail::write_rows(list, words.get());
    if (!symmetric) detail::write_rows(turned, words.get() + shape.words_of_direction());
    return csr_graph(shape, std::move(words));
}

}  // namespace programs::graph
