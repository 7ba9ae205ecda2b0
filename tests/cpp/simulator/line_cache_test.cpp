// Which lines a cache can hold together, alone and as one of several that lines go round.

#include "cache/line_cache.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace croftsim;

namespace {

constexpr CacheDescription small{64 * line_bytes, line_bytes, 4, 1};  // 16 sets

// How many of the first `count` lines whose numbers are multiples of `apart` are there when all have been put in.
std::size_t held(LineCache& cache, std::size_t apart, std::size_t count) {
    const auto address = [&](std::size_t i) { return std::uint64_t{i} * apart * line_bytes; };
    for (std::size_t i = 0; i < count; ++i) cache.assign(*cache.victim(address(i)), address(i));
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i) found += cache.find(address(i)) != nullptr;
    return found;
}

}  // namespace

TEST_CASE("a cache holds as many lines as it has room for, and not one more") {
    LineCache alone(small);
    CHECK(held(alone, 1, 64) == 64);
    LineCache more(small);
    CHECK(held(more, 1, 65) == 64);
}

TEST_CASE("one of eight caches uses all of its sets for the lines that are its own") {
    for (const std::size_t first : {0, 5}) {
        LineCache one(small, 8);
        std::size_t found = 0;
        for (std::size_t i = 0; i < 64; ++i) {
            const std::uint64_t address = (i * 8 + first) * line_bytes;
            one.assign(*one.victim(address), address);
        }
        for (std::size_t i = 0; i < 64; ++i) found += one.find((i * 8 + first) * line_bytes) != nullptr;
        CHECK(found == 64);
    }
    LineCache unaware(small);
    CHECK(held(unaware, 8, 64) == 8);  // as it would be otherwise
}

TEST_CASE("the line to give up is the least recently used that is not busy") {
    LineCache cache(small);
    const auto address = [](std::uint64_t i) { return i * 16 * line_bytes; };  // of one set
    for (std::uint64_t i = 0; i < 4; ++i) cache.assign(*cache.victim(address(i)), address(i));
    CHECK(cache.victim(address(9)) == cache.find(address(0)));
    cache.touch(*cache.find(address(0)));
    CHECK(cache.victim(address(9)) == cache.find(address(1)));
    cache.find(address(1))->busy = true;
    CHECK(cache.victim(address(9)) == cache.find(address(2)));
    for (std::uint64_t i = 0; i < 4; ++i) cache.find(address(i))->busy = true;
    CHECK(cache.victim(address(9)) == nullptr);
    cache.free(*cache.find(address(3)));
    CHECK(cache.victim(address(9))->address == Line::nothing);
}

TEST_CASE("the lines of a range, whether there are fewer than sets or more") {
    LineCache cache(small);
    for (std::uint64_t line = 0; line < 64; line += 2)
        cache.assign(*cache.victim(line * line_bytes), line * line_bytes);
    const auto inside = [&](std::uint64_t begin, std::uint64_t end) {
        std::vector<std::uint64_t> found;
        cache.for_each_inside(begin, end, [&](const Line& line) { found.push_back(line.address / line_bytes); });
        std::ranges::sort(found);
        return found;
    };
    using Lines = std::vector<std::uint64_t>;
    CHECK(inside(4 * line_bytes, 8 * line_bytes) == Lines{4, 6});
    CHECK(inside(4 * line_bytes + 1, 8 * line_bytes + 1) == Lines{6, 8});  // those that begin there
    CHECK(inside(5 * line_bytes, 5 * line_bytes).empty());
    CHECK(inside(41 * line_bytes + 1, 60 * line_bytes) == Lines{42, 44, 46, 48, 50, 52, 54, 56, 58});
    CHECK(inside(0, Line::nothing).size() == 32);  // a free place has no line, not even the last
    CHECK(inside(64 * line_bytes, 1000 * line_bytes).empty());
}
