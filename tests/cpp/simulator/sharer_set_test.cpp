// The directory's sets of tiles: one word in the line, and further ones beside the lines of a large machine.

#include "cache/sharer_set.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "cache/line_cache.hpp"

namespace croftsim {
namespace {

constexpr CacheDescription small{4 * line_bytes, line_bytes, 2, 1};  // two sets of two

Line& put(LineCache& cache, std::uint64_t address) {
    Line& line = *cache.victim(address);
    cache.assign(line, address);
    return line;
}
std::vector<std::uint32_t> listed(LineCache& cache, std::uint64_t address) {
    std::vector<std::uint32_t> tiles;
    cache.sharers(*cache.find(address)).for_each([&](std::uint32_t tile) { tiles.push_back(tile); });
    return tiles;
}

}  // namespace

TEST_CASE("a line takes two lines of the host's, and a word beside it for each 64 tiles beyond the first") {
    CHECK(sizeof(Line) == 128);
    CHECK(SharerSet::further_words(1) == 0);
    CHECK(SharerSet::further_words(64) == 0);
    CHECK(SharerSet::further_words(65) == 1);
    CHECK(SharerSet::further_words(128) == 1);
    CHECK(SharerSet::further_words(129) == 2);
    CHECK(SharerSet::further_words(SharerSet::capacity) == 15);
}

TEST_CASE("sharers of a thousand tiles") {
    LineCache cache(small, 1, SharerSet::capacity);
    SharerSet set = cache.sharers(put(cache, 0));
    CHECK(set.empty());
    CHECK(set.empty_but_for(1023));
    for (const std::uint32_t tile : {0u, 63u, 64u, 1023u}) set.add(tile);
    CHECK(set.size() == 4);
    CHECK(listed(cache, 0) == std::vector<std::uint32_t>{0, 63, 64, 1023});
    for (const std::uint32_t tile : {1u, 62u, 65u, 127u, 128u, 1022u}) CHECK_FALSE(set.contains(tile));
    set.remove(0);
    set.remove(63);
    set.remove(1023);
    CHECK(set.contains(64));
    CHECK(set.empty_but_for(64));
    CHECK_FALSE(set.empty_but_for(63));
    CHECK_FALSE(set.empty_but_for(0));
    CHECK_FALSE(set.empty());
    set.clear();
    CHECK(set.empty());
    for (const std::uint32_t tile : {0u, 63u, 64u, 1023u}) CHECK_FALSE(set.contains(tile));
}

TEST_CASE("the sharers of neighbouring lines are apart, also at both ends of their words") {
    for (const std::uint32_t tiles : {64u, 65u, 128u, 129u, 1024u}) {
        LineCache cache(small, 1, tiles);
        const std::vector<std::uint64_t> addresses{0, 64, 128, 192};  // all places
        for (const std::uint64_t address : addresses) put(cache, address);
        for (std::uint64_t here : addresses) {
            SharerSet set = cache.sharers(*cache.find(here));
            for (std::uint32_t tile = 0; tile < tiles; ++tile) set.add(tile);
            CHECK(set.size() == tiles);
            for (std::uint64_t other : addresses) CHECK((other == here || listed(cache, other).empty()));
            set.clear();
            CHECK(listed(cache, here).empty());
        }
    }
}

TEST_CASE("a line that takes another one's place begins without sharers") {
    LineCache cache(small, 1, 130);
    for (std::uint64_t address : {0, 128}) {
        SharerSet set = cache.sharers(put(cache, address));
        for (const std::uint32_t tile : {3u, 64u, 129u}) set.add(tile);
    }
    CHECK(listed(cache, 0).size() == 3);
    put(cache, 256);  // where 0 was
    CHECK(listed(cache, 256).empty());
    CHECK_FALSE(cache.sharers(*cache.find(256)).contains(129));
    cache.free(*cache.find(128));
    put(cache, 384);
    CHECK(listed(cache, 384).empty());
    CHECK_FALSE(cache.sharers(*cache.find(384)).contains(64));
}

TEST_CASE("sharers are saved and loaded, as many words of them as are in use") {
    const auto saved = [](LineCache& cache) {
        Archive archive;
        cache.serialise(archive);
        return archive.written();
    };
    LineCache cache(small, 1, 200);
    put(cache, 0);
    put(cache, 64);
    const std::size_t without = saved(cache).size();
    cache.sharers(*cache.find(0)).add(63);
    CHECK(saved(cache).size() == without);
    cache.sharers(*cache.find(0)).add(64);
    CHECK(saved(cache).size() == without + 8);
    cache.sharers(*cache.find(64)).add(199);
    const std::vector<std::uint8_t> state = saved(cache);
    CHECK(state.size() == without + 8 + 24);

    LineCache other(small, 1, 200);
    Archive archive(state);
    other.serialise(archive);
    archive.end();
    CHECK(listed(other, 0) == std::vector<std::uint32_t>{63, 64});
    CHECK(listed(other, 64) == std::vector<std::uint32_t>{199});
    CHECK(saved(other) == state);

    LineCache smaller(small, 1, 128);  // which has no room for the tile 199
    Archive refused(state);
    CHECK_THROWS_AS(smaller.serialise(refused), CheckpointError);
}

}  // namespace croftsim
