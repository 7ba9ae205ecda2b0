// eventfd, timerfd, poll, select, epoll.

#include <doctest/doctest.h>

#include "waiting_test.hpp"

using namespace croftsim;

namespace {

struct Entry {
    std::int32_t fd;
    std::int16_t events, revents;
};

struct Event {
    std::uint32_t events, pad;
    std::uint64_t data;
};

struct EventGuest : Waiters {
    using Waiters::Waiters;
    std::optional<std::int64_t> put_count(std::uint32_t core, std::int64_t fd, std::uint64_t count) {
        return call(core, number::write, fd, put(0x100 + core * 8, count), 8);
    }
    std::optional<std::int64_t> take_count(std::uint32_t core, std::int64_t fd) { return read(core, fd, 8); }
    std::uint64_t count(std::uint32_t core) { return get<std::uint64_t>(room(core)); }

    std::int64_t control(std::int64_t list, int operation, std::int64_t fd, std::uint32_t events, std::uint64_t data) {
        return *call(0, number::epoll_ctl, list, operation, fd, put(0x200, Event{events, 0, data}));
    }
    std::optional<std::int64_t> await(std::uint32_t core, std::int64_t list, int milliseconds, int most = 8) {
        return call(core, number::epoll_pwait, list, room(core), most, milliseconds, 0, 8);
    }
    Event event(std::uint32_t core, int which = 0) { return get<Event>(room(core) + which * sizeof(Event)); }
    void set_timer(std::int64_t fd, std::int64_t first, std::int64_t interval, std::uint64_t flags = 0) {
        const std::uint64_t at = put(0x300, std::array<abi::Time, 2>{abi::Time{0, interval}, abi::Time{0, first}});
        REQUIRE(call(0, number::timerfd_settime, fd, flags, at, 0) == 0);
    }
};

constexpr std::uint32_t in = 1, out = 4, one_shot = 1u << 30, edge = 1u << 31;

}  // namespace

TEST_CASE("an event counter adds up, and a semaphore gives one at a time") {
    EventGuest guest;
    const std::int64_t fd = *guest.call(0, number::eventfd2, 3, 0);
    CHECK(guest.put_count(0, fd, 4) == 8);
    CHECK(guest.take_count(0, fd) == 8);
    CHECK(guest.count(0) == 7);
    CHECK(guest.take_count(1, fd) == std::nullopt);
    CHECK(guest.kernel->threads()[1].state == "waits for an eventfd");
    CHECK(guest.put_count(0, fd, 1) == 8);
    CHECK(guest.woken(1) == 8);
    CHECK(guest.put_count(0, fd, ~std::uint64_t{0} - 1) == 8);
    CHECK(guest.poll(static_cast<std::int32_t>(fd)) == in);
    CHECK(guest.put_count(1, fd, 1) == std::nullopt);
    CHECK(guest.take_count(0, fd) == 8);
    CHECK(guest.woken(1) == 8);
    CHECK(guest.put_count(0, fd, ~std::uint64_t{0}) == -EINVAL);
    CHECK(guest.read(0, fd, 7) == -EINVAL);

    const std::int64_t semaphore = *guest.call(0, number::eventfd2, 2, 1 | abi::o_nonblock);
    for (int i = 0; i < 2; ++i) {
        CHECK(guest.take_count(0, semaphore) == 8);
        CHECK(guest.count(0) == 1);
    }
    CHECK(guest.take_count(0, semaphore) == -EAGAIN);
    CHECK(guest.call(0, number::eventfd2, 0, 2) == -EINVAL);
}

TEST_CASE("a timer runs out at its time, and counts how often") {
    EventGuest guest;  // at 1 GHz: a cycle is a nanosecond
    const std::int64_t fd = *guest.call(0, number::timerfd_create, 1, 0);
    CHECK(guest.take_count(1, fd) == std::nullopt);
    guest.set_timer(fd, 1000, 500);
    guest.pass_time(999);
    CHECK(guest.woken(1) == std::nullopt);
    guest.pass_time(1000);
    CHECK(guest.woken(1) == 8);
    CHECK(guest.count(1) == 1);
    CHECK(guest.call(0, number::timerfd_gettime, fd, guest.scratch) == 0);
    CHECK(guest.get<std::uint64_t>(guest.scratch + 8) == 500);
    CHECK(guest.get<std::uint64_t>(guest.scratch + 24) == 500);
    guest.pass_time(2600);
    CHECK(guest.take_count(0, fd) == 8);
    CHECK(guest.count(0) == 3);
    CHECK(guest.kernel->next_timer() == Kernel::never);  // nobody waits
    guest.set_timer(fd, 0, 0);
    CHECK(guest.take_count(1, fd) == std::nullopt);
    CHECK(guest.kernel->next_timer() == Kernel::never);
    guest.set_timer(fd, 10, 0, 1);  // of the clock, and long ago
    CHECK(guest.woken(1) == 8);
    CHECK(guest.call(0, number::timerfd_create, 3, 0) == -EINVAL);
    CHECK(guest.call(0, number::timerfd_create, 8, 0) == -EPERM);
    CHECK(guest.call(0, number::timerfd_gettime, 1, guest.scratch) == -EINVAL);
    CHECK(guest.call(0, number::timerfd_settime, fd, 9, guest.scratch, 0) == -EINVAL);
}

TEST_CASE("poll waits for the first of several files, for a time") {
    EventGuest guest;
    const auto [reads, writes] = guest.pipe();
    const std::int64_t fd = *guest.call(0, number::eventfd2, 0, 0);
    const std::uint64_t entries = guest.put(
        0x400, std::array<Entry, 3>{Entry{reads, in, 9}, {static_cast<std::int32_t>(fd), in, 9}, {-1, in, 9}});
    const std::uint64_t time = guest.put(0x500, abi::Time{0, 5000});
    CHECK(guest.call(1, number::ppoll, entries, 3, time, 0, 8) == std::nullopt);
    CHECK(guest.kernel->threads()[1].state == "waits for one of several files");
    guest.pass_time(2000);
    CHECK(guest.put_count(0, fd, 1) == 8);
    CHECK(guest.woken(1) == 1);
    auto found = guest.get<std::array<Entry, 3>>(entries);
    CHECK(found[0].revents == 0);
    CHECK(found[1].revents == in);
    CHECK(found[2].revents == 0);
    CHECK(guest.get<abi::Time>(time).nanoseconds == 3000);
    CHECK(guest.take_count(0, fd) == 8);
    CHECK(guest.call(1, number::ppoll, entries, 3, time, 0, 8) == std::nullopt);
    guest.pass_time(4999);
    CHECK(guest.woken(1) == std::nullopt);
    guest.pass_time(5000);
    CHECK(guest.woken(1) == 0);
    CHECK(guest.get<abi::Time>(time).nanoseconds == 0);
    CHECK(guest.poll(99) == 0x20);
    CHECK(guest.poll(0) == 0x41);
}

TEST_CASE("select looks at three sets, and sleeps without any") {
    EventGuest guest;
    const auto [reads, writes] = guest.pipe();
    const std::uint64_t in_set = guest.put(0x400, std::uint64_t{1} << reads),
                        out_set = guest.put(0x408, std::uint64_t{1} << writes);
    CHECK(guest.call(0, number::pselect6, 5, in_set, out_set, 0, 0, 0) == 1);
    CHECK(guest.get<std::uint64_t>(in_set) == 0);
    CHECK(guest.get<std::uint64_t>(out_set) == std::uint64_t{1} << writes);
    guest.put(0x400, std::uint64_t{1} << reads);
    CHECK(guest.call(1, number::pselect6, 5, in_set, 0, 0, 0, 0) == std::nullopt);
    CHECK(guest.write(0, writes, "x") == 1);
    CHECK(guest.woken(1) == 1);
    const std::uint64_t time = guest.put(0x500, abi::Time{0, 700});
    CHECK(guest.call(1, number::pselect6, 0, 0, 0, 0, time, 0) == std::nullopt);
    CHECK(guest.kernel->threads()[1].state == "sleeps until cycle 700");
    guest.pass_time(700);
    CHECK(guest.woken(1) == 0);
    guest.put(0x400, std::uint64_t{1} << 60);
    CHECK(guest.call(0, number::pselect6, 61, in_set, 0, 0, time, 0) == -EBADF);
    CHECK(guest.call(0, number::pselect6, -1, in_set, 0, 0, time, 0) == -EINVAL);
    CHECK(guest.call(0, number::pselect6, 5, 16, 0, 0, time, 0) == -EFAULT);
}

TEST_CASE("epoll tells of what is so, of what changes, or once") {
    EventGuest guest;
    const auto [reads, writes] = guest.pipe();
    const std::int64_t list = *guest.call(0, number::epoll_create1, 0);
    CHECK(guest.control(list, 1, reads, in, 77) == 0);
    CHECK(guest.await(0, list, 0) == 0);
    CHECK(guest.await(1, list, -1) == std::nullopt);
    CHECK(guest.write(0, writes, "x") == 1);
    REQUIRE(guest.woken(1) == 1);
    CHECK(guest.event(1).data == 77);
    CHECK(guest.event(1).events == in);
    CHECK(guest.await(0, list, 0) == 1);  // it still is
    CHECK(guest.poll(static_cast<std::int32_t>(list)) == 0x41);

    CHECK(guest.control(list, 3, reads, in | edge, 78) == 0);
    CHECK(guest.await(0, list, 0) == 1);
    CHECK(guest.await(0, list, 0) == 0);  // told
    CHECK(guest.write(0, writes, "y") == 1);
    CHECK(guest.await(0, list, 0) == 1);  // anew

    CHECK(guest.control(list, 3, reads, in | one_shot, 79) == 0);
    CHECK(guest.await(0, list, 0) == 1);
    CHECK(guest.write(0, writes, "z") == 1);
    CHECK(guest.await(0, list, 0) == 0);
    CHECK(guest.control(list, 3, reads, in | one_shot, 79) == 0);
    CHECK(guest.await(0, list, 0) == 1);

    CHECK(guest.control(list, 1, writes, out, 80) == 0);
    CHECK(guest.await(0, list, 0) == 1);
    CHECK(guest.event(0).data == 80);
    CHECK(guest.call(0, number::close, reads) == 0);  // the list forgets it
    CHECK(guest.await(0, list, 0) == 1);
    CHECK(guest.event(0).events == (out | 8));
    CHECK(guest.control(list, 2, writes, 0, 0) == 0);
    CHECK(guest.await(1, list, 1) == std::nullopt);
    guest.pass_time(1'000'000);
    CHECK(guest.woken(1) == 0);
}

TEST_CASE("a list tells of all its files in turn") {
    EventGuest guest;
    const std::int64_t list = *guest.call(0, number::epoll_create1, 0);
    for (std::uint64_t i = 0; i < 3; ++i) {
        const std::int64_t fd = *guest.call(0, number::eventfd2, 1, 0);
        CHECK(guest.control(list, 1, fd, in, i) == 0);
    }
    std::string order;
    for (int i = 0; i < 6; ++i) {
        CHECK(guest.await(0, list, 0, 1) == 1);
        order += std::to_string(guest.event(0).data);
    }
    CHECK(order == "012012");
}

TEST_CASE("lists of lists, but in no circle") {
    EventGuest guest;
    const auto [reads, writes] = guest.pipe();
    const std::int64_t inner = *guest.call(0, number::epoll_create1, 0),
                       outer = *guest.call(0, number::epoll_create1, 0);
    CHECK(guest.control(inner, 1, reads, in, 1) == 0);
    CHECK(guest.control(outer, 1, inner, in, 2) == 0);
    CHECK(guest.control(inner, 1, outer, in, 3) == -ELOOP);
    CHECK(guest.control(inner, 1, inner, in, 3) == -EINVAL);
    CHECK(guest.await(1, outer, -1) == std::nullopt);
    CHECK(guest.write(0, writes, "x") == 1);
    REQUIRE(guest.woken(1) == 1);
    CHECK(guest.event(1).data == 2);
}

TEST_CASE("what a list refuses") {
    EventGuest guest;
    const auto [reads, writes] = guest.pipe();
    const std::int64_t list = *guest.call(0, number::epoll_create1, abi::o_close_on_exec);
    const std::int64_t memory = *guest.call(0, number::memfd_create, guest.text(0, "m"), 0);
    CHECK(guest.control(list, 1, memory, in, 1) == -EPERM);
    CHECK(guest.control(list, 1, 99, in, 1) == -EBADF);
    CHECK(guest.control(99, 1, reads, in, 1) == -EBADF);
    CHECK(guest.control(writes, 1, reads, in, 1) == -EINVAL);
    CHECK(guest.control(list, 2, reads, in, 1) == -ENOENT);
    CHECK(guest.control(list, 3, reads, in, 1) == -ENOENT);
    CHECK(guest.control(list, 7, reads, in, 1) == -EINVAL);
    CHECK(guest.control(list, 1, reads, in, 1) == 0);
    CHECK(guest.control(list, 1, reads, in, 1) == -EEXIST);
    CHECK(guest.call(0, number::epoll_ctl, list, 1, writes, 16) == -EFAULT);
    CHECK(guest.await(0, list, 0, 0) == -EINVAL);
    CHECK(guest.await(0, writes, 0, 1) == -EINVAL);
    CHECK(guest.call(0, number::epoll_pwait, list, 16, 1, 0, 0, 8) == -EFAULT);
    CHECK(guest.call(0, number::epoll_create1, 1) == -EINVAL);
    CHECK(guest.read(0, list) == -EINVAL);
}

TEST_CASE("a timer that nobody reads tells whoever asks for changes each time") {
    EventGuest guest;
    const std::int64_t list = *guest.call(0, number::epoll_create1, 0),
                       fd = *guest.call(0, number::timerfd_create, 1, 0);
    CHECK(guest.control(list, 1, fd, in | edge, 1) == 0);
    guest.set_timer(fd, 100, 100);
    for (std::uint64_t round = 1; round < 4; ++round) {
        CHECK(guest.await(1, list, -1) == std::nullopt);
        guest.pass_time(round * 100 - 1);
        CHECK(guest.woken(1) == std::nullopt);
        guest.pass_time(round * 100);
        CHECK(guest.woken(1) == 1);
    }
}
