#include "kernel/kernel.hpp"

#include <doctest/doctest.h>

#include "guest.hpp"

using namespace croftsim;

namespace {

constexpr std::uint64_t stack = 3, mebibyte = 1 << 20, unlimited = ~std::uint64_t{0};

using Limits = std::array<std::uint64_t, 2>;

}  // namespace

TEST_CASE("the first thread's stack grows to its limit") {
    Guest guest;
    const std::uint64_t sp = guest.machine.harts[0].x[2];
    constexpr std::uint8_t usable = Permission::read | Permission::write;
    CHECK_FALSE(guest.memory.allows(sp - 60 * mebibyte, 8, usable));
    CHECK(guest.call(0, number::setrlimit, stack, guest.put(0, Limits{64 * mebibyte, unlimited})) == 0);
    CHECK(guest.call(0, number::getrlimit, stack, guest.scratch + 64) == 0);
    CHECK(guest.get<Limits>(guest.scratch + 64) == Limits{64 * mebibyte, unlimited});
    CHECK(guest.memory.allows(sp - 60 * mebibyte, 60 * mebibyte, usable));
    // A lower limit takes nothing away.
    CHECK(guest.call(0, number::prlimit64, 0, stack, guest.put(0, Limits{mebibyte, 128 * mebibyte}),
                     guest.scratch + 64) == 0);
    CHECK(guest.get<Limits>(guest.scratch + 64) == Limits{64 * mebibyte, unlimited});
    CHECK(guest.memory.allows(sp - 60 * mebibyte, 8, usable));
    CHECK(guest.call(0, number::setrlimit, stack, guest.put(0, Limits{unlimited, unlimited})) == -EPERM);
    CHECK(guest.call(0, number::setrlimit, stack, guest.put(0, Limits{9, 8})) == -EINVAL);
    CHECK(guest.call(0, number::setrlimit, 99, guest.scratch) == -EINVAL);
    CHECK(guest.call(0, number::setrlimit, stack, 16) == -EFAULT);
}

TEST_CASE("without a limit the stack takes what there is for it") {
    Guest guest;
    CHECK(guest.call(0, number::setrlimit, stack, guest.put(0, Limits{unlimited, unlimited})) == 0);
    CHECK(guest.memory.allows(guest.machine.harts[0].x[2] - 1000 * mebibyte, 8, Permission::write));
    CHECK_FALSE(guest.memory.allows(AddressSpace::mmap_top, 8, Permission::none));
}

TEST_CASE("what is in the stack's way keeps it small") {
    Guest guest;
    const std::uint64_t in_way = (guest.machine.harts[0].x[2] - 20 * mebibyte) / 4096 * 4096;
    CHECK(guest.call(0, number::mmap, in_way, 4096, 3, 0x32, -1, 0) == static_cast<std::int64_t>(in_way));
    CHECK(guest.call(0, number::setrlimit, stack, guest.put(0, Limits{64 * mebibyte, unlimited})) == -ENOMEM);
    CHECK(guest.call(0, number::getrlimit, stack, guest.scratch + 64) == 0);
    CHECK(guest.get<Limits>(guest.scratch + 64) == Limits{8 * mebibyte, unlimited});
}

TEST_CASE("a stack that overflows is told from any other wild access") {
    Guest guest;
    const GuestFault wild(0, "wild access: a store of 8 bytes at 0x10, where there is no memory", 139);
    CHECK(guest.kernel->sentence_for(wild) == wild.what());
    std::uint64_t& sp = guest.machine.harts[0].x[2];
    sp = AddressSpace::limit - 4096 - 8 * mebibyte - 16;
    CHECK(guest.kernel->sentence_for(wild) ==
          "stack overflow: thread 1 has a stack of 8192 KiB, and its stack pointer is at 0x3fff7feff0, below that");
    const GuestFault other(0, "the program was ended by SIGABRT (abort())", 134);
    CHECK(guest.kernel->sentence_for(other) == other.what());
    sp = 0x10;
    CHECK(guest.kernel->sentence_for(wild) == wild.what());
}
