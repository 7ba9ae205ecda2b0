#pragma once
// The breadth-first searches of paper 002: each vertex's parent on some shortest way from the source. They differ in
// what a step looks at to know whether a vertex has been visited.
//
//     template <class Execution>
//     struct FindParents {  // an Update of edge_map.hpp
//         static std::size_t marks(std::size_t vertices);  // words that it wants for itself
//         FindParents(const Execution&, vertex* parents, std::uint64_t* marks, std::size_t vertices);
//             // No vertex has been visited.
//         void begin_at(vertex source);
//     };

#include <cstddef>
#include <cstdint>
#include <string>

#include "edge_map.hpp"
#include "graph_kernel.hpp"
#include "search_tree.hpp"

namespace programs::graph {

template <class Kernel, template <class> class FindParents>
class search_kernel : public graph_kernel<Kernel> {
    using base = graph_kernel<Kernel>;
    using base::edge_options;
    using base::graph;
    using base::source;

public:
    static constexpr bool takes_symmetric = false, takes_weights = false;

    template <class Runtime>
    void compute(const execution<Runtime>& how) {
        const std::size_t vertices = graph().vertices();
        parents_ = make_buffer<vertex>(vertices);
        how.for_each(vertices, [&](std::size_t v) { parents_[v] = no_vertex; });
        using steps = FindParents<execution<Runtime>>;
        const buffer<std::uint64_t> marks = make_buffer<std::uint64_t>(steps::marks(vertices));
        steps find(how, parents_.get(), marks.get(), vertices);
        find.begin_at(source());
        vertex_subset frontier = vertex_subset::one(source());
        reached_ = 0;
        while (!frontier.empty()) {
            reached_ += frontier.size();
            frontier = edge_map(how, graph(), frontier, find, edge_options());
        }
    }

    void check(verification how) const { check_search_tree(graph(), source(), parents_.get(), how); }
    std::string found() const { return "reached=" + std::to_string(reached_) + " "; }

private:
    buffer<vertex> parents_;
    std::size_t reached_ = 0;
};

}  // namespace programs::graph
