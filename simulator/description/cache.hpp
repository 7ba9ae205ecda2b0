#pragma once
// The keys of a core's private caches.

#include <bit>

#include "contract/description.hpp"
#include "description/keys.hpp"

namespace croftsim {

template <class Keys>
void keys_of_any(Keys& in, CacheDescription& cache, std::int64_t most_bytes) {
    in.number("size", cache.size, bytes(64, most_bytes),
              "data it holds; sets = size / (line x ways) must be a power of two");
    in.number("line", cache.line, power_of_two(bytes(8, 256)), "its line");
    in.number("ways", cache.ways, {1, 64}, "lines a set holds");
    in.number("hit", cache.hit, some_cycles, "from the issue of a load that hits here to the use of its data");
}

// A first level takes twice its size of the host's memory at once; the others take what is used of them.
template <class Keys>
void keys(Keys& in, CacheDescription& cache) {
    keys_of_any(in, cache, 1 << 22);
}

template <class Keys>
void keys(Keys& in, SecondCacheDescription& cache) {
    keys_of_any(in, cache, 1 << 26);
    in.number("store", cache.store, any_cycles,
              "until a store whose line is here and not in the L1 is done; fences wait for it");
}

// That so many bytes make whole sets, in a number whose bits can be taken from an address.
inline void check_sets(std::uint32_t size, std::uint32_t line, std::uint32_t ways, Problems& problems) {
    if (size % (line * ways))
        return problems.impossible("size", "(", size, ") ", "must be a multiple of line x ways (", line, " x ", ways,
                                   ")");
    if (!std::has_single_bit(size / (line * ways)))
        problems.impossible("size", "(", size, ") ", "makes ", size / (line * ways),
                            " sets, which is not a power of two");
}

inline void check(const CacheDescription& cache, Problems& problems) {
    check_sets(cache.size, cache.line, cache.ways, problems);
}

}  // namespace croftsim
