#pragma once
// A graph in compressed sparse rows: the neighbours of each vertex, in order, behind each other. Vertices are numbers
// below vertices(); there are no loops, and no edge is there twice. A symmetric graph has each edge in both directions;
// another graph keeps the edges into each vertex, too.
//
// All of it lies in one block of 32-bit words. A binary file holds the same (graph_file.hpp):
//    out: vertices + 1 offsets, edges neighbours, edges weights (if weighted); in, if not symmetric: the same

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "buffer.hpp"

namespace programs::graph {

using vertex = std::uint32_t;
using edge_number = std::uint32_t;
using weight = std::int32_t;

inline constexpr vertex no_vertex = ~vertex{0};
// So that numbers of vertices, with one more, and of edges fit their types.
inline constexpr std::uint64_t most_vertices = (std::uint64_t{1} << 31), most_edges = (std::uint64_t{1} << 32) - 1;

// One direction of a graph's edges.
struct edges_of_vertices {
    const edge_number* offsets = nullptr;
    const vertex* neighbours = nullptr;
    const weight* weights = nullptr;  // none if not weighted

    edge_number degree(vertex v) const { return offsets[v + 1] - offsets[v]; }
    std::span<const vertex> of(vertex v) const { return {neighbours + offsets[v], degree(v)}; }
};

struct graph_shape {
    std::size_t vertices = 0, edges = 0;
    bool weighted = false, symmetric = true;

    std::size_t words_of_direction() const { return vertices + 1 + edges * (weighted ? 2 : 1); }
    std::size_t words() const { return words_of_direction() * (symmetric ? 1 : 2); }
};

// The graph that the kernels go through; does not own the words.
class graph_view {
public:
    graph_view() = default;
    graph_view(const graph_shape& shape, const std::uint32_t* words) : shape_(shape) {
        out_ = in_ = direction(words);
        if (!shape.symmetric) in_ = direction(words + shape.words_of_direction());
    }

    std::size_t vertices() const { return shape_.vertices; }
    std::size_t edges() const { return shape_.edges; }
    bool weighted() const { return shape_.weighted; }
    bool symmetric() const { return shape_.symmetric; }
    const graph_shape& shape() const { return shape_; }
    const edges_of_vertices& out() const { return out_; }
    const edges_of_vertices& in() const { return in_; }
    // Every edge turned round.
    graph_view transposed() const {
        graph_view other = *this;
        std::swap(other.out_, other.in_);
        return other;
    }

private:
    edges_of_vertices direction(const std::uint32_t* words) const {
        edges_of_vertices made;
        made.offsets = words;
        made.neighbours = words + shape_.vertices + 1;
        // Signed and unsigned words of one size may be read as each other.
        if (shape_.weighted) made.weights = reinterpret_cast<const weight*>(made.neighbours + shape_.edges);
        return made;
    }

    graph_shape shape_;
    edges_of_vertices out_, in_;
};

class csr_graph : public graph_view {
public:
    csr_graph() = default;
    // The graph is what lies in `words` from `first` on.
    csr_graph(const graph_shape& shape, buffer<std::uint32_t> words, std::size_t first = 0)
        : graph_view(shape, words.get() + first), words_(std::move(words)), first_(first) {}

    std::span<const std::uint32_t> words() const { return {words_.get() + first_, shape().words()}; }

private:
    buffer<std::uint32_t> words_;
    std::size_t first_ = 0;
};

}  // namespace programs::graph
