// Breadth-first search ("ligra-bfs" of paper 002): each vertex's parent on some shortest way from the source.
//
// A step claims a neighbour by a compare-and-swap on its parent. Whether that has one already is looked at first, which
// may miss another step's claim: then the swap fails.

#include <cstddef>
#include <string>

#include "edge_map.hpp"
#include "graph_kernel.hpp"
#include "search_tree.hpp"

namespace {

using namespace programs;
using namespace programs::graph;

template <class Execution>
struct find_parents {
    vertex* parents;

    bool update(vertex from, vertex to) {
        if (parents[to] != no_vertex) return false;
        Execution::write(parents[to], from);
        return true;
    }
    bool update_shared(vertex from, vertex to) { return Execution::claim(parents[to], no_vertex, from); }
    bool wants(vertex to) { return Execution::read(parents[to]) == no_vertex; }
};

class bfs : public graph_kernel<bfs> {
public:
    static constexpr const char* name = "ligra-bfs";
    static constexpr const char* purpose = "Searches a graph breadth first from one vertex.";
    static constexpr bool takes_symmetric = false, takes_weights = false;

    template <class Runtime>
    void compute(const execution<Runtime>& how) {
        const std::size_t vertices = graph().vertices();
        parents_ = make_buffer<vertex>(vertices);
        how.for_each(vertices, [&](std::size_t v) { parents_[v] = no_vertex; });
        parents_[source()] = source();
        vertex_subset frontier = vertex_subset::one(source());
        reached_ = 0;
        while (!frontier.empty()) {
            reached_ += frontier.size();
            frontier =
                edge_map(how, graph(), frontier, find_parents<execution<Runtime>>{parents_.get()}, edge_options());
        }
    }

    void check(verification how) const { check_search_tree(graph(), source(), parents_.get(), how); }
    std::string found() const { return "reached=" + std::to_string(reached_) + " "; }

private:
    buffer<vertex> parents_;
    std::size_t reached_ = 0;
};

}  // namespace

int main(int argc, char** argv) { return programs::run_kernel<bfs>(argc, argv); }
