#include <doctest/doctest.h>

#include "guest.hpp"
#include "kernel/futex.hpp"

using namespace croftsim;
using Ids = std::vector<std::uint32_t>;

namespace {

enum : std::uint64_t {
    wait = 0,
    wake = 1,
    requeue = 3,
    compare_requeue = 4,
    wake_op = 5,
    wait_bits = 9,
    wake_bits = 10,
    lock_pi = 6,
    is_private = 128,
    realtime = 256
};

// Four threads on cores 0..3, and a word that holds 5.
struct Fixture {
    Guest guest{4};
    std::uint64_t word = guest.put(0, std::uint32_t{5});
    std::uint64_t other = guest.put(64, std::uint32_t{7});

    Fixture() {
        for (int i = 0; i < 3; ++i) guest.start_thread(0);
    }
    std::optional<std::int64_t> wait_on(std::uint32_t core, std::uint64_t address, std::uint32_t value,
                                        std::uint64_t timeout = 0) {
        return guest.call(core, number::futex, address, wait | is_private, value, timeout);
    }
};

}  // namespace

TEST_CASE("the queue of a futex wakes in the order of arrival") {
    FutexQueue queue;
    for (std::uint32_t thread : {3, 1, 2}) queue.add(thread, 100, FutexQueue::any);
    queue.add(9, 200, FutexQueue::any);
    CHECK(queue.take(100, 2) == Ids{3, 1});
    CHECK(queue.take(100, 9) == Ids{2});
    CHECK(queue.take(100, 9).empty());
    queue.remove(9);
    CHECK(queue.take(200, 9).empty());
}

TEST_CASE("requeued threads come after those that wait there already, in their order") {
    FutexQueue queue;
    queue.add(1, 200, FutexQueue::any);
    for (std::uint32_t thread : {5, 4, 3}) queue.add(thread, 100, FutexQueue::any);
    CHECK(queue.requeue(100, 200, 2) == Ids{5, 4});
    CHECK(queue.take(200, 9) == Ids{1, 5, 4});
    CHECK(queue.take(100, 9) == Ids{3});
}

TEST_CASE_FIXTURE(Fixture, "a futex wait sleeps only while the word has the value") {
    CHECK(wait_on(1, word, 6) == -EAGAIN);
    CHECK(wait_on(1, word, 5) == std::nullopt);
    const auto threads = guest.kernel->threads();
    REQUIRE(threads.size() == 4);
    CHECK(threads[1].state == "waits in futex");
    CHECK(threads[1].address == word);
    CHECK(threads[0].state.empty());
    CHECK(guest.call(0, number::futex, other, wake, 1) == 0);
    CHECK(guest.call(0, number::futex, word, wake, 1) == 1);
    CHECK(guest.woken(1) == 0);
    CHECK(guest.call(0, number::futex, word, wake, 1) == 0);
}

TEST_CASE_FIXTURE(Fixture, "a wake takes as many as it is asked for, the longest waiting first") {
    for (std::uint32_t core : {3, 1, 2}) wait_on(core, word, 5);
    CHECK(guest.call(0, number::futex, word, wake | is_private, 2) == 2);
    CHECK(guest.woken(3) == 0);
    CHECK(guest.woken(1) == 0);
    CHECK_FALSE(guest.woken(2));
    CHECK(guest.call(0, number::futex, word, wake, 0x7fffffff) == 1);
    CHECK(guest.woken(2) == 0);
}

TEST_CASE_FIXTURE(Fixture, "bad futex calls fail as in Linux") {
    CHECK(wait_on(1, word + 2, 5) == -EINVAL);
    CHECK(wait_on(1, 0, 5) == -EFAULT);
    CHECK(wait_on(1, ~std::uint64_t{0} & ~std::uint64_t{3}, 5) == -EFAULT);
    CHECK(wait_on(1, word, 5, 8) == -EFAULT);
    CHECK(wait_on(1, word, 5, guest.put(128, abi::Time{0, 1'000'000'000})) == -EINVAL);
    CHECK(wait_on(1, word, 5, guest.put(128, abi::Time{-1, 0})) == -EINVAL);
    CHECK(guest.call(1, number::futex, word, wait_bits, 5, 0, 0, 0) == -EINVAL);
    CHECK(guest.call(1, number::futex, word, wake_bits, 5, 0, 0, 0) == -EINVAL);
    CHECK(guest.call(1, number::futex, word, lock_pi, 5) == -ENOSYS);
    CHECK(guest.call(1, number::futex, word, 99, 5) == -ENOSYS);
    CHECK(guest.call(1, number::futex, word, requeue, -1, 1, other) == -EINVAL);
}

TEST_CASE_FIXTURE(Fixture, "a relative timeout ends a wait at its cycle, and not a wake's") {
    guest.machine.time = 1000;
    const std::uint64_t time = guest.put(128, abi::Time{0, 500});
    CHECK(wait_on(1, word, 5, time) == std::nullopt);
    CHECK(wait_on(2, word, 5, time) == std::nullopt);
    CHECK(guest.kernel->next_timer() == 1500);
    guest.pass_time(1200);
    CHECK(guest.call(0, number::futex, word, wake, 1) == 1);
    CHECK(guest.woken(1) == 0);
    guest.pass_time(1499);
    CHECK_FALSE(guest.woken(2));
    guest.pass_time(1500);
    CHECK(guest.woken(2) == -ETIMEDOUT);
    CHECK(guest.woken(1) == 0);
    CHECK(guest.kernel->next_timer() == Kernel::never);
    CHECK(guest.call(0, number::futex, word, wake, 9) == 0);  // it does not wait any more
}

TEST_CASE_FIXTURE(Fixture, "an absolute timeout is a time of its clock") {
    guest.machine.time = 1000;
    const auto wait_until = [&](std::uint32_t core, std::uint64_t flags, abi::Time time) {
        return guest.call(core, number::futex, word, wait_bits | flags, 5, guest.put(128, time), 0, 0xffffffff);
    };
    CHECK(wait_until(1, 0, {0, 1000}) == -ETIMEDOUT);  // it is that time already
    CHECK(wait_until(1, 0, {0, 2000}) == std::nullopt);
    CHECK(wait_until(2, realtime, {946'684'800, 3000}) == std::nullopt);
    CHECK(wait_until(3, realtime, {946'684'799, 999'999'999}) == -ETIMEDOUT);
    CHECK(guest.kernel->next_timer() == 2000);
    guest.pass_time(2000);
    CHECK(guest.woken(1) == -ETIMEDOUT);
    CHECK_FALSE(guest.woken(2));
    guest.pass_time(3000);
    CHECK(guest.woken(2) == -ETIMEDOUT);
}

TEST_CASE_FIXTURE(Fixture, "a timeout beyond all time is none") {
    const std::uint64_t time = guest.put(128, abi::Time{0x7fffffffffffffff, 0});
    CHECK(wait_on(1, word, 5, time) == std::nullopt);
    CHECK(guest.kernel->next_timer() == Kernel::never);
}

TEST_CASE_FIXTURE(Fixture, "bit sets choose among the waiters") {
    guest.call(1, number::futex, word, wait_bits, 5, 0, 0, 0b001);
    guest.call(2, number::futex, word, wait_bits, 5, 0, 0, 0b110);
    CHECK(guest.call(0, number::futex, word, wake_bits, 9, 0, 0, 0b1000) == 0);
    CHECK(guest.call(0, number::futex, word, wake_bits, 9, 0, 0, 0b0100) == 1);
    CHECK(guest.woken(2) == 0);
    CHECK_FALSE(guest.woken(1));
    CHECK(guest.call(0, number::futex, word, wake, 9) == 1);
    CHECK(guest.woken(1) == 0);
}

TEST_CASE_FIXTURE(Fixture, "a requeue wakes some and moves others") {
    for (std::uint32_t core : {1, 2, 3}) wait_on(core, word, 5);
    CHECK(guest.call(0, number::futex, word, compare_requeue, 1, 9, other, 4) == -EAGAIN);
    CHECK(guest.call(0, number::futex, word, compare_requeue, 1, 9, other, 5) == 3);
    CHECK(guest.woken(1) == 0);
    CHECK_FALSE(guest.woken(2));
    CHECK(guest.kernel->threads()[2].address == other);
    CHECK(guest.call(0, number::futex, word, wake, 9) == 0);
    CHECK(guest.call(0, number::futex, other, wake, 1) == 1);
    CHECK(guest.woken(2) == 0);
    CHECK_FALSE(guest.woken(3));
    CHECK(guest.call(0, number::futex, other, requeue, 0, 1, word) == 1);
    CHECK(guest.call(0, number::futex, word, wake, 1) == 1);
    CHECK(guest.woken(3) == 0);
}

TEST_CASE_FIXTURE(Fixture, "a wake operation changes the second word and looks at what it was") {
    const auto encoded = [](std::uint32_t op, std::uint32_t argument, std::uint32_t compare, std::uint32_t reference) {
        return op << 28 | compare << 24 | (argument & 0xfff) << 12 | (reference & 0xfff);
    };
    wait_on(1, word, 5);
    wait_on(2, other, 7);
    constexpr std::uint32_t add = 1, set = 0, and_not = 3, equal = 0, less = 2;
    CHECK(guest.call(0, number::futex, word, wake_op, 1, 1, other, encoded(add, 3, equal, 8)) == 1);  // 7 is not 8
    CHECK(guest.get<std::uint32_t>(other) == 10);
    CHECK(guest.woken(1) == 0);
    CHECK_FALSE(guest.woken(2));
    CHECK(guest.call(0, number::futex, word, wake_op, 1, 1, other, encoded(set, 0xfff, equal, 10)) == 1);
    CHECK(guest.get<std::uint32_t>(other) == 0xffffffff);  // the operand is signed
    CHECK(guest.woken(2) == 0);
    CHECK(wait_on(2, other, 0xffffffff) == std::nullopt);
    CHECK(guest.call(0, number::futex, word, wake_op, 1, 1, other, encoded(8 | and_not, 4, less, 0)) == 1);
    CHECK(guest.get<std::uint32_t>(other) == 0xffffffef);  // 8: the operand is a shift
    CHECK(guest.call(0, number::futex, word, wake_op, 1, 1, other, encoded(7, 0, equal, 0)) == -ENOSYS);
    CHECK(guest.call(0, number::futex, word, wake_op, 1, 1, 64, 0) == -EFAULT);
}

TEST_CASE_FIXTURE(Fixture, "timeouts at the same cycle wake in the order of the threads") {
    const std::uint64_t time = guest.put(128, abi::Time{0, 500});
    for (std::uint32_t core : {3, 1, 2}) wait_on(core, word, 5, time);
    guest.machine.resumed.clear();
    guest.pass_time(500);
    CHECK(guest.machine.resumed == Ids{1, 2, 3});
}
