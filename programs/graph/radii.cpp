// Each vertex's greatest distance from 64 vertices chosen at random, an estimate of its eccentricity ("ligra-radii" of
// paper 002). These are 64 breadth-first searches at once, one in each bit of a word a vertex.
//
// Vertices visited before the round do not change during it; those visited in it are gathered beside them.

#include <algorithm>
#include <bit>
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

inline constexpr std::size_t searches = 64;
inline constexpr std::uint32_t nowhere = ~std::uint32_t{0};

template <class Execution>
struct visit_all {
    const std::uint64_t* visited;
    std::uint64_t* next;
    std::uint32_t* radius;  // the last round in which something came
    std::uint32_t round;

    bool update(vertex from, vertex to) {
        const std::uint64_t come = visited[from] & ~visited[to];
        if (!come) return false;
        next[to] |= come;
        const bool first = radius[to] != round;
        radius[to] = round;
        return first;
    }
    bool update_shared(vertex from, vertex to) {
        const std::uint64_t come = visited[from] & ~visited[to];
        if (!come) return false;
        Execution::set_bits(next[to], come);
        return Execution::mark(radius[to], round);
    }
    bool wants(vertex) { return true; }
};

class radii : public graph_kernel<radii> {
public:
    static constexpr const char* name = "ligra-radii";
    static constexpr const char* purpose = "Estimates how far from each vertex of an undirected graph the farthest is.";
    static constexpr bool takes_symmetric = true, takes_weights = false;

    void prepare() {
        graph_kernel::prepare();
        sources_.clear();
        const std::size_t wanted = std::min(searches, graph().vertices());
        for (std::uint64_t i = 0; sources_.size() < wanted; ++i) {
            const auto chosen = static_cast<vertex>(mixed(i) % graph().vertices());
            if (std::find(sources_.begin(), sources_.end(), chosen) == sources_.end()) sources_.push_back(chosen);
        }
    }

    template <class Runtime>
    void compute(const execution<Runtime>& how) {
        const std::size_t vertices = graph().vertices();
        visited_ = make_buffer<std::uint64_t>(vertices);
        radius_ = make_buffer<std::uint32_t>(vertices);
        const buffer<std::uint64_t> next = make_buffer<std::uint64_t>(vertices);
        how.for_each(vertices, [&](std::size_t v) {
            visited_[v] = next[v] = 0;
            radius_[v] = nowhere;
        });
        buffer<vertex> first = make_buffer<vertex>(sources_.size());
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            const vertex v = first[i] = sources_[i];
            visited_[v] = next[v] = std::uint64_t{1} << i;
            radius_[v] = 0;
        }
        vertex_subset frontier = vertex_subset::of_list(std::move(first), sources_.size());
        for (rounds_ = 0; !frontier.empty();) {
            ++rounds_;
            frontier = edge_map(how, graph(), frontier,
                                visit_all<execution<Runtime>>{visited_.get(), next.get(), radius_.get(), rounds_},
                                edge_options());
            vertex_map(how, frontier, vertices, [&](vertex v) { visited_[v] = next[v]; });
        }
    }

    // quick: neighbours are visited by the same searches, and no radius is more than one from a neighbour's. None is
    // less than the distance from the first source.
    void check(verification how) const {
        for (std::size_t v = 0, step = step_between(graph(), how); v < graph().vertices(); v += step) {
            if ((visited_[v] == 0) != (radius_[v] == nowhere)) wrong("vertex ", v, " is visited from nowhere");
            for (const vertex to : graph().out().of(static_cast<vertex>(v))) {
                if (visited_[to] != visited_[v]) wrong("vertices ", v, " and ", to, " are visited from different ones");
                if (radius_[v] != nowhere && radius_[to] > radius_[v] + 1)
                    wrong("the radii of the neighbours ", v, " and ", to, " are ", radius_[v], " and ", radius_[to]);
            }
        }
        for (std::size_t i = 0; i < sources_.size(); ++i)
            if (!(visited_[sources_[i]] >> i & 1)) wrong("vertex ", sources_[i], " is not visited from itself");
        if (how != verification::full) return;
        std::vector<std::uint32_t> farthest(graph().vertices(), nowhere);
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            const reference::search one = reference::breadth_first(graph(), sources_[i]);
            for (const vertex v : one.order) {
                if (!(visited_[v] >> i & 1)) wrong("vertex ", v, " is not visited from ", sources_[i]);
                farthest[v] = farthest[v] == nowhere ? one.depth[v] : std::max(farthest[v], one.depth[v]);
            }
        }
        for (std::size_t v = 0; v < graph().vertices(); ++v) {
            if (radius_[v] != farthest[v]) wrong("the radius of vertex ", v, " is ", farthest[v], ", not ", radius_[v]);
        }
    }
    std::string found() const { return "rounds=" + std::to_string(rounds_) + " "; }

private:
    std::vector<vertex> sources_;
    buffer<std::uint64_t> visited_;
    buffer<std::uint32_t> radius_;
    std::uint32_t rounds_ = 0;
};

}  // namespace

int main(int argc, char** argv) { return programs::run_kernel<radii>(argc, argv); }
