// A maximal independent set ("ligra-mis" of paper 002): no two of its vertices are neighbours, and every other one is
// the neighbour of one. It is the one that taking the vertices in turn gives: a vertex is in once all neighbours before
// it are out.
//
// In each round every vertex that is left looks at its neighbours. Those may be put out, or set back, at the same time.
// A vertex that misses that sets itself back for one more round. A vertex that sees it decides nothing wrong, because
// out is for ever. A neighbour is taken in between rounds only.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "edge_map.hpp"
#include "graph_kernel.hpp"
#include "references.hpp"

namespace {

using namespace programs;
using namespace programs::graph;

// Within a round it only rises, from candidate to undecided or out.
enum state : std::uint32_t { candidate, undecided, out, in };

template <class Execution>
struct look_at_neighbour {
    std::uint32_t* states;

    // Both write at the edge's beginning, of which pulling steps share one: so it is always pushed.
    bool update_shared(vertex own, vertex neighbour) {
        const std::uint32_t seen = Execution::read(states[neighbour]);
        if (seen == in)
            Execution::raise(states[own], std::uint32_t{out});
        else if (neighbour < own && seen != out)
            Execution::raise(states[own], std::uint32_t{undecided});
        return false;
    }
    bool update(vertex own, vertex neighbour) { return update_shared(own, neighbour); }
    bool wants(vertex) { return true; }
};

class independent_set : public graph_kernel<independent_set> {
public:
    static constexpr const char* name = "ligra-mis";
    static constexpr const char* purpose = "Finds a maximal independent set of an undirected graph.";
    static constexpr bool takes_symmetric = true, takes_weights = false;

    template <class Runtime>
    void compute(const execution<Runtime>& how) {
        const std::size_t vertices = graph().vertices();
        states_ = make_buffer<std::uint32_t>(vertices);
        how.for_each(vertices, [&](std::size_t v) { states_[v] = candidate; });
        vertex_subset left = vertex_subset::all(how, vertices);
        for (rounds_ = 0; !left.empty(); ++rounds_) {
            edge_map(how, graph(), left, look_at_neighbour<execution<Runtime>>{states_.get()},
                     {.way = direction::push, .output = false});
            left = vertex_filter(how, left, vertices, [&](vertex v) {
                const bool stays = states_[v] == undecided;
                if (states_[v] != out) states_[v] = stays ? candidate : in;
                return stays;
            });
        }
    }

    // quick proves that it is a maximal independent set, full that it is the one that taking vertices in turn gives.
    void check(verification how) const {
        for (std::size_t v = 0, step = step_between(graph(), how); v < graph().vertices(); v += step) {
            bool near = false;
            for (const vertex to : graph().out().of(static_cast<vertex>(v))) near |= states_[to] == in;
            if (states_[v] != in && states_[v] != out) wrong("vertex ", v, " is not decided");
            if (near == (states_[v] == in))
                wrong("vertex ", v, near ? " and a neighbour are both in" : " and its neighbours are all out");
        }
        if (how != verification::full) return;
        const std::vector<bool> expected = reference::independent_set(graph());
        for (std::size_t v = 0; v < graph().vertices(); ++v)
            if (expected[v] != (states_[v] == in))
                wrong("vertex ", v, " is ", expected[v] ? "out" : "in", " by mistake");
    }
    std::string found() const { return "rounds=" + std::to_string(rounds_) + " "; }

private:
    buffer<std::uint32_t> states_;
    std::size_t rounds_ = 0;
};

}  // namespace

int main(int argc, char** argv) { return programs::run_kernel<independent_set>(argc, argv); }
