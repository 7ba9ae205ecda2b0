// Breadth-first search that looks at a bit for each vertex instead of its parent ("ligra-bfsbv" of paper 002). The bits
// of all vertices fill a thirty-second of the lines that their parents do.
//
// A step claims a neighbour by setting its bit; the step that has set it writes the parent. Bits of vertices that
// belong to other steps lie in the same word, so an atomic operation sets them when pulling too.

#include <cstddef>
#include <cstdint>

#include "search_kernel.hpp"

namespace {

using namespace programs;
using namespace programs::graph;

inline constexpr std::size_t bits_of_word = 64;

template <class Execution>
struct find_parents {
    vertex* parents;
    std::uint64_t* visited;

    static std::size_t marks(std::size_t vertices) { return (vertices + bits_of_word - 1) / bits_of_word; }
    find_parents(const Execution& how, vertex* parents, std::uint64_t* words, std::size_t vertices)
        : parents(parents), visited(words) {
        how.for_each(marks(vertices), [&](std::size_t i) { visited[i] = 0; });
    }

    static std::uint64_t bit_of(vertex v) { return std::uint64_t{1} << v % bits_of_word; }

    void begin_at(vertex source) {
        parents[source] = source;
        visited[source / bits_of_word] = bit_of(source);
    }
    bool update(vertex from, vertex to) { return update_shared(from, to); }
    bool update_shared(vertex from, vertex to) {
        if (Execution::set_bits(visited[to / bits_of_word], bit_of(to)) & bit_of(to)) return false;
        parents[to] = from;
        return true;
    }
    bool wants(vertex to) { return !(Execution::read(visited[to / bits_of_word]) & bit_of(to)); }
};

class bfs_bitvector : public search_kernel<bfs_bitvector, find_parents> {
public:
    static constexpr const char* name = "ligra-bfsbv";
    static constexpr const char* purpose = "Searches a graph breadth first from one vertex, with a vector of bits.";
};

}  // namespace

int main(int argc, char** argv) { return programs::run_kernel<bfs_bitvector>(argc, argv); }
