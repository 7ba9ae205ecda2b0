// The triangles of a graph ("ligra-tc" of paper 002), each counted at its greatest vertex. An edge makes one with each
// common neighbour of its ends before both. Rows are in order, so one walk through both finds them.

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

// Neighbours of both vertices that are less than the lesser one.
inline std::uint64_t common_before(const edges_of_vertices& edges, vertex lesser, vertex greater) {
    const vertex* a = edges.neighbours + edges.offsets[lesser];
    const vertex* b = edges.neighbours + edges.offsets[greater];
    const vertex* const end = edges.neighbours + edges.offsets[lesser + 1];  // b stops before `lesser`, which is in it
    std::uint64_t found = 0;
    while (a != end && *a < lesser && *b < lesser) {
        const vertex left = *a, right = *b;
        found += left == right;
        a += left <= right;
        b += right <= left;
    }
    return found;
}

template <class Execution>
struct count_triangles {
    const edges_of_vertices& edges;
    std::uint64_t* counts;

    bool update(vertex from, vertex to) {
        if (from < to) counts[to] += common_before(edges, from, to);
        return false;
    }
    bool update_shared(vertex from, vertex to) {
        if (from < to) Execution::add(counts[to], common_before(edges, from, to));
        return false;
    }
    bool wants(vertex) { return true; }
};

class triangles : public graph_kernel<triangles> {
public:
    static constexpr const char* name = "ligra-tc";
    static constexpr const char* purpose = "Counts the triangles of an undirected graph.";
    static constexpr bool takes_symmetric = true, takes_weights = false;

    template <class Runtime>
    void compute(const execution<Runtime>& how) {
        const std::size_t vertices = graph().vertices();
        counts_ = make_buffer<std::uint64_t>(vertices);
        how.for_each(vertices, [&](std::size_t v) { counts_[v] = 0; });
        vertex_subset all = vertex_subset::all(how, vertices);
        edge_map_options options = edge_options();
        options.output = false;
        edge_map(how, graph(), all, count_triangles<execution<Runtime>>{graph().out(), counts_.get()}, options);
        total_ = how.short_steps().sum(vertices, std::uint64_t{0}, [&](std::size_t v) { return counts_[v]; });
    }

    // quick: the triangles of some vertices, counted in another way; full: of all.
    void check(verification how) const {
        const std::size_t step = how == verification::full ? 1 : graph().vertices() / 64 + 1;
        std::vector<bool> marked(graph().vertices());
        std::uint64_t total = 0;
        for (std::size_t v = 0; v < graph().vertices(); v += step) {
            const std::uint64_t expected = reference::triangles_below(graph(), static_cast<vertex>(v), marked);
            if (counts_[v] != expected)
                wrong("vertex ", v, " is the greatest of ", expected, " triangles, not of ", counts_[v]);
            total += expected;
        }
        if (step == 1 && total != total_) wrong("there are ", total, " triangles, not ", total_);
    }
    std::string found() const { return "triangles=" + std::to_string(total_) + " "; }

private:
    buffer<std::uint64_t> counts_;
    std::uint64_t total_ = 0;
};

}  // namespace

int main(int argc, char** argv) { return programs::run_kernel<triangles>(argc, argv); }
