// Breadth-first search ("ligra-bfs" of paper 002) that looks at a vertex's parent.
//
// A step claims a neighbour by a compare-and-swap on its parent. Whether that has one already is looked at first, which
// may miss another step's claim: then the swap fails.

#include <cstddef>

#include "search_kernel.hpp"

namespace {

using namespace programs;
using namespace programs::graph;

template <class Execution>
struct find_parents {
    vertex* parents;

    static std::size_t marks(std::size_t) { return 0; }
    find_parents(const Execution&, vertex* parents, std::uint64_t*, std::size_t) : parents(parents) {}

    void begin_at(vertex source) { parents[source] = source; }
    bool update(vertex from, vertex to) {
        if (parents[to] != no_vertex) return false;
        Execution::write(parents[to], from);
        return true;
    }
    bool update_shared(vertex from, vertex to) { return Execution::claim(parents[to], no_vertex, from); }
    bool wants(vertex to) { return Execution::read(parents[to]) == no_vertex; }
};

class bfs : public search_kernel<bfs, find_parents> {
public:
    static constexpr const char* name = "ligra-bfs";
    static constexpr const char* purpose = "Searches a graph breadth first from one vertex.";
};

}  // namespace

int main(int argc, char** argv) { return programs::run_kernel<bfs>(argc, argv); }
