#pragma once
// Goes through the edges that leave a set of vertices, from whichever end is cheaper (after Ligra, PPoPP 2013):
//
//     push    from each vertex of the set to its neighbours, which other steps may update at the same time: right for
//             small sets. Costs the edges that leave the set.
//     pull    each vertex of the graph looks for itself which of the set leads to it, and stops when it has what it
//             wants: right for large sets. Costs at most all edges, and needs no atomics.
//
// Unless a direction is asked for, it pulls if the set and the edges leaving it are more than a twentieth of all edges.
//
//     struct Update {
//         bool update(vertex from, vertex to);         // for pull: only this step writes what belongs to `to`
//         bool update_shared(vertex from, vertex to);  // for push: others may (execution.hpp has the calls for it)
//         bool wants(vertex to);                       // false: edges to it are of no interest (any more)
//     };
//
// It is copied for each vertex, so it points at what it changes. (Through a reference its members would be loaded again
// behind every atomic operation.) The updates may have the edge's weight as their third parameter. Their result is
// whether `to` belongs to the set that is returned. If one edge_map pushes, it has to be true at most once for each
// `to`.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "buffer.hpp"
#include "csr_graph.hpp"
#include "execution.hpp"
#include "vertex_subset.hpp"

namespace programs::graph {

enum class direction { automatic, push, pull };

struct edge_map_options {
    direction way = direction::automatic;
    bool output = true;  // else no set is made, and none returned
};

namespace detail {

// The edges of a vertex of more are a loop of their own, whose steps are short: so many stay together.
inline constexpr edge_number many_edges = 1000, edges_together = 256;

// Whether one step or several may write the data of an edge's end.
enum class writers { one, several };

template <writers Of, class Update>
bool update(Update& by, vertex from, vertex to, const weight* weights, std::size_t edge) {
    const auto call = [&](auto... length) {
        if constexpr (Of == writers::one)
            return by.update(from, to, length...);
        else
            return by.update_shared(from, to, length...);
    };
    if constexpr (requires { by.update(from, to, weight{}); })
        return call(weights[edge]);
    else
        return call();
}

// reached[place of the edge] = its end if that was updated, otherwise no_vertex.
template <class Runtime, class Update>
void push_from(vertex from, edges_of_vertices edges, Update by, vertex* reached) {
    const std::size_t first = edges.offsets[from], count = edges.degree(from);
    const auto go = [=](std::size_t i) {
        Update steps = by;
        const vertex to = edges.neighbours[first + i];
        const bool updated = steps.wants(to) && update<writers::several>(steps, from, to, edges.weights, first + i);
        if (reached) reached[i] = updated ? to : no_vertex;
    };
    if (count <= many_edges)
        for (std::size_t i = 0; i < count; ++i) go(i);
    else
        execution<Runtime>(edges_together).for_each(count, [go](std::size_t i) { go(i); });
}

template <class Runtime, class Update>
vertex_subset push(const execution<Runtime>& how, const graph_view& graph, vertex_subset& set, const Update& by,
                   bool output) {
    const edges_of_vertices& edges = graph.out();
    set.make_sparse(how, graph.vertices());
    const vertex* const list = set.list();
    if (!output) {
        how.for_each(set.size(), [&](std::size_t i) { push_from<Runtime>(list[i], edges, by, nullptr); });
        return {};
    }
    // The neighbours of each have places of their own, which are packed afterwards.
    buffer<std::size_t> ends = make_buffer<std::size_t>(set.size());
    const std::size_t places = how.short_steps().sums(
        set.size(), std::size_t{0}, [&](std::size_t i) { return std::size_t{edges.degree(list[i])}; },
        [&](std::size_t i, std::size_t end) { ends[i] = end; });
    buffer<vertex> reached = make_buffer<vertex>(places), packed = make_buffer<vertex>(places);
    how.for_each(set.size(), [&](std::size_t i) {
        const vertex from = list[i];
        push_from<Runtime>(from, edges, by, &reached[ends[i] - edges.degree(from)]);
    });
    const std::size_t size = pack(
        how, places, [&](std::size_t i) { return reached[i] != no_vertex; },
        [&](std::size_t where, std::size_t i) { packed[where] = reached[i]; });
    return vertex_subset::of_list(std::move(packed), size);
}

template <class Update>
bool pull_to(vertex to, edges_of_vertices edges, const std::uint8_t* flags, Update by) {
    bool updated = false;
    if (!by.wants(to)) return updated;
    for (std::size_t edge = edges.offsets[to], end = edges.offsets[to + 1]; edge != end; ++edge) {
        const vertex from = edges.neighbours[edge];
        if (!flags[from]) continue;
        if (update<writers::one>(by, from, to, edges.weights, edge)) updated = true;
        if (!by.wants(to)) break;
    }
    return updated;
}

template <class Runtime, class Update>
vertex_subset pull(const execution<Runtime>& how, const graph_view& graph, vertex_subset& set, const Update& by,
                   bool output) {
    const edges_of_vertices& edges = graph.in();
    set.make_dense(how, graph.vertices());
    const std::uint8_t* const flags = set.flags();
    if (!output) {
        how.for_each(graph.vertices(), [&](std::size_t v) { pull_to(static_cast<vertex>(v), edges, flags, by); });
        return {};
    }
    buffer<std::uint8_t> updated = make_buffer<std::uint8_t>(graph.vertices());
    const std::size_t size = how.sum(graph.vertices(), std::size_t{0}, [&](std::size_t v) -> std::size_t {
        return updated[v] = pull_to(static_cast<vertex>(v), edges, flags, by);
    });
    return vertex_subset::of_flags(std::move(updated), size);
}

template <class Execution>
std::size_t edges_leaving(const Execution& how, const graph_view& graph, const vertex_subset& set) {
    const edges_of_vertices& edges = graph.out();
    if (const vertex* const list = set.list())
        return how.short_steps().sum(set.size(), std::size_t{0},
                                     [&](std::size_t i) { return std::size_t{edges.degree(list[i])}; });
    const std::uint8_t* const flags = set.flags();
    return how.short_steps().sum(graph.vertices(), std::size_t{0}, [&](std::size_t v) {
        return flags[v] ? std::size_t{edges.degree(static_cast<vertex>(v))} : 0;
    });
}

}  // namespace detail

// Returns the ends that were updated. `set` is the same afterwards, perhaps in its other form.
template <class Runtime, class Update>
vertex_subset edge_map(const execution<Runtime>& how, const graph_view& graph, vertex_subset& set, const Update& by,
                       edge_map_options options = {}) {
    static_assert(std::is_trivially_copyable_v<Update>, "an Update is copied: it points at what it changes");
    if (set.empty()) return {};
    bool pulls = options.way == direction::pull;
    if (options.way == direction::automatic) {
        const std::size_t leaving = detail::edges_leaving(how, graph, set);
        if (leaving == 0) return {};
        pulls = set.size() + leaving > graph.edges() / 20;
    }
    return pulls ? detail::pull(how, graph, set, by, options.output)
                 : detail::push(how, graph, set, by, options.output);
}

}  // namespace programs::graph
