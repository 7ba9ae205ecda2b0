// Connected components by spreading labels ("ligra-cc" of paper 002): each vertex ends with the least vertex that it is
// connected with. In each round those whose label fell tell their neighbours.
//
// A step may read a label that another one lowers at the same time. Then it spreads an older one, and the lowered
// vertex spreads its own in the next round.

#include <cstddef>
#include <string>
#include <vector>

#include "edge_map.hpp"
#include "graph_kernel.hpp"
#include "references.hpp"

namespace {

using namespace programs;
using namespace programs::graph;

template <class Execution>
struct spread_labels {
    vertex* label;
    const vertex* before;  // this round

    bool update(vertex from, vertex to) {
        const vertex found = Execution::read(label[from]), own = label[to];
        if (found >= own) return false;
        Execution::write(label[to], found);
        return own == before[to];
    }
    // Several may lower it; the first of them finds what it was before the round.
    bool update_shared(vertex from, vertex to) {
        const vertex found = Execution::read(label[from]), own = Execution::lower(label[to], found);
        return own > found && own == before[to];
    }
    bool wants(vertex) { return true; }
};

class components : public graph_kernel<components> {
public:
    static constexpr const char* name = "ligra-cc";
    static constexpr const char* purpose = "Finds the connected components of an undirected graph.";
    static constexpr bool takes_symmetric = true, takes_weights = false;

    template <class Runtime>
    void compute(const execution<Runtime>& how) {
        const std::size_t vertices = graph().vertices();
        label_ = make_buffer<vertex>(vertices);
        const buffer<vertex> before = make_buffer<vertex>(vertices);
        how.for_each(vertices, [&](std::size_t v) { label_[v] = before[v] = static_cast<vertex>(v); });
        vertex_subset frontier = vertex_subset::all(how, vertices);
        for (rounds_ = 0; !frontier.empty(); ++rounds_) {
            vertex_map(how, frontier, vertices, [&](vertex v) { before[v] = label_[v]; });
            frontier = edge_map(how, graph(), frontier, spread_labels<execution<Runtime>>{label_.get(), before.get()},
                                edge_options());
        }
    }

    // quick: neighbours have the same label, which is a vertex that has it.
    void check(verification how) const {
        if (how == verification::full) {
            const std::vector<vertex> expected = reference::components(graph());
            for (std::size_t v = 0; v < graph().vertices(); ++v)
                if (label_[v] != expected[v])
                    wrong("the least vertex connected with ", v, " is ", expected[v], ", not ", label_[v]);
        }
        for (std::size_t v = 0; v < graph().vertices(); ++v) {
            const vertex own = label_[v];
            if (own > v || label_[own] != own) wrong("vertex ", v, " has the label ", own, ", which is not its own");
        }
        for (std::size_t v = 0, step = step_between(graph(), how); v < graph().vertices(); v += step) {
            const vertex own = label_[v];
            for (const vertex to : graph().out().of(static_cast<vertex>(v)))
                if (label_[to] != own) wrong("vertices ", v, " and ", to, " are neighbours with different labels");
        }
    }
    std::string found() const { return "rounds=" + std::to_string(rounds_) + " "; }

private:
    buffer<vertex> label_;
    std::size_t rounds_ = 0;
};

}  // namespace

int main(int argc, char** argv) { return programs::run_kernel<components>(argc, argv); }
