#pragma once
// The inputs of paper 002, tables III and V. "rMat_100K" names the vertices, of which R-MAT makes the next power of
// two. The paper does not say how many edges there are. Here so many are drawn that the sequential program executes as
// many instructions on io1 as table III says. For table V it is so many times more (docs/graph.md has the numbers).

#include <cstdint>
#include <string>
#include <string_view>

#include "../common/options.hpp"
#include "rmat.hpp"

namespace programs::graph {

struct named_input {
    std::string_view kernel, name;
    std::uint64_t vertices, samples;
};

inline constexpr named_input named_inputs[] = {
    {"ligra-bc", "rMat_100K", 100'000, 2'350'000},
    {"ligra-bf", "rMat_200K", 200'000, 700'000},
    {"ligra-bfs", "rMat_800K", 800'000, 3'000'000},
    {"ligra-bfsbv", "rMat_500K", 500'000, 1'300'000},
    {"ligra-cc", "rMat_500K", 500'000, 3'200'000},
    {"ligra-mis", "rMat_100K", 100'000, 750'000},
    {"ligra-radii", "rMat_200K", 200'000, 1'220'000},
    {"ligra-tc", "rMat_200K", 200'000, 1'475'000},
    // Table V, for 256 cores.
    {"ligra-bc", "rMat_1M", 1'000'000, 12'000'000},
    {"ligra-bfs", "rMat_3M", 3'000'000, 12'000'000},
    {"ligra-cc", "rMat_1M", 1'000'000, 6'400'000},
    {"ligra-tc", "rMat_1M", 1'000'000, 7'000'000},
};

// An empty name is the first of the kernel's. Throws usage_error.
inline const named_input& input_named(std::string_view kernel, std::string_view name) {
    std::string known;
    for (const named_input& one : named_inputs) {
        if (one.kernel != kernel) continue;
        if (name.empty() || one.name == name) return one;
        known += (known.empty() ? "" : ", ") + std::string(one.name);
    }
    if (known.empty()) throw usage_error("the paper has no kernel " + std::string(kernel) + " (but ligra-bfs, say)");
    throw usage_error(std::string(kernel) + " has no input " + std::string(name) + " (known: " + known + ")");
}

inline rmat_shape shape_of(const named_input& input, std::uint64_t seed) {
    return {.vertices = input.vertices, .samples = input.samples, .seed = seed};
}

}  // namespace programs::graph
