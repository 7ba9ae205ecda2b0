// System calls that only ask: about groups, capabilities, memory policies, volumes, attributes.

#include <doctest/doctest.h>

#include "guest.hpp"

using namespace croftsim;

TEST_CASE("the process leads its group and its session, and stays who it is") {
    Guest guest;
    for (const auto which : {number::getpgid, number::getsid}) {
        CHECK(guest.call(0, which, 0) == 1);
        CHECK(guest.call(0, which, 1) == 1);
        CHECK(guest.call(0, which, 2) == -ESRCH);
        CHECK(guest.call(0, which, -1) == -ESRCH);
    }
    CHECK(guest.call(0, number::setpgid, 0, 0) == -EPERM);
    CHECK(guest.call(0, number::setpgid, 0, -1) == -EINVAL);
    CHECK(guest.call(0, number::setpgid, 9, 0) == -ESRCH);
    CHECK(guest.call(0, number::setsid) == -EPERM);
    CHECK(guest.call(0, number::setuid, 1000) == 0);
    CHECK(guest.call(0, number::setuid, 0) == -EPERM);
    CHECK(guest.call(0, number::setuid, -1) == -EINVAL);
    CHECK(guest.call(0, number::setresuid, -1, 1000, -1) == 0);
    CHECK(guest.call(0, number::setresuid, -1, 1000, 0) == -EPERM);
}

TEST_CASE("nobody has a capability") {
    Guest guest;
    const std::uint64_t header = guest.put(0, std::array<std::uint32_t, 2>{0x20080522, 0});
    guest.put(64, std::array<std::uint32_t, 6>{9, 9, 9, 9, 9, 9});
    CHECK(guest.call(0, number::capget, header, guest.scratch + 64) == 0);
    CHECK(guest.get<std::array<std::uint32_t, 6>>(guest.scratch + 64) == std::array<std::uint32_t, 6>{});
    CHECK(guest.call(0, number::capset, header, guest.scratch + 64) == 0);
    guest.put(64, std::uint32_t{1});
    CHECK(guest.call(0, number::capset, header, guest.scratch + 64) == -EPERM);
    guest.put(0, std::array<std::uint32_t, 2>{1, 0});
    CHECK(guest.call(0, number::capget, header, 0) == 0);
    CHECK(guest.get<std::uint32_t>(header) == 0x20080522);
    guest.put(0, std::array<std::uint32_t, 2>{1, 0});
    CHECK(guest.call(0, number::capget, header, guest.scratch + 64) == -EINVAL);
}

TEST_CASE("memory has one node") {
    Guest guest;
    const std::uint64_t mode = guest.put(0, std::uint32_t{7}), mask = guest.put(8, std::uint64_t{7});
    CHECK(guest.call(0, number::get_mempolicy, mode, mask, 64, 0, 0) == 0);
    CHECK(guest.get<std::uint32_t>(mode) == 0);
    CHECK(guest.get<std::uint64_t>(mask) == 0);
    CHECK(guest.call(0, number::get_mempolicy, 0, mask, 64, 0, 4) == 0);
    CHECK(guest.get<std::uint64_t>(mask) == 1);
    CHECK(guest.call(0, number::get_mempolicy, mode, 0, 0, guest.scratch, 3) == 0);
    CHECK(guest.call(0, number::get_mempolicy, mode, 0, 0, 16, 3) == -EFAULT);
    CHECK(guest.call(0, number::get_mempolicy, mode, 0, 0, 0, 8) == -EINVAL);
    CHECK(guest.call(0, number::get_mempolicy, mode, mask, 0, 0, 0) == -EINVAL);
    guest.put(8, std::uint64_t{1});
    CHECK(guest.call(0, number::mbind, guest.scratch, 4096, 2, mask, 64, 0) == 0);
    CHECK(guest.call(0, number::mbind, guest.scratch, 4096, 1, 0, 0, 0) == 0);
    CHECK(guest.call(0, number::mbind, guest.scratch, 4096, 2, 0, 0, 0) == -EINVAL);
    CHECK(guest.call(0, number::mbind, guest.scratch + 1, 4096, 0, 0, 0, 0) == -EINVAL);
    CHECK(guest.call(0, number::mbind, guest.scratch, 4096, 0, 0, 0, 4) == -EPERM);
    CHECK(guest.call(0, number::mbind, 4096, 4096, 0, 0, 0, 0) == -EFAULT);
    guest.put(8, std::uint64_t{2});
    CHECK(guest.call(0, number::set_mempolicy, 2, mask, 64) == -EINVAL);
    CHECK(guest.call(0, number::set_mempolicy, 99, 0, 0) == -EINVAL);
    CHECK(guest.call(0, number::set_mempolicy, 0, 0, 0) == 0);
}

TEST_CASE("pages are resident once they have been used") {
    Guest guest;
    guest.put(4096, 1);
    CHECK(guest.call(0, number::mincore, guest.scratch, 3 * 4096 - 1, guest.scratch + 4096) == 0);
    CHECK(guest.get<std::array<std::uint8_t, 3>>(guest.scratch + 4096) == std::array<std::uint8_t, 3>{0, 1, 0});
    CHECK(guest.call(0, number::mincore, guest.scratch + 1, 4096, guest.scratch) == -EINVAL);
    CHECK(guest.call(0, number::mincore, 4096, 4096, guest.scratch) == -ENOMEM);
    CHECK(guest.call(0, number::mincore, guest.scratch, 4096, 16) == -EFAULT);
}

TEST_CASE("every thread has the usual policy") {
    Guest guest;
    const std::uint64_t at = guest.put(0, std::array<std::uint32_t, 14>{});
    CHECK(guest.call(0, number::sched_getattr, 0, at, 48, 0) == 0);
    CHECK(guest.get<std::uint32_t>(at) == 48);
    CHECK(guest.call(0, number::sched_getattr, 0, at, 47, 0) == -EINVAL);
    CHECK(guest.call(0, number::sched_getattr, 99, at, 48, 0) == -ESRCH);
    CHECK(guest.call(0, number::sched_setattr, 0, at, 0) == 0);
    guest.put(4, std::uint32_t{1});  // SCHED_FIFO
    CHECK(guest.call(0, number::sched_setattr, 0, at, 0) == -EPERM);
    guest.put(4, std::uint32_t{7});
    CHECK(guest.call(0, number::sched_setattr, 0, at, 0) == -EINVAL);
    CHECK(guest.call(0, number::sched_rr_get_interval, 0, at) == 0);
}

TEST_CASE("files have no attributes, and lie on a volume of which little is told") {
    Guest guest;
    const std::uint64_t root = guest.text(0, "/"), name = guest.text(64, "user.name"), to = guest.scratch + 1024;
    CHECK(guest.call(0, number::listxattr, root, to, 99) == 0);
    CHECK(guest.call(0, number::getxattr, root, name, to, 99) == -ENODATA);
    CHECK(guest.call(0, number::setxattr, root, name, to, 9, 0) == -EOPNOTSUPP);
    CHECK(guest.call(0, number::getxattr, root, guest.text(128, "none"), to, 99) == -EOPNOTSUPP);
    CHECK(guest.call(0, number::getxattr, root, guest.text(128, ""), to, 99) == -ERANGE);
    CHECK(guest.call(0, number::listxattr, guest.text(128, "/none"), to, 99) == -ENOENT);
    CHECK(guest.call(0, number::statfs, root, to) == 0);
    CHECK(guest.get<std::uint64_t>(to) == 0x01021994);
    CHECK(guest.get<std::uint64_t>(to + 8) == 4096);
    CHECK(guest.call(0, number::statfs, guest.text(128, "/none"), to) == -ENOENT);
    CHECK(guest.call(0, number::fstatfs, 1, to) == 0);
    CHECK(guest.call(0, number::fstatfs, 9, to) == -EBADF);
    CHECK(guest.call(0, number::inotify_init1, 0) == -EMFILE);
}

TEST_CASE("a file in memory") {
    Guest guest;
    const std::int64_t fd = *guest.call(0, number::memfd_create, guest.text(0, "name"), 1);
    CHECK(fd == 3);
    CHECK(guest.call(0, number::fcntl, fd, 1) == 1);
    const std::uint64_t text = guest.text(64, "in memory");
    CHECK(guest.call(0, number::write, fd, text, 9) == 9);
    CHECK(guest.call(0, number::fallocate, fd, 0, 0, 8192) == 0);
    CHECK(guest.call(0, number::fallocate, fd, 0, -1, 8192) == -EINVAL);
    CHECK(guest.call(0, number::fallocate, fd, 3, 0, 8192) == -EOPNOTSUPP);
    CHECK(guest.call(0, number::lseek, fd, 0, 2) == 8192);
    const std::int64_t mapped = *guest.call(0, number::mmap, 0, 8192, 3, 2, fd, 0);
    CHECK(guest.string(static_cast<std::uint64_t>(mapped), 9) == "in memory");
    guest.put(128, std::array<std::uint64_t, 2>{guest.scratch + 512, 4});
    CHECK(guest.call(0, number::preadv2, fd, guest.scratch + 128, 1, 3, 0, 0) == 4);
    CHECK(guest.string(guest.scratch + 512, 4) == "memo");
    CHECK(guest.call(0, number::lseek, fd, 1, 0) == 1);
    CHECK(guest.call(0, number::preadv2, fd, guest.scratch + 128, 1, -1, 0, 0) == 4);
    CHECK(guest.string(guest.scratch + 512, 4) == "n me");
    CHECK(guest.call(0, number::preadv2, fd, guest.scratch + 128, 1, 0, 0, 64) == -EOPNOTSUPP);
    CHECK(guest.call(0, number::memfd_create, guest.text(0, std::string(250, 'x')), 0) == -EINVAL);
    CHECK(guest.call(0, number::memfd_create, guest.text(0, "name"), 4) == -EINVAL);
}

TEST_CASE("a range of descriptors is closed") {
    Guest guest;
    for (int i = 0; i < 4; ++i) CHECK(guest.call(0, number::dup, 1) == 3 + i);
    CHECK(guest.call(0, number::close_range, 5, 4, 0) == -EINVAL);
    CHECK(guest.call(0, number::close_range, 4, 5, 8) == -EINVAL);
    CHECK(guest.call(0, number::close_range, 6, ~0u, 4) == 0);
    CHECK(guest.call(0, number::fcntl, 6, 1) == 1);
    CHECK(guest.call(0, number::close_range, 4, 5, 0) == 0);
    CHECK(guest.call(0, number::fcntl, 3, 1) == 0);
    CHECK(guest.call(0, number::fcntl, 4, 1) == -EBADF);
    CHECK(guest.call(0, number::fcntl, 5, 1) == -EBADF);
    CHECK(guest.call(0, number::fcntl, 6, 1) == 1);
}
