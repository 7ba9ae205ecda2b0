#pragma once
// Graphs in text files: Ligra's AdjacencyGraph and WeightedAdjacencyGraph, SNAP's lists of edges, and Matrix Market's
// coordinates (math.nist.gov/MatrixMarket/formats.html). Readers throw usage_error.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "csr_graph.hpp"
#include "edge_list.hpp"
#include "text_reader.hpp"

namespace programs::graph {

namespace detail {
inline constexpr std::int64_t most_vertex = std::int64_t{most_vertices} - 1;
inline constexpr std::int64_t least_weight = std::numeric_limits<weight>::min();
inline constexpr std::int64_t most_weight = std::numeric_limits<weight>::max();
}  // namespace detail

// The name, the numbers of vertices and of edges; where each vertex's edges begin; the edges' ends; their weights.
inline edge_list read_adjacency(text_reader& text) {
    using namespace detail;
    const std::string_view kind = text.word("AdjacencyGraph");
    edge_list made;
    made.weighted = kind == "WeightedAdjacencyGraph";
    if (!made.weighted && kind != "AdjacencyGraph")
        text.bad("this is no adjacency graph: it does not begin with that word");
    made.vertices = static_cast<std::size_t>(text.number("the number of vertices", 0, most_vertices));
    const std::int64_t edges = text.number("the number of edges", 0, most_edges);
    std::vector<std::int64_t> begins;
    for (std::size_t v = 0; v < made.vertices; ++v)
        begins.push_back(text.number("where vertex " + std::to_string(v) + " begins", v ? begins[v - 1] : 0, edges));
    if (edges && (begins.empty() || begins[0] != 0)) text.bad("edges before those of vertex 0 are nobody's");
    for (std::size_t v = 0; v < made.vertices; ++v) {
        const std::int64_t end = v + 1 < made.vertices ? begins[v + 1] : edges;
        for (std::int64_t i = begins[v]; i < end; ++i) {
            const std::int64_t to = text.number("the end of an edge", 0, static_cast<std::int64_t>(made.vertices) - 1);
            made.edges.push_back({static_cast<vertex>(v), static_cast<vertex>(to), 1});
        }
    }
    if (made.weighted)
        for (edge& one : made.edges)
            one.length = static_cast<weight>(text.number("the weight of an edge", least_weight, most_weight));
    if (!text.at_end()) text.bad("there is more in the file than its numbers of vertices and edges say");
    return made;
}

// Two vertices a line; comments begin with #. There are as many vertices as the largest number says.
inline edge_list read_edges(text_reader& text) {
    edge_list made;
    while (text.next_line('#')) {
        const std::int64_t from = text.number_of_line("a vertex", 0, detail::most_vertex);
        const std::int64_t to = text.number_of_line("a vertex", 0, detail::most_vertex);
        text.end_of_line("two vertices");
        made.edges.push_back({static_cast<vertex>(from), static_cast<vertex>(to), 1});
        made.vertices = std::max(made.vertices, static_cast<std::size_t>(std::max(from, to)) + 1);
    }
    return made;
}

// Values of integers are weights; reals are read and left out.
inline edge_list read_matrix_market(text_reader& text) {
    using namespace detail;
    if (text.word_of_line("%%MatrixMarket") != "%%MatrixMarket") text.bad("this is no Matrix Market file");
    if (text.word_of_line("'matrix'") != "matrix") text.bad("a graph is a 'matrix'");
    if (text.word_of_line("'coordinate'") != "coordinate") text.bad("a graph is a matrix of 'coordinate'");
    const std::string values(text.word_of_line("the kind of values")), shape(text.word_of_line("the symmetry"));
    if (values != "pattern" && values != "integer" && values != "real")
        text.bad("the values of a graph are 'pattern', 'integer' or 'real', not '" + values + "'");
    if (shape != "general" && shape != "symmetric")
        text.bad("the symmetry of a graph is 'general' or 'symmetric', not '" + shape + "'");
    text.end_of_line("a header");
    if (!text.next_line('%')) text.bad("the file ends where the matrix's size should be");
    const std::int64_t rows = text.number_of_line("the number of rows", 1, most_vertices);
    if (text.number_of_line("the number of columns", 1, most_vertices) != rows)
        text.bad("a graph has as many columns as rows");
    const std::int64_t entries = text.number_of_line("the number of entries", 0, most_edges);
    text.end_of_line("the matrix's size");
    edge_list made;
    made.vertices = static_cast<std::size_t>(rows);
    made.weighted = values == "integer";
    for (std::int64_t i = 0; i < entries; ++i) {
        if (!text.next_line('%'))
            text.bad("the file ends after " + std::to_string(i) + " of " + std::to_string(entries) + " entries");
        edge one{0, 0, 1};
        one.from = static_cast<vertex>(text.number_of_line("a row", 1, rows) - 1);
        one.to = static_cast<vertex>(text.number_of_line("a column", 1, rows) - 1);
        if (made.weighted) one.length = static_cast<weight>(text.number_of_line("a value", least_weight, most_weight));
        if (values == "real") text.word_of_line("a value");
        text.end_of_line("an entry");
        made.edges.push_back(one);
    }
    if (text.next_line('%')) text.bad("there are more entries than the " + std::to_string(entries) + " announced");
    if (shape == "symmetric") make_symmetric(made);
    return made;
}

// ---- writers: what they cannot write is seen when the file is closed ----

inline void write_adjacency(std::FILE* file, const graph_view& graph) {
    const edges_of_vertices& edges = graph.out();
    std::fprintf(file, "%sAdjacencyGraph\n%zu\n%zu\n", graph.weighted() ? "Weighted" : "", graph.vertices(),
                 graph.edges());
    for (std::size_t v = 0; v < graph.vertices(); ++v) std::fprintf(file, "%u\n", edges.offsets[v]);
    for (std::size_t i = 0; i < graph.edges(); ++i) std::fprintf(file, "%u\n", edges.neighbours[i]);
    if (graph.weighted())
        for (std::size_t i = 0; i < graph.edges(); ++i) std::fprintf(file, "%d\n", edges.weights[i]);
}

inline void write_edges(std::FILE* file, const graph_view& graph) {
    std::fprintf(file, "# Nodes: %zu Edges: %zu\n# FromNodeId\tToNodeId\n", graph.vertices(), graph.edges());
    for (std::size_t v = 0; v < graph.vertices(); ++v)
        for (const vertex to : graph.out().of(static_cast<vertex>(v))) std::fprintf(file, "%zu\t%u\n", v, to);
}

inline void write_matrix_market(std::FILE* file, const graph_view& graph) {
    const edges_of_vertices& edges = graph.out();
    std::fprintf(file, "%%%%MatrixMarket matrix coordinate %s general\n%zu %zu %zu\n",
                 graph.weighted() ? "integer" : "pattern", graph.vertices(), graph.vertices(), graph.edges());
    for (std::size_t v = 0; v < graph.vertices(); ++v)
        for (std::size_t i = edges.offsets[v]; i < edges.offsets[v + 1]; ++i) {
            std::fprintf(file, "%zu %u", v + 1, edges.neighbours[i] + 1);
            if (graph.weighted()) std::fprintf(file, " %d", edges.weights[i]);
            std::fputc('\n', file);
        }
}

}  // namespace programs::graph
