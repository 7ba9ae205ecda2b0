#pragma once
// A set of vertices (after Shun and Blelloch, "Ligra", PPoPP 2013). Sparse, it is a list of them in any order; dense, a
// flag for each vertex of the graph. Either is made of the other when it is asked for. Flags are bytes: steps of one
// loop that set flags beside each other are no race.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "buffer.hpp"
#include "csr_graph.hpp"

namespace programs::graph {

// put(where, i) for each i < count of which keep(i) says true, in order; how many they are. May call keep(i) thrice.
template <class Execution, class Keep, class Put>
std::size_t pack(const Execution& how, std::size_t count, Keep&& keep, Put&& put) {
    return how.short_steps().sums(
        count, std::size_t{0}, [&](std::size_t i) { return static_cast<std::size_t>(keep(i)); },
        [&](std::size_t i, std::size_t kept) {
            if (keep(i)) put(kept - 1, i);
        });
}

class vertex_subset {
public:
    vertex_subset() = default;  // none
    static vertex_subset one(vertex v) {
        vertex_subset made;
        made.list_ = make_buffer<vertex>(1);
        made.list_[0] = v;
        made.size_ = 1;
        return made;
    }
    template <class Execution>
    static vertex_subset all(const Execution& how, std::size_t vertices) {
        buffer<std::uint8_t> flags = make_buffer<std::uint8_t>(vertices);
        how.for_each(vertices, [&](std::size_t v) { flags[v] = 1; });
        return of_flags(std::move(flags), vertices);
    }
    static vertex_subset of_list(buffer<vertex> list, std::size_t size) {
        vertex_subset made;
        made.list_ = std::move(list);
        made.size_ = size;
        return made;
    }
    // `size` of them are 1, the others 0.
    static vertex_subset of_flags(buffer<std::uint8_t> flags, std::size_t size) {
        vertex_subset made;
        made.flags_ = std::move(flags);
        made.size_ = size;
        return made;
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    // As the last make_dense() or make_sparse() left them.
    const std::uint8_t* flags() const { return flags_.get(); }
    const vertex* list() const { return list_.get(); }

    template <class Execution>
    void make_dense(const Execution& how, std::size_t vertices) {
        if (flags_) return;
        flags_ = make_buffer<std::uint8_t>(vertices);
        how.for_each(vertices, [&](std::size_t v) { flags_[v] = 0; });
        how.for_each(size_, [&](std::size_t i) { flags_[list_[i]] = 1; });
    }
    template <class Execution>
    void make_sparse(const Execution& how, std::size_t vertices) {
        if (list_ || size_ == 0) return;
        list_ = make_buffer<vertex>(size_);
        pack(
            how, vertices, [&](std::size_t v) { return flags_[v] != 0; },
            [&](std::size_t where, std::size_t v) { list_[where] = static_cast<vertex>(v); });
    }

private:
    // One of the two is there, or both; neither if the set is empty.
    buffer<vertex> list_;
    buffer<std::uint8_t> flags_;
    std::size_t size_ = 0;
};

// visit(v) for each of the set.
template <class Execution, class Visit>
void vertex_map(const Execution& how, const vertex_subset& set, std::size_t vertices, Visit&& visit) {
    if (const vertex* const list = set.list())
        how.for_each(set.size(), [&](std::size_t i) { visit(list[i]); });
    else if (const std::uint8_t* const flags = set.flags())
        how.for_each(vertices, [&](std::size_t v) {
            if (flags[v]) visit(static_cast<vertex>(v));
        });
}

// Those of which keep(v) says true; it is called once for each of the set.
template <class Execution, class Keep>
vertex_subset vertex_filter(const Execution& how, const vertex_subset& set, std::size_t vertices, Keep&& keep) {
    if (const vertex* const list = set.list()) {
        buffer<std::uint8_t> kept = make_buffer<std::uint8_t>(set.size());
        how.for_each(set.size(), [&](std::size_t i) { kept[i] = keep(list[i]); });
        buffer<vertex> left = make_buffer<vertex>(set.size());
        const std::size_t size = pack(
            how, set.size(), [&](std::size_t i) { return kept[i] != 0; },
            [&](std::size_t where, std::size_t i) { left[where] = list[i]; });
        return vertex_subset::of_list(std::move(left), size);
    }
    if (set.empty()) return {};
    const std::uint8_t* const flags = set.flags();
    buffer<std::uint8_t> left = make_buffer<std::uint8_t>(vertices);
    const std::size_t size = how.sum(vertices, std::size_t{0}, [&](std::size_t v) -> std::size_t {
        return left[v] = flags[v] && keep(static_cast<vertex>(v));
    });
    return vertex_subset::of_flags(std::move(left), size);
}

}  // namespace programs::graph
