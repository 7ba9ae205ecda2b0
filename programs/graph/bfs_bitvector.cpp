// Breadth-first search that looks at a bit for each vertex instead of its parent ("ligra-bfsbv" of paper 002): the bits
// of all vertices fill a thirty-second of the lines that their parents do.
//
// A step claims a neighbour by setting its bit; who has set it writes the parent. Bits of vertices that belong to other
// steps lie in the same word, so they are set by an atomic operation when pulling too.

#include <cstddef>
#include <cstdint>
#include <string>

#include "edge_map.hpp"
#include "graph_kernel.hpp"
#include "search_tree.hpp"

namespace {

using namespace programs;
using namespace programs::graph;

inline constexpr std::size_t bits_of_word = 64;

template <class Execution>
struct find_parents {
    vertex* parents;
    std::uint64_t* visited;

    static std::uint64_t bit_of(vertex v) { return std::uint64_t{1} << v % bits_of_word; }

    bool update(vertex from, vertex to) { return update_shared(from, to); }
    bool update_shared(vertex from, vertex to) {
        if (Execution::set_bits(visited[to / bits_of_word], bit_of(to)) & bit_of(to)) return false;
        parents[to] = from;
        return true;
    }
    bool wants(vertex to) { return !(Execution::read(visited[to / bits_of_word]) & bit_of(to)); }
};

class bfs_bitvector : public graph_kernel<bfs_bitvector> {
public:
    static constexpr const char* name = "ligra-bfsbv";
    static constexpr const char* purpose = "Searches a graph breadth first from one vertex, with a vector of bits.";
    static constexpr bool takes_symmetric = false, takes_weights = false;

    template <class Runtime>
    void compute(const execution<Runtime>& how) {
        const std::size_t vertices = graph().vertices(), words = (vertices + bits_of_word - 1) / bits_of_word;
        parents_ = make_buffer<vertex>(vertices);
        how.for_each(vertices, [&](std::size_t v) { parents_[v] = no_vertex; });
        const buffer<std::uint64_t> visited = make_buffer<std::uint64_t>(words);
        how.for_each(words, [&](std::size_t i) { visited[i] = 0; });
        find_parents<execution<Runtime>> find{parents_.get(), visited.get()};
        parents_[source()] = source();
        visited[source() / bits_of_word] = find.bit_of(source());
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

}  // namespace

int main(int argc, char** argv) { return programs::run_kernel<bfs_bitvector>(argc, argv); }
