#pragma once
// Breadth-first search, level by level. The loop over a level is the library's. It calls for chunks of a few vertices,
// which in an R-MAT graph have a few edges or thousands. A level begins when all chunks of the level before are done.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <croft/port/port.hpp>

#include "../programs/graph/csr_graph.hpp"
#include "../programs/graph/references.hpp"

namespace bench {

class breadth_first {
public:
    using vertex = programs::graph::vertex;
    static constexpr std::uint32_t unreached = programs::graph::reference::unreached;
    static constexpr std::size_t grain = 16;  // vertices of a chunk

    explicit breadth_first(const programs::graph::graph_view& graph)
        : graph_(graph), distances_(graph.vertices()), level_(graph.vertices()), next_(graph.vertices()) {}

    // `loop(count, body)` calls body(i) for each i below count, in any order, and returns when all have returned.
    template <class Loop>
    void search(vertex source, Loop loop) {
        start(source);
        for (std::size_t here = 1; here != 0; here = end_level()) {
            size_ = here;
            loop(static_cast<int>((here + grain - 1) / grain), [this](int i) { visit(static_cast<std::size_t>(i)); });
        }
    }
    const std::vector<std::uint32_t>& distances() const { return distances_; }

private:
    void start(vertex source) {
        std::fill(distances_.begin(), distances_.end(), unreached);
        distances_[source] = 0;
        level_[0] = source;
        distance_ = 1;
    }
    std::size_t end_level() {
        level_.swap(next_);
        ++distance_;
        return found_.exchange(0, std::memory_order_relaxed);
    }
    // Everything relaxed: who takes a vertex is decided by one word, and what a level finds is read after its loop.
    void visit(std::size_t chunk) {
        std::array<vertex, 64> mine;
        std::size_t count = 0;
        const auto hand_in = [&] {
            const std::size_t at = found_.fetch_add(count, std::memory_order_relaxed);
            std::copy_n(mine.begin(), count, next_.begin() + static_cast<std::ptrdiff_t>(at));
            count = 0;
        };
        for (std::size_t i = chunk * grain; i < std::min(size_, (chunk + 1) * grain); ++i)
            for (const vertex to : graph_.out().of(level_[i])) {
                const std::atomic_ref distance(distances_[to]);
                std::uint32_t expected = unreached;
                if (distance.load(std::memory_order_relaxed) != unreached ||
                    !distance.compare_exchange_strong(expected, distance_, std::memory_order_relaxed))
                    continue;
                mine[count++] = to;
                if (count == mine.size()) hand_in();
            }
        if (count != 0) hand_in();
    }

    programs::graph::graph_view graph_;
    std::vector<std::uint32_t> distances_;
    std::vector<vertex> level_, next_;
    std::size_t size_ = 0;
    std::uint32_t distance_ = 0;
    alignas(croft::port::cache_line) std::atomic<std::size_t> found_{0};
};

}  // namespace bench
