#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "guest.hpp"
#include "temporary_directory.hpp"

using namespace croftsim;

namespace {

constexpr std::uint64_t page = 4096;
enum : std::uint64_t { is_private = 2, shared = 1, fixed = 0x10, anonymous = 0x20, no_replace = 0x100000 };

std::int64_t map(Guest& guest, std::uint64_t address, std::uint64_t bytes, std::uint64_t protection,
                 std::uint64_t flags, std::int64_t fd = -1, std::uint64_t offset = 0) {
    return *guest.call(0, number::mmap, address, bytes, protection, flags, fd, offset);
}
std::uint64_t map_some(Guest& guest, std::uint64_t bytes) {
    const std::int64_t result = map(guest, 0, bytes, 3, is_private | anonymous);
    REQUIRE(result > 0);
    return static_cast<std::uint64_t>(result);
}
void store(Guest& guest, std::uint64_t address, std::uint32_t value) {
    guest.machine.write(address, {reinterpret_cast<const std::uint8_t*>(&value), sizeof value});
}

}  // namespace

TEST_CASE("the break moves up and down, and does not run into mappings") {
    Guest guest;
    const std::int64_t start = *guest.call(0, number::brk, 0);
    CHECK(start == 0x13000);  // after the last segment
    CHECK(guest.call(0, number::brk, start + 5000) == start + 5000);
    const auto heap = static_cast<std::uint64_t>(start);
    CHECK(guest.memory.allows(heap, 2 * page, Permission::read | Permission::write));
    store(guest, heap + page, 9);
    CHECK(guest.call(0, number::brk, start + 100) == start + 100);
    CHECK(guest.memory.find(heap + page) == nullptr);
    CHECK(guest.call(0, number::brk, start + 5000) == start + 5000);
    CHECK(guest.get<std::uint32_t>(heap + page) == 0);  // fresh again
    CHECK(map(guest, heap + 8 * page, page, 3, is_private | anonymous | fixed) == start + 8 * 4096);
    CHECK(guest.call(0, number::brk, start + 9 * 4096) == start + 5000);
    CHECK(guest.call(0, number::brk, start - 1) == start + 5000);
    CHECK(guest.call(0, number::brk, -1) == start + 5000);
}

TEST_CASE("anonymous memory is fresh, where asked for or from the top down") {
    Guest guest;
    const std::uint64_t a = map_some(guest, 3 * page), b = map_some(guest, 1);
    CHECK(b + page == a);
    CHECK(guest.memory.allows(b, page, Permission::write));
    CHECK(map(guest, 0x400000, page, 1, is_private | anonymous) == 0x400000);  // a hint
    CHECK(map(guest, 0x400fff, page, 1, is_private | anonymous) != 0x400000);  // taken
    CHECK(map(guest, 0x400000, page, 3, is_private | anonymous | no_replace) == -EEXIST);
    store(guest, a + page, 77);
    CHECK(map(guest, a + page, page, 2, is_private | anonymous | fixed) == static_cast<std::int64_t>(a + page));
    CHECK(guest.get<std::uint32_t>(a + page) == 0);
    CHECK(guest.memory.allows(a + page, 1, Permission::read));  // write implies read
    CHECK(map(guest, 0, 0, 3, is_private | anonymous) == -EINVAL);
    CHECK(map(guest, 0, page, 3, anonymous) == -EINVAL);
    CHECK(map(guest, 0, page, 9, is_private | anonymous) == -EINVAL);
    CHECK(map(guest, 1, page, 3, is_private | anonymous | fixed) == -EINVAL);
    CHECK(map(guest, 0, page, 3, is_private | anonymous | fixed) == -EPERM);
    CHECK(map(guest, 0, ~std::uint64_t{0}, 3, is_private | anonymous) == -ENOMEM);
    CHECK(map(guest, 0, std::uint64_t{17} << 30, 1, is_private | anonymous) == -ENOMEM);
    CHECK(map(guest, AddressSpace::limit - page, 2 * page, 3, is_private | anonymous | fixed) == -ENOMEM);
    CHECK(map(guest, 0, page, 3, is_private, 77) == -EBADF);
    CHECK(map(guest, 0, page, 3, is_private, 0) == -ENODEV);
}

// The memory has 16 GiB.
TEST_CASE("what is only reserved is no memory, until it is opened") {
    constexpr std::uint64_t gib = std::uint64_t{1} << 30;
    Guest guest;
    const std::uint64_t used = guest.memory.open_bytes();
    const auto reserved = static_cast<std::uint64_t>(map(guest, 0, 20 * gib, 0, is_private | anonymous));
    REQUIRE(reserved % page == 0);
    CHECK(guest.memory.open_bytes() == used);
    CHECK(guest.call(0, number::mprotect, reserved, 15 * gib, 3) == 0);
    CHECK(guest.memory.open_bytes() == used + 15 * gib);
    CHECK(guest.call(0, number::mprotect, reserved, 15 * gib + page, 1) == 0);  // most of it has been
    CHECK(guest.call(0, number::mprotect, reserved + 16 * gib, gib, 3) == -ENOMEM);
    CHECK(map(guest, 0, gib, 3, is_private | anonymous) == -ENOMEM);
    CHECK(map(guest, 0, gib, 0, is_private | anonymous) > 0);
    CHECK(guest.call(0, number::mprotect, reserved, 10 * gib, 0) == 0);
    CHECK(guest.call(0, number::mprotect, reserved + 16 * gib, gib, 3) == 0);
}

TEST_CASE("what is replaced, or has moved, counts once") {
    constexpr std::uint64_t gib = std::uint64_t{1} << 30;
    Guest guest;
    const std::uint64_t used = guest.memory.open_bytes(), large = map_some(guest, 9 * gib);
    CHECK(map(guest, large, 9 * gib, 3, is_private | anonymous | fixed) == static_cast<std::int64_t>(large));
    CHECK(map(guest, large, 17 * gib, 3, is_private | anonymous | fixed) == -ENOMEM);
    const auto moved = guest.call(0, number::mremap, large, 9 * gib, 10 * gib, 1);
    REQUIRE(moved > 0);
    CHECK(static_cast<std::uint64_t>(*moved) != large);
    CHECK(guest.memory.open_bytes() == used + 10 * gib);
    CHECK(guest.call(0, number::mremap, *moved, 10 * gib, 16 * gib, 1) == -ENOMEM);
    CHECK(guest.memory.open_bytes() == used + 10 * gib);
}

TEST_CASE("guard pages, protection and holes") {
    Guest guest;
    const auto stack = static_cast<std::uint64_t>(map(guest, 0, 4 * page, 0, is_private | anonymous));
    CHECK(guest.call(0, number::mprotect, stack + page, 3 * page, 3) == 0);
    CHECK_FALSE(guest.memory.allows(stack, 1, Permission::read));
    CHECK(guest.memory.allows(stack + page, 3 * page, Permission::write));
    store(guest, stack + page, 5);
    const auto in_memory = [&] {
        std::uint32_t value = 0;
        guest.memory.read_dram(stack + page, &value, 4);
        return value;
    };
    for (const int protection : {3, 7, 7}) {  // pages that allow no less than before stay in the caches
        CHECK(guest.call(0, number::mprotect, stack + page, 3 * page, protection) == 0);
        CHECK(in_memory() == 0);
    }
    CHECK(guest.call(0, number::mprotect, stack + page, page, 1) == 0);
    CHECK(guest.get<std::uint32_t>(stack + page) == 5);
    CHECK(in_memory() == 5);
    CHECK(guest.call(0, number::munmap, stack + 2 * page, page) == 0);
    CHECK(guest.call(0, number::mprotect, stack + page, 3 * page, 3) == -ENOMEM);
    CHECK(guest.call(0, number::mprotect, stack + 1, page, 3) == -EINVAL);
    CHECK(guest.call(0, number::munmap, stack + 2 * page, page) == 0);  // a hole already
    CHECK(guest.call(0, number::munmap, stack + 1, page) == -EINVAL);
    CHECK(guest.call(0, number::munmap, stack, 0) == -EINVAL);
    CHECK(guest.call(0, number::munmap, stack, ~std::uint64_t{0}) == -EINVAL);
}

TEST_CASE("MADV_DONTNEED zeroes, other advice does not") {
    Guest guest;
    const std::uint64_t memory = map_some(guest, 2 * page);
    store(guest, memory, 5);
    store(guest, memory + page, 6);
    CHECK(guest.call(0, number::madvise, memory, page, 3) == 0);
    CHECK(guest.get<std::uint32_t>(memory) == 5);
    CHECK(guest.call(0, number::madvise, memory, page, 4) == 0);
    CHECK(guest.get<std::uint32_t>(memory) == 0);
    CHECK(guest.get<std::uint32_t>(memory + page) == 6);
    CHECK(guest.call(0, number::madvise, memory, page, 6) == -EINVAL);
    CHECK(guest.call(0, number::madvise, std::uint64_t{1} << 36, page, 4) == -ENOMEM);
}

TEST_CASE("mremap shrinks, grows in place, and moves what is still in the caches") {
    Guest guest;
    const std::uint64_t high = map_some(guest, page);
    const std::uint64_t memory = map_some(guest, 4 * page);
    store(guest, memory, 1);
    store(guest, memory + page, 2);
    CHECK(guest.call(0, number::mremap, memory, 4 * page, 2 * page, 0) == static_cast<std::int64_t>(memory));
    CHECK(guest.memory.find(memory + 2 * page) == nullptr);
    CHECK(guest.call(0, number::mremap, memory, 2 * page, 4 * page, 0) == static_cast<std::int64_t>(memory));
    CHECK(guest.memory.allows(memory, 4 * page, Permission::write));
    CHECK(guest.call(0, number::mremap, memory, 4 * page, 8 * page, 0) == -ENOMEM);  // `high` is in the way
    const std::int64_t moved = *guest.call(0, number::mremap, memory, 4 * page, 8 * page, 1);
    REQUIRE(moved > 0);
    const auto place = static_cast<std::uint64_t>(moved);
    CHECK(place != memory);
    CHECK(guest.memory.find(memory) == nullptr);
    CHECK(guest.get<std::uint32_t>(place) == 1);
    CHECK(guest.get<std::uint32_t>(place + page) == 2);
    CHECK(guest.get<std::uint32_t>(place + 7 * page) == 0);
    const std::uint64_t target = 0x40000000;
    CHECK(guest.call(0, number::mremap, place, 8 * page, page, 3, target) == static_cast<std::int64_t>(target));
    CHECK(guest.get<std::uint32_t>(target) == 1);
    CHECK(guest.memory.find(place) == nullptr);
    CHECK(guest.memory.find(place + 7 * page) == nullptr);
    CHECK(guest.call(0, number::mremap, memory, page, 2 * page, 1) == -EFAULT);
    CHECK(guest.call(0, number::mremap, high + 1, page, 2 * page, 1) == -EINVAL);
    CHECK(guest.call(0, number::mremap, high, page, 0, 1) == -EINVAL);
    CHECK(guest.call(0, number::mremap, high, page, page, 3, high) == -EINVAL);
    CHECK(guest.call(0, number::mremap, high, page, std::uint64_t{17} << 30, 1) == -ENOMEM);
}

TEST_CASE("a file is mapped with its bytes and zeros after them") {
    TemporaryDirectory directory;
    std::ofstream(directory / "data") << std::string(5000, 'x') << "end";
    RunOptions options;
    options.directories = {{directory.path(), "/data"}};
    Guest guest(2, options);
    const std::int64_t fd = *guest.call(0, number::openat, Guest::cwd, guest.text(0, "/data/data"), 0, 0);
    REQUIRE(fd == 3);
    const auto whole = static_cast<std::uint64_t>(map(guest, 0, 3 * page, 1, is_private, fd));
    CHECK(guest.string(whole + 4998, 6) == std::string("xxend\0", 6));
    CHECK(guest.get<std::uint32_t>(whole + 2 * page) == 0);
    const auto second = static_cast<std::uint64_t>(map(guest, 0, 10, 3, is_private, fd, page));
    CHECK(guest.string(second + 904, 3) == "end");
    CHECK(map(guest, 0, page, 3, shared, fd) == -EACCES);
    CHECK(map(guest, 0, page, 1, shared, fd) > 0);
    CHECK(map(guest, 0, page, 1, is_private, fd, 7) == -EINVAL);
    CHECK(map(guest, 0, page, 1, is_private, fd, std::uint64_t{1} << 63) < 0);
    // A mapping outlives the descriptor.
    CHECK(guest.call(0, number::close, fd) == 0);
    CHECK(guest.string(whole, 2) == "xx");
}

TEST_CASE("pages that are closed and opened again keep what was written; pages that are replaced do not") {
    Guest guest;
    const std::uint64_t memory = map_some(guest, 2 * page);
    store(guest, memory, 5);
    CHECK(guest.call(0, number::mprotect, memory, 2 * page, 0) == 0);
    CHECK(guest.call(0, number::mprotect, memory, 2 * page, 3) == 0);
    CHECK(guest.get<std::uint32_t>(memory) == 5);
    CHECK(guest.call(0, number::munmap, memory, page) == 0);
    CHECK(map(guest, memory, 2 * page, 3, is_private | anonymous | fixed) == static_cast<std::int64_t>(memory));
    CHECK(guest.get<std::uint32_t>(memory) == 0);
    store(guest, memory, 6);
    const std::uint64_t other = map_some(guest, page);
    store(guest, other, 7);
    CHECK(guest.call(0, number::mremap, other, page, page, 3, memory) == static_cast<std::int64_t>(memory));
    CHECK(guest.get<std::uint32_t>(memory) == 7);
}
