#pragma once
// The way of a line to a core that has not asked for it (home_forwarding.cpp).

#include "contract/post.hpp"

namespace croftsim {

// The node below `home` through which it reaches the tile; no_home: it does not.
inline std::uint32_t child_towards(const Post& post, std::uint64_t line, std::uint32_t home, std::uint32_t tile) {
    for (std::uint32_t node = tile; node != Post::no_home;) {
        const std::uint32_t next = post.home_of(line, node);
        if (next == home) return node;
        node = next;
    }
    return Post::no_home;
}

// The first level that is behind both tiles.
inline std::uint32_t level_of_both(const Post& post, std::uint64_t line, std::uint32_t tile, std::uint32_t other) {
    std::uint32_t home = post.home_of(line, tile);
    while (child_towards(post, line, home, other) == Post::no_home) home = post.home_of(line, home);
    return home;
}

}  // namespace croftsim
