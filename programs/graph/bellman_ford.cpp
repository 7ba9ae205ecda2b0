// Lengths of the shortest ways from one vertex, weights below 0 included ("ligra-bf" of paper 002). In each round the
// vertices that have come nearer tell their neighbours.
//
// A step may read a distance that another one lowers at the same time. It then finds a way that is too long. But the
// lowered vertex is in the next round, whose steps see the lower distance and all that follows from it.

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
using reference::infinitely_far;

template <class Execution>
struct come_nearer {
    std::int64_t* distance;
    std::uint32_t* lowered_in;  // the last round in which it was
    std::uint32_t round;

    bool update(vertex from, vertex to, weight length) {
        const std::int64_t through = Execution::read(distance[from]) + length;
        if (through >= distance[to]) return false;
        Execution::write(distance[to], through);
        return true;
    }
    bool update_shared(vertex from, vertex to, weight length) {
        const std::int64_t through = Execution::read(distance[from]) + length;
        return Execution::lower(distance[to], through) > through && Execution::mark(lowered_in[to], round);
    }
    bool wants(vertex) { return true; }
};

class bellman_ford : public graph_kernel<bellman_ford> {
public:
    static constexpr const char* name = "ligra-bf";
    static constexpr const char* purpose = "Finds the shortest ways from one vertex of a weighted graph.";
    static constexpr bool takes_symmetric = false, takes_weights = true;

    template <class Runtime>
    void compute(const execution<Runtime>& how) {
        const std::size_t vertices = graph().vertices();
        distance_ = make_buffer<std::int64_t>(vertices);
        const buffer<std::uint32_t> lowered_in = make_buffer<std::uint32_t>(vertices);
        how.for_each(vertices, [&](std::size_t v) {
            distance_[v] = infinitely_far;
            lowered_in[v] = 0;
        });
        distance_[source()] = 0;
        vertex_subset frontier = vertex_subset::one(source());
        // A shortest way has fewer edges than there are vertices, unless one in a circle is shorter still.
        for (rounds_ = 0; !frontier.empty() && rounds_ < vertices; ++rounds_)
            frontier = edge_map(how, graph(), frontier,
                                come_nearer<execution<Runtime>>{distance_.get(), lowered_in.get(), rounds_ + 1},
                                edge_options());
        endless_ = !frontier.empty();
    }

    // No edge makes a way shorter, and each distance comes by some edge. Checked at all vertices, that is proof for
    // weights above 0.
    void check(verification how) const {
        if (how == verification::full) {
            std::vector<std::int64_t> expected;
            if (reference::bellman_ford(graph(), source(), expected) == endless_)
                wrong("there is ", endless_ ? "no" : "a", " circle of a length below 0");
            for (std::size_t v = 0; v < graph().vertices() && !endless_; ++v)
                if (distance_[v] != expected[v])
                    wrong("vertex ", v, " is ", expected[v], " away from the source, not ", distance_[v]);
        }
        if (endless_) return;
        if (distance_[source()] != 0) wrong("the source is ", distance_[source()], " away from itself");
        const edges_of_vertices& edges = graph().in();
        for (std::size_t v = 0, step = step_between(graph(), how); v < graph().vertices(); v += step) {
            bool comes_by = v == source() || distance_[v] == infinitely_far;
            for (std::size_t i = edges.offsets[v]; i < edges.offsets[v + 1]; ++i) {
                const vertex from = edges.neighbours[i];
                if (distance_[from] == infinitely_far) continue;
                const std::int64_t through = distance_[from] + edges.weights[i];
                if (through < distance_[v])
                    wrong("the way over ", from, " to vertex ", v, " is shorter than that found");
                if (through == distance_[v]) comes_by = true;
            }
            if (!comes_by) wrong("no way to vertex ", v, " is as short as that found");
        }
    }
    std::string found() const { return "rounds=" + std::to_string(rounds_) + (endless_ ? " below_zero=1 " : " "); }

private:
    buffer<std::int64_t> distance_;
    std::uint32_t rounds_ = 0;
    bool endless_ = false;
};

}  // namespace

int main(int argc, char** argv) { return programs::run_kernel<bellman_ford>(argc, argv); }
