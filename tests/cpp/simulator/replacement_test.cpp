// Which line leaves a full set, by each policy, counted by hand on one set of four ways.

#include <doctest/doctest.h>

#include <vector>

#include "cache/line_cache.hpp"
#include "cache/replacement/table.hpp"

namespace croftsim {
namespace {

CacheDescription of(Replacement which, std::uint32_t ways = 4) { return {64 * ways, 64, ways, 8, which}; }

constexpr std::uint64_t address(std::uint64_t number) { return number * 64; }

struct OneSet {
    explicit OneSet(Replacement which, std::uint32_t ways = 4) : cache(of(which, ways)) {
        for (std::uint64_t number = 0; number < ways; ++number) bring(number);
    }
    // The line comes; returns which has left for it.
    std::uint64_t bring(std::uint64_t number) {
        Line& place = *cache.victim(address(number));
        const std::uint64_t left = place.address;
        cache.assign(place, address(number));
        return left / 64;
    }
    void use(std::uint64_t number) { cache.touch(*cache.find(address(number))); }
    void set_busy(std::uint64_t number, bool busy = true) { cache.find(address(number))->busy = busy; }
    std::uint64_t leaving() { return cache.leaving(address(99))->address / 64; }

    LineCache cache;
};

std::vector<std::uint8_t> saved(LineCache& cache) {
    Archive archive;
    cache.serialise(archive);
    return archive.written();
}

}  // namespace

TEST_CASE("lru: the line that was used longest ago leaves") {
    OneSet set(Replacement::lru);
    CHECK(set.leaving() == 0);
    set.use(0);
    CHECK(set.leaving() == 1);
    set.set_busy(1);
    CHECK(set.bring(4) == 2);
    set.set_busy(1, false);
    CHECK(set.bring(5) == 1);
}

TEST_CASE("plru: the tree's bits lead to the line that leaves") {
    OneSet set(Replacement::plru);  // used last: 3, so the root points at 0 and 1, and that half at 0
    CHECK(set.leaving() == 0);
    set.use(0);  // the root points at 2 and 3, of which 3 was used last
    CHECK(set.leaving() == 2);
    set.use(2);  // now at 0 and 1, of which 0 was used last
    CHECK(set.leaving() == 1);
    set.set_busy(1);  // the other of the same half
    CHECK(set.leaving() == 0);
    set.set_busy(0);  // the other half, in which the bit points at 3
    CHECK(set.leaving() == 3);
    set.set_busy(1, false);
    CHECK(set.bring(4) == 1);
    CHECK(set.leaving() == 3);
}

TEST_CASE("plru: in the largest set every line leaves once if none is used") {
    OneSet set(Replacement::plru, 64);
    std::vector<bool> has_left(64);
    for (std::uint64_t number = 64; number < 128; ++number) {
        const std::uint64_t left = set.bring(number);
        REQUIRE(left < 64);
        has_left[left] = true;
    }
    CHECK(has_left == std::vector<bool>(64, true));
}

TEST_CASE("random: the same lines leave in every run, whatever was used; to ask changes nothing") {
    OneSet one(Replacement::random), other(Replacement::random);
    std::vector<bool> leaves(4);
    for (std::uint64_t number = 4; number < 40; ++number) {
        const std::uint64_t asked = one.leaving();
        CHECK(one.leaving() == asked);
        one.use(asked);
        CHECK(one.bring(number) == asked);
        CHECK(other.bring(number) == asked);
        if (asked < 4) leaves[asked] = true;
    }
    CHECK(leaves == std::vector<bool>(4, true));
    const std::uint64_t drawn = one.leaving();
    one.set_busy(drawn);
    CHECK(one.leaving() != drawn);
}

TEST_CASE("rrip: a line that was used again outlives those that came once") {
    OneSet set(Replacement::rrip);  // all have 2
    set.use(0);
    set.use(2);                // 0 2 0 2
    CHECK(set.bring(4) == 1);  // all grow by one: 1 2 1 3
    CHECK(set.bring(5) == 3);  // 1 2 1 2
    CHECK(set.bring(6) == 4);  // 2 2 2 3: the first of those with 2 has left
    set.use(0);                // 0 2 2 3
    CHECK(set.leaving() == 5);
    set.set_busy(5);
    CHECK(set.bring(7) == 6);  // 2 becomes 3, and 3 does not grow: 1 2 3 3
    set.set_busy(5, false);
    CHECK(set.leaving() == 2);
}

TEST_CASE("under each policy a free place comes first, and there is none if all lines are busy") {
    for (const replacement::Row& row : replacement::table) {
        CAPTURE(row.name);
        OneSet set(row.which);
        set.cache.free(*set.cache.find(address(2)));
        CHECK(set.cache.victim(address(99))->address == Line::nothing);
        set.bring(4);
        for (const std::uint64_t number : {0, 1, 3, 4}) set.set_busy(number);
        CHECK(set.cache.leaving(address(99)) == nullptr);
        CHECK(set.cache.victim(address(99)) == nullptr);
        set.set_busy(3, false);
        CHECK(set.bring(5) == 3);
    }
}

TEST_CASE("under each policy a cache that was saved and loaded goes on alike, with free places, too") {
    for (const replacement::Row& row : replacement::table) {
        CAPTURE(row.name);
        OneSet set(row.which);
        set.use(1);
        set.bring(4);
        set.use(1);
        set.cache.free(*set.cache.find(address(1)));
        const std::vector<std::uint8_t> state = saved(set.cache);
        OneSet loaded(row.which);
        Archive archive(state);
        LineCache empty(of(row.which));
        empty.serialise(archive);
        archive.end();
        CHECK(saved(empty) == state);
        loaded.cache = std::move(empty);
        for (std::uint64_t number = 5; number < 30; ++number) {
            CHECK(loaded.bring(number) == set.bring(number));
            if (number % 3 == 0) {
                loaded.use(number);
                set.use(number);
            }
        }
    }
}

}  // namespace croftsim
