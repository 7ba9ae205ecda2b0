#include "memory/address_space.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>

using namespace croftsim;
using Range = std::pair<std::uint64_t, std::uint64_t>;
constexpr std::uint64_t page = AddressSpace::page_bytes;

TEST_CASE("an address space has what was mapped, with its permissions") {
    AddressSpace memory;
    CHECK(memory.find(0x10000) == nullptr);
    CHECK(memory.map(0x10000, 2 * page, Permission::read | Permission::write));
    REQUIRE(memory.find(0x10fff));
    CHECK(memory.find(0x10fff) == memory.find(0x10000));
    CHECK(memory.find(0x12000) == nullptr);
    CHECK(memory.find(~std::uint64_t{0}) == nullptr);
    CHECK(memory.find(0x10000)->home == Page::default_home);
    CHECK(memory.allows(0x10000, 2 * page, Permission::read));
    CHECK_FALSE(memory.allows(0x10000, 2 * page + 1, Permission::read));
    CHECK_FALSE(memory.allows(0x10000, 4, Permission::execute));
    CHECK_FALSE(memory.allows(~std::uint64_t{0} - 3, 8, Permission::read));
    CHECK(memory.allows(0x11000, page, Permission::none));
    CHECK(memory.allows(0x99999, 0, Permission::read));
    CHECK(memory.protect(0x11000, page, Permission::read));
    CHECK_FALSE(memory.allows(0x10ff8, 16, Permission::write));
    CHECK_FALSE(memory.protect(0x11000, 2 * page, Permission::none));
    CHECK(memory.find(0x11000)->permission == Permission::read);
    memory.set_home(0x11000, page, 7);
    CHECK(memory.find(0x10000)->home == Page::default_home);
    CHECK(memory.find(0x11234)->home == 7);
}

TEST_CASE("an address space refuses ranges outside of it") {
    AddressSpace memory;
    CHECK_FALSE(memory.map(0, page, Permission::read));
    CHECK_FALSE(memory.map(AddressSpace::limit, page, Permission::read));
    CHECK_FALSE(memory.map(AddressSpace::limit - page, 2 * page, Permission::read));
    CHECK_FALSE(memory.map(page, ~std::uint64_t{0} - page + 1, Permission::read));
    CHECK_FALSE(memory.map(page, 0, Permission::read));
    CHECK(memory.map(AddressSpace::limit - page, page, Permission::read));
    memory.unmap(0, page);
    memory.unmap(AddressSpace::limit - page, 16 * page);
    CHECK(memory.open_bytes() == page);
}

TEST_CASE("DRAM is zero until written, is given when written, and is recycled") {
    AddressSpace memory;
    REQUIRE(memory.map(0x10000, 1000 * page, 3));
    CHECK(memory.resident_bytes() == 0);
    std::uint64_t value = 1;
    memory.read_dram(0x20000, &value, 8);
    CHECK(value == 0);
    CHECK(memory.find(0x20000)->dram == nullptr);
    value = 0x1122334455667788;
    memory.write_dram(0x20ffc, &value, 8);  // crosses into the next page
    CHECK(memory.resident_bytes() == 2 * page);
    std::uint64_t back = 0;
    memory.read_dram(0x20ffc, &back, 8);
    CHECK(back == value);
    const std::uint8_t* first = memory.find(0x20000)->dram;
    memory.unmap(0x20000, 2 * page);
    CHECK(memory.resident_bytes() == 0);
    memory.read_dram(0x20ffc, &back, 8);
    CHECK(back == 0);
    memory.write_dram(0x20ffc, &value, 8);  // dropped
    CHECK(memory.resident_bytes() == 0);
    const std::uint32_t one = 1;
    memory.write_dram(0x10000, &one, 4);
    memory.write_dram(0x11000, &one, 4);
    CHECK((memory.find(0x10000)->dram == first || memory.find(0x11000)->dram == first));
    memory.read_dram(0x10ffc, &back, 4);
    CHECK(static_cast<std::uint32_t>(back) == 0);  // what the page had before is gone
    REQUIRE(memory.map(0x10000, page, 1));         // mapping over it zeroes it
    memory.read_dram(0x10000, &back, 4);
    CHECK(static_cast<std::uint32_t>(back) == 0);
    CHECK(memory.find(0x10000)->permission == 1);
    memory.clear(0x10000, 100 * page);
    CHECK(memory.resident_bytes() == 0);
    CHECK(memory.find(0x11000)->permission == 3);
}

TEST_CASE("pages move with their contents, permissions and homes") {
    AddressSpace memory;
    REQUIRE(memory.map(0x10000, 3 * page, 3));
    REQUIRE(memory.map(0x40000, 3 * page, 3));
    const std::uint32_t value = 42, old = 7;
    memory.write_dram(0x11000, &value, 4);
    memory.write_dram(0x42000, &old, 4);
    memory.protect(0x12000, page, 1);
    memory.set_home(0x11000, page, 5);
    memory.move(0x10000, 0x40000, 3 * page);
    CHECK(memory.find(0x10000) == nullptr);
    CHECK(memory.region(0x10000) == Range{0, 0});
    std::uint32_t back = 0;
    memory.read_dram(0x41000, &back, 4);
    CHECK(back == 42);
    memory.read_dram(0x42000, &back, 4);
    CHECK(back == 0);
    CHECK(memory.find(0x41000)->home == 5);
    CHECK(memory.find(0x42000)->permission == 1);
    CHECK(memory.resident_bytes() == page);
    CHECK(memory.open_bytes() == 3 * page);
}

TEST_CASE("regions merge and split") {
    AddressSpace memory;
    REQUIRE(memory.map(0x10000, page, 1));
    REQUIRE(memory.map(0x12000, page, 1));
    CHECK(memory.region(0x10800) == Range{0x10000, 0x11000});
    CHECK(memory.region(0x11000) == Range{0, 0});
    REQUIRE(memory.map(0x11000, page, 3));
    CHECK(memory.region(0x12fff) == Range{0x10000, 0x13000});
    memory.unmap(0x11000, page);
    CHECK(memory.region(0x10000) == Range{0x10000, 0x11000});
    CHECK(memory.region(0x12000) == Range{0x12000, 0x13000});
}

TEST_CASE("free ranges are found from the top down") {
    AddressSpace memory;
    const std::uint64_t top = AddressSpace::mmap_top;
    CHECK(memory.find_free(page) == top - page);
    REQUIRE(memory.map(top - 4 * page, page, 1));
    CHECK(memory.find_free(3 * page) == top - 3 * page);
    CHECK(memory.find_free(4 * page) == top - 8 * page);
    REQUIRE(memory.map(top - page, 4 * page, 1));  // reaches beyond the top
    CHECK(memory.find_free(2 * page) == top - 3 * page);
    CHECK(memory.find_free(3 * page) == top - 7 * page);
    CHECK(memory.find_free(AddressSpace::limit) == 0);
    CHECK(memory.find_free(0) == 0);
}

TEST_CASE("pages that allow nothing are no memory, and what is replaced is not counted twice") {
    AddressSpace memory;
    REQUIRE(memory.map(0x10000, 8 * page, Permission::none));
    CHECK(memory.open_bytes() == 0);
    REQUIRE(memory.map(0x12000, 2 * page, Permission::read));
    REQUIRE(memory.protect(0x14000, page, Permission::execute));
    REQUIRE(memory.protect(0x12000, 2 * page, Permission::read | Permission::write));
    CHECK(memory.open_bytes() == 3 * page);
    CHECK(memory.open_bytes(0x11000, 2 * page) == page);
    REQUIRE(memory.map(0x12000, 4 * page, Permission::read));
    CHECK(memory.open_bytes() == 4 * page);
    REQUIRE(memory.map(0x40000, 2 * page, Permission::read));
    memory.move(0x12000, 0x40000, 2 * page);
    CHECK(memory.open_bytes() == 4 * page);
    REQUIRE(memory.protect(0x40000, 2 * page, Permission::none));
    CHECK(memory.open_bytes() == 2 * page);
    memory.unmap(0x10000, 0x40000);
    CHECK(memory.open_bytes() == 0);
}

TEST_CASE("58 untouched stacks cost next to nothing") {
    AddressSpace memory;
    for (int i = 0; i < 58; ++i) {
        const std::uint64_t stack = memory.find_free(8 << 20);
        REQUIRE(memory.map(stack, 8 << 20, 3));
        memory.set_home(stack, 8 << 20, static_cast<std::uint16_t>(i));
    }
    CHECK(memory.resident_bytes() == 0);
    CHECK(memory.open_bytes() == std::uint64_t{58} << 23);
}

// Against a model that knows each page by itself.
TEST_CASE("random maps and unmaps leave what a simple model says") {
    AddressSpace memory;
    std::set<std::uint64_t> model;
    std::mt19937_64 random(1);
    constexpr std::uint64_t base = (std::uint64_t{1} << 25) - 32 * page;  // across two leaves
    for (int step = 0; step < 3000; ++step) {
        const std::uint64_t first = random() % 64, pages = 1 + random() % 8;
        const bool map = random() % 2;
        if (map)
            REQUIRE(memory.map(base + first * page, pages * page, 3));
        else
            memory.unmap(base + first * page, pages * page);
        for (std::uint64_t i = first; i < first + pages; ++i) {
            if (map)
                model.insert(i);
            else
                model.erase(i);
        }
        const std::uint32_t value = 1;
        memory.write_dram(base + random() % 70 * page, &value, 4);
        CHECK(memory.open_bytes() == model.size() * page);
        for (std::uint64_t i = 0; i < 72; ++i) {
            REQUIRE((memory.find(base + i * page) != nullptr) == model.contains(i));
            if (!model.contains(i)) continue;
            std::uint64_t low = i, high = i;
            while (model.contains(low - 1)) --low;
            while (model.contains(high)) ++high;
            REQUIRE(memory.region(base + i * page + 5) == Range{base + low * page, base + high * page});
        }
    }
    memory.unmap(base, 80 * page);
    CHECK(memory.resident_bytes() == 0);
}
