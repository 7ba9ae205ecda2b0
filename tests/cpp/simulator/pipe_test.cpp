#include <doctest/doctest.h>

#include "waiting_test.hpp"

using namespace croftsim;

TEST_CASE("a reader waits for bytes, and gets what there is") {
    Waiters guest;
    const auto [reads, writes] = guest.pipe();
    CHECK(reads == 3);
    CHECK(writes == 4);
    CHECK(guest.read(1, reads) == std::nullopt);
    CHECK(guest.read(2, reads, 3) == std::nullopt);
    CHECK(guest.write(0, writes, "hello") == 5);
    REQUIRE(guest.woken(1) == 5);
    CHECK(guest.has_read(1) == "hello");
    CHECK(guest.woken(2) == std::nullopt);
    CHECK(guest.write(0, writes, "world") == 5);
    REQUIRE(guest.woken(2) == 3);
    CHECK(guest.has_read(2) == "wor");
    CHECK(guest.read(2, reads) == 2);
    CHECK(guest.machine.resumed.back() == 2);
}

TEST_CASE("the thread that began to wait first is the first to read") {
    Waiters guest(4);
    const auto [reads, writes] = guest.pipe();
    for (const std::uint32_t core : {2u, 1u, 3u}) CHECK(guest.read(core, reads, 1) == std::nullopt);
    guest.machine.resumed.clear();
    CHECK(guest.write(0, writes, "abc") == 3);
    CHECK(guest.machine.resumed == std::vector<std::uint32_t>{0, 2, 1, 3});
    CHECK(guest.has_read(2) + guest.has_read(1) + guest.has_read(3) == "abc");
}

TEST_CASE("a pipe without writers ends, and one without readers breaks") {
    Waiters guest;
    const auto [reads, writes] = guest.pipe();
    CHECK(guest.read(1, reads) == std::nullopt);
    CHECK(guest.poll(reads) == 0);
    CHECK(guest.call(0, number::dup, writes) == 5);
    CHECK(guest.call(0, number::close, writes) == 0);
    CHECK(guest.woken(1) == std::nullopt);
    CHECK(guest.call(0, number::close, 5) == 0);
    CHECK(guest.woken(1) == 0);
    CHECK(guest.poll(reads) == 0x10);

    const auto [other_reads, other_writes] = guest.pipe();
    CHECK(guest.call(0, number::close, other_reads) == 0);
    CHECK(guest.poll(other_writes) == 0x10c);  // writable, and in error
    CHECK_THROWS_WITH_AS(guest.write(0, other_writes, "x"), "the program was ended by SIGPIPE", GuestFault);

    Waiters ignores;
    const auto [third_reads, third_writes] = ignores.pipe();
    const std::uint64_t action = ignores.put(0, std::array<std::uint64_t, 3>{1, 0, 0});
    CHECK(ignores.call(0, number::rt_sigaction, 13, action, 0, 8) == 0);
    CHECK(ignores.call(0, number::close, third_reads) == 0);
    CHECK(ignores.write(0, third_writes, "x") == -EPIPE);
    CHECK(ignores.write(0, third_writes, "") == 0);
}

TEST_CASE("a full pipe makes writers wait, and writes of a page are never cut") {
    Waiters guest;
    const auto [reads, writes] = guest.pipe();
    CHECK(guest.write(0, writes, std::string(65536, 'a')) == 65536);
    CHECK(guest.poll(writes) == 0);
    CHECK(guest.write(1, writes, std::string(4096, 'b')) == std::nullopt);
    CHECK(guest.read(0, reads, 4095) == 4095);
    CHECK(guest.woken(1) == std::nullopt);
    CHECK(guest.read(0, reads, 1) == 1);
    CHECK(guest.woken(1) == 4096);

    // One of more than a page goes in pieces, and ends when all is written.
    CHECK(guest.write(2, writes, std::string(100'000, 'c')) == std::nullopt);
    std::int64_t taken = 0;
    while (!guest.woken(2)) taken += *guest.read(0, reads, 4096);
    CHECK(guest.woken(2) == 100'000);
    CHECK(taken == 4096 * 25);  // pages that had to become free
}

TEST_CASE("a pipe that must not make anybody wait") {
    Waiters guest;
    const auto [reads, writes] = guest.pipe(abi::o_nonblock | abi::o_close_on_exec);
    CHECK(guest.call(0, number::fcntl, reads, 1) == 1);
    CHECK(guest.read(0, reads) == -EAGAIN);
    CHECK(guest.write(0, writes, std::string(70'000, 'a')) == 65536);
    CHECK(guest.write(0, writes, "b") == -EAGAIN);
    CHECK(guest.call(0, number::ioctl, reads, 0x541b, guest.scratch) == 0);
    CHECK(guest.get<std::int32_t>(guest.scratch) == 65536);
    CHECK(guest.call(0, number::fcntl, writes, 1032) == 65536);
    CHECK(guest.call(0, number::fcntl, writes, 1031, 100'000) == 131072);
    CHECK(guest.call(0, number::fcntl, writes, 1031, 4096) == -EBUSY);
    CHECK(guest.write(0, writes, "b") == 1);
    guest.put(0, std::int32_t{0});
    CHECK(guest.call(0, number::ioctl, reads, 0x5421, guest.scratch) == 0);
    CHECK(guest.call(0, number::fcntl, reads, 3) == 0);
}

TEST_CASE("what a pipe is not") {
    Waiters guest;
    const auto [reads, writes] = guest.pipe();
    CHECK(guest.call(0, number::pipe2, guest.scratch, 040000) == -EINVAL);
    CHECK(guest.call(0, number::pipe2, 16, 0) == -EFAULT);
    CHECK(guest.call(0, number::lseek, reads, 0, 0) == -ESPIPE);
    CHECK(guest.call(0, number::pread64, reads, guest.scratch, 1, 0) == -ESPIPE);
    CHECK(guest.call(0, number::ftruncate, writes, 0) == -EINVAL);
    CHECK(guest.write(0, reads, "x") == -EBADF);
    CHECK(guest.read(0, writes) == -EBADF);
    CHECK(guest.call(0, number::mmap, 0, 4096, 1, 2, reads, 0) == -ENODEV);
    CHECK(guest.call(0, number::write, writes, 16, 5) == -EFAULT);
    CHECK(guest.call(0, number::fstat, reads, guest.scratch + 64) == 0);
    CHECK((guest.get<abi::Stat>(guest.scratch + 64).mode & 0170000) == 0010000);
    CHECK(guest.call(0, number::fstat, writes, guest.scratch + 256) == 0);
    CHECK(guest.get<abi::Stat>(guest.scratch + 64).ino == guest.get<abi::Stat>(guest.scratch + 256).ino);
}

TEST_CASE("a descriptor that is closed while a thread waits for it") {
    Waiters guest;
    const auto [reads, writes] = guest.pipe();
    CHECK(guest.read(1, reads) == std::nullopt);
    CHECK(guest.call(0, number::close, reads) == 0);
    CHECK(guest.woken(1) == -EBADF);
    CHECK(guest.kernel->threads()[1].state.empty());
}

TEST_CASE("a report says what a thread waits for") {
    Waiters guest;
    const auto [reads, writes] = guest.pipe();
    CHECK(guest.read(1, reads) == std::nullopt);
    CHECK(guest.kernel->threads()[1].state == "waits for a pipe");
}
