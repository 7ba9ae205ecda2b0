#include <doctest/doctest.h>

#include "cache/l1_filter.hpp"
#include "cache/line_cache.hpp"
#include "cache/write_filter.hpp"

namespace croftsim {

TEST_CASE("the L2 gives up the least recently used line of the set, never a busy one") {
    LineCache cache({1024, 64, 4, 8});                                // 4 sets of 4
    const auto address = [](std::uint64_t i) { return i * 4 * 64; };  // all in set 0
    for (std::uint64_t i = 0; i < 4; ++i) cache.assign(*cache.victim(address(i)), address(i));
    CHECK(cache.victim(address(9))->address == address(0));
    cache.touch(*cache.find(address(0)));
    CHECK(cache.victim(address(9))->address == address(1));
    cache.find(address(1))->busy = true;
    CHECK(cache.victim(address(9))->address == address(2));
    for (std::uint64_t i = 0; i < 4; ++i) cache.find(address(i))->busy = true;
    CHECK(cache.victim(address(9)) == nullptr);
    cache.free(*cache.find(address(3)));
    CHECK(cache.find(address(3)) == nullptr);
    CHECK(cache.victim(address(9)) != nullptr);
    CHECK(cache.victim(64)->address == Line::nothing);  // another set is still empty
}

TEST_CASE("the L1 keeps the two last lines of a set, whichever way they lie") {
    L1Filter l1({1024, 16, 2, 2});  // 32 sets
    const auto address = [](std::uint64_t i) { return i * 32 * 16; };
    l1.insert(address(1), 100);
    l1.insert(address(2), 200);
    CHECK(l1.touch(address(1) + 8));  // from second to first
    CHECK(l1.set_of(address(1)).addend == 100);
    l1.insert(address(3), 300);  // so 2 leaves
    CHECK_FALSE(l1.touch(address(2)));
    CHECK(l1.touch(address(1)));
    CHECK(l1.touch(address(3)));
}

TEST_CASE("dropping an L2 line drops its four L1 lines, and only those") {
    L1Filter l1({1024, 16, 2, 2});
    for (std::uint64_t at = 0; at < 128; at += 16) l1.insert(0x4000 + at, at);
    l1.drop(0x4040, 64);
    for (std::uint64_t at = 0; at < 64; at += 16) CHECK(l1.touch(0x4000 + at));
    for (std::uint64_t at = 64; at < 128; at += 16) CHECK_FALSE(l1.touch(0x4000 + at));
}

TEST_CASE("dropping the most recently used line of a set moves the other one up") {
    L1Filter l1({1024, 16, 2, 2});
    l1.insert(0x4000, 1);
    l1.insert(0x4000 + 512, 2);
    l1.drop(0x4000 + 512, 16);
    CHECK(l1.set_of(0x4000).line == 0x4000);
    CHECK(l1.set_of(0x4000).addend == 1);
    l1.drop(0x4000, 16);
    CHECK_FALSE(l1.touch(0x4000));
}

TEST_CASE("a permission to store is gone after its line's revocation, and after another line took its entry") {
    LineCache cache({8192, 64, 2, 8});
    WriteFilter filter;
    Line& first = *cache.victim(0x10000);
    cache.assign(first, 0x10000);
    filter.permit(first);
    CHECK(filter.at(0x10008).line == 0x10000);
    filter.revoke(0x10040);
    CHECK(filter.at(0x10000).line == 0x10000);
    filter.revoke(0x10000);
    CHECK(filter.at(0x10000).line == WriteFilter::nothing);
}

}  // namespace croftsim
