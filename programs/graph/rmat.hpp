#pragma once
// Recursive-matrix graphs (Chakrabarti, Zhan and Faloutsos, "R-MAT", SDM 2004): few vertices have many edges, most have
// few. An edge falls into one quarter of the adjacency matrix, then into a quarter of that, and so on down to one cell.
// The probabilities are a (top left), b (top right), c (bottom left) and d = 1 - a - b - c.
//
// Edge number i is a function of the seed and i. So edges can be made in any order, by anybody, and the graph depends
// on nothing else.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "../common/options.hpp"
#include "edge_list.hpp"

namespace programs::graph {

struct rmat_shape {
    std::uint64_t vertices = 1 << 10;  // the next power of two is taken
    std::uint64_t samples = 1 << 13;   // edges drawn, of which loops and those drawn before are dropped
    std::uint64_t seed = 1;
    double a = .5, b = .1, c = .1;  // as in Ligra's generator
};

// splitmix64 (Steele, Lea and Flood, OOPSLA 2014): neighbouring arguments give unrelated values.
inline std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

class rmat {
public:
    // Throws usage_error.
    explicit rmat(const rmat_shape& shape) : seed_(mixed(shape.seed)) {
        if (shape.vertices < 2 || shape.vertices > most_vertices)
            throw usage_error("an R-MAT graph has 2 to " + std::to_string(most_vertices) + " vertices, not " +
                              std::to_string(shape.vertices));
        if (!(shape.a >= 0 && shape.b >= 0 && shape.c >= 0 && shape.a + shape.b + shape.c <= 1 + 1e-9))
            throw usage_error("the quarters of an R-MAT graph are probabilities, which add up to 1 at most");
        levels_ = std::bit_width(shape.vertices - 1);
        below_a_ = part(shape.a);
        below_b_ = part(shape.a + shape.b);
        below_c_ = part(shape.a + shape.b + shape.c);
    }

    std::uint64_t vertices() const { return std::uint64_t{1} << levels_; }

    edge operator()(std::uint64_t number) const {
        std::uint64_t state = mixed(seed_ ^ mixed(number)), random = 0;
        edge made{0, 0, 1};
        for (unsigned level = 0; level < levels_; ++level) {
            // One hash for two levels.
            random = level % 2 ? random >> 32 : (state = mixed(state));
            const std::uint64_t at = random & 0xffffffff;
            const bool lower = at >= below_b_, right = (at >= below_a_ && !lower) || at >= below_c_;
            made.from = made.from * 2 + lower;
            made.to = made.to * 2 + right;
        }
        return made;
    }

private:
    static std::uint64_t part(double probability) {
        return static_cast<std::uint64_t>(probability * 4294967296.0 + 0.5);
    }

    std::uint64_t seed_;
    unsigned levels_;
    std::uint64_t below_a_, below_b_, below_c_;
};

inline edge_list rmat_edges(const rmat_shape& shape) {
    const rmat draw(shape);
    edge_list made{draw.vertices(), {}, false};
    made.edges.resize(shape.samples);
    for (std::uint64_t i = 0; i < shape.samples; ++i) made.edges[i] = draw(i);
    return made;
}

// Weights from 1 to log2(vertices), by the two ends: an edge weighs the same in both directions.
inline void give_weights(edge_list& list, std::uint64_t seed) {
    const std::uint64_t most = std::max<std::uint64_t>(1, std::bit_width(list.vertices) - 1);
    for (edge& one : list.edges) {
        const std::uint64_t low = std::min(one.from, one.to), high = std::max(one.from, one.to);
        one.length = static_cast<weight>(1 + mixed(seed ^ mixed(high << 32 | low)) % most);
    }
    list.weighted = true;
}

}  // namespace programs::graph
