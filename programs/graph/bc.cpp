// Betweenness centrality from one source ("ligra-bc" of paper 002; Brandes 2001). Forwards it adds up how many shortest
// ways lead to each vertex. Backwards it adds up what share of those to others leads through it.
//
// Backwards each vertex w gives (1 + its dependency) / its ways to those before it; times their own ways that is their
// share. The kernel keeps that sum with one more 1 / ways: then nothing is divided at an edge.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "edge_map.hpp"
#include "graph_kernel.hpp"
#include "references.hpp"

namespace {

using namespace programs;
using namespace programs::graph;

// Adds at unvisited vertices; `visited` changes between rounds only.
template <class Execution>
struct add_up {
    double* sums;
    const std::uint8_t* visited;

    // Whether it was the first: sums of ways are 0 before.
    bool update(vertex from, vertex to) {
        const double before = sums[to];
        sums[to] = before + sums[from];
        return before == 0;
    }
    bool update_shared(vertex from, vertex to) { return Execution::add(sums[to], sums[from]) == 0; }
    bool wants(vertex to) { return !visited[to]; }
};

class bc : public graph_kernel<bc> {
public:
    static constexpr const char* name = "ligra-bc";
    static constexpr const char* purpose = "Finds how many shortest ways from one vertex lead through each other.";
    static constexpr bool takes_symmetric = false, takes_weights = false;

    template <class Runtime>
    void compute(const execution<Runtime>& how) {
        const std::size_t vertices = graph().vertices();
        paths_ = make_buffer<double>(vertices);
        dependency_ = make_buffer<double>(vertices);
        const buffer<std::uint8_t> visited = make_buffer<std::uint8_t>(vertices);
        how.for_each(vertices, [&](std::size_t v) {
            paths_[v] = dependency_[v] = 0;
            visited[v] = 0;
        });
        paths_[source()] = 1;
        visited[source()] = 1;

        levels_.clear();
        levels_.push_back(vertex_subset::one(source()));
        for (;;) {
            vertex_subset next = edge_map(how, graph(), levels_.back(),
                                          add_up<execution<Runtime>>{paths_.get(), visited.get()}, edge_options());
            if (next.empty()) break;
            vertex_map(how, next, vertices, [&](vertex v) { visited[v] = 1; });
            levels_.push_back(std::move(next));
        }

        how.for_each(vertices, [&](std::size_t v) { visited[v] = 0; });
        edge_map_options back = edge_options();
        back.output = false;
        for (std::size_t level = levels_.size(); level-- > 0;) {
            vertex_map(how, levels_[level], vertices, [&](vertex v) {
                visited[v] = 1;
                dependency_[v] += 1 / paths_[v];
            });
            if (level)
                edge_map(how, graph().transposed(), levels_[level],
                         add_up<execution<Runtime>>{dependency_.get(), visited.get()}, back);
        }
        how.for_each(vertices,
                     [&](std::size_t v) { dependency_[v] = paths_[v] == 0 ? 0 : dependency_[v] * paths_[v] - 1; });
    }

    // quick: by the sums at each vertex, given what its neighbours have; full: by another program. Sums may be made in
    // any order, so the last digits differ.
    void check(verification how) const {
        const auto differ = [](double a, double b) { return !(std::abs(a - b) <= 1e-9 * (1 + std::abs(a))); };
        if (how == verification::full) {
            const reference::centrality expected = reference::betweenness(graph(), source());
            for (std::size_t v = 0; v < graph().vertices(); ++v) {
                if (differ(paths_[v], expected.paths[v]))
                    wrong(expected.paths[v], " shortest ways lead to vertex ", v, ", not ", paths_[v]);
                if (differ(dependency_[v], expected.dependency[v]))
                    wrong("the dependency on vertex ", v, " is ", expected.dependency[v], ", not ", dependency_[v]);
            }
            return;
        }
        std::vector<std::size_t> level(graph().vertices(), levels_.size() + 1);  // for those that no way leads to
        for (std::size_t i = 0; i < levels_.size(); ++i) {
            const auto at = [&](std::size_t v) { level[v] = std::min(level[v], i); };
            const vertex* const list = levels_[i].list();
            for (std::size_t k = 0; list && k < levels_[i].size(); ++k) at(list[k]);
            const std::uint8_t* const flags = levels_[i].flags();
            for (std::size_t v = 0; !list && v < graph().vertices(); ++v)
                if (flags[v]) at(v);
        }
        if (paths_[source()] != 1) wrong("no way leads to the source, but ", paths_[source()]);
        for (std::size_t v = 0, step = step_between(graph(), how); v < graph().vertices(); v += step) {
            double paths = v == source(), dependency = 0;
            for (const vertex from : graph().in().of(static_cast<vertex>(v)))
                if (level[from] + 1 == level[v]) paths += paths_[from];
            for (const vertex to : graph().out().of(static_cast<vertex>(v)))
                if (level[v] + 1 == level[to]) dependency += (1 + dependency_[to]) / paths_[to];
            if (differ(paths_[v], paths)) wrong(paths, " shortest ways lead to vertex ", v, ", not ", paths_[v]);
            if (differ(dependency_[v], dependency * paths_[v]))
                wrong("the dependency on vertex ", v, " is not ", dependency_[v]);
        }
    }
    std::string found() const { return "levels=" + std::to_string(levels_.size()) + " "; }

private:
    buffer<double> paths_, dependency_;
    std::vector<vertex_subset> levels_;
};

}  // namespace

int main(int argc, char** argv) { return programs::run_kernel<bc>(argc, argv); }
