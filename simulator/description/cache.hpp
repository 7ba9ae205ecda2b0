#pragma once
// The keys of a core's private caches.

#include <bit>

#include "cache/replacement/table.hpp"
#include "contract/description.hpp"
#include "description/keys.hpp"

namespace croftsim {

inline const Words<Replacement>& replacements() {
    static const Words<Replacement> words = [] {
        Words<Replacement> all;
        for (const replacement::Row& row : replacement::table) all.push_back({row.name, row.which});
        return all;
    }();
    return words;
}

// An L1 has LRU alone, because its most recently used lines are the fast path (cache/l1_filter.hpp).
template <class Keys>
void key_of_replacement(Keys& in, std::optional<Replacement>& replacement) {
    in.optional_word("replacement", replacement, replacements(),
                     "which line leaves a full set: the least recently used one; the same, but by a tree of bits; one "
                     "drawn at random; or by SRRIP one that is predicted not to be used for long. Nothing: `lru`");
}

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
    key_of_replacement(in, cache.replacement);
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

inline void check_replacement(std::optional<Replacement> which, std::uint32_t ways, Problems& problems) {
    const replacement::Row& row = replacement::row_of(which.value_or(Replacement::lru));
    if (row.halves && !std::has_single_bit(ways))
        problems.impossible("replacement", "(", row.name, ") needs ways that are a power of two, not ", ways);
}

inline void check(const CacheDescription& cache, Problems& problems) {
    check_sets(cache.size, cache.line, cache.ways, problems);
    check_replacement(cache.replacement, cache.ways, problems);
}

}  // namespace croftsim
