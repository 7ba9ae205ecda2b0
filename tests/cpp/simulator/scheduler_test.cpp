#include <doctest/doctest.h>

#include "guest.hpp"

using namespace croftsim;
using State = FakeMachine::Core;

namespace {

struct Shared : Guest {
    explicit Shared(std::uint32_t cores) : Guest(cores) {
        machine.kernel.scheduler = KernelDescription::Scheduler::share;
        machine.kernel.quantum = 1000;
    }
};

std::int64_t thread_on(Guest& guest, std::uint32_t core) { return *guest.call(core, number::gettid); }

// The thread there comes into the kernel, which has called it.
void come(Guest& guest, std::uint32_t core) {
    REQUIRE(!guest.machine.called.empty());
    CHECK(guest.machine.called.back() == core);
    guest.machine.called.clear();
    guest.machine.states[core] = State::in_kernel;
    guest.kernel->called(core);
}

}  // namespace

TEST_CASE("threads that share a core take turns, and the others are left alone") {
    Shared guest(2);
    guest.start_thread(0);              // 2, on core 1
    CHECK(guest.start_thread(0) == 3);  // waits for core 0
    CHECK(guest.kernel->next_timer() == 1000);
    guest.pass_time(1000);
    come(guest, 0);
    CHECK((thread_on(guest, 0) == 3 && thread_on(guest, 1) == 2));
    CHECK(guest.kernel->next_timer() == 2000);
    guest.pass_time(2000);
    come(guest, 0);
    CHECK(thread_on(guest, 0) == 1);
    guest.call(1, number::exit, 0);  // core 1 takes the thread that waits for core 0
    CHECK(thread_on(guest, 1) == 3);
    CHECK(guest.kernel->next_timer() == Kernel::never);
}

TEST_CASE("a thread keeps its registers while it has no core") {
    Shared guest(1);
    guest.start_thread(0);
    guest.machine.harts[0].x[18] = 77;
    guest.machine.harts[0].f[3] = 78;
    guest.pass_time(1000);
    come(guest, 0);
    CHECK(thread_on(guest, 0) == 2);
    CHECK(guest.machine.harts[0].x[18] != 77);
    guest.pass_time(2000);
    come(guest, 0);
    CHECK((guest.machine.harts[0].x[18] == 77 && guest.machine.harts[0].f[3] == 78));
}

TEST_CASE("a yield lets another go first, if there is one") {
    Shared guest(1);
    CHECK(guest.call(0, number::sched_yield) == 0);
    guest.start_thread(0);
    guest.start_thread(0);
    for (const std::int64_t next : {2, 3, 1, 2}) {
        guest.call(0, number::sched_yield);
        CHECK(thread_on(guest, 0) == next);
    }
}

TEST_CASE("a thread that waits lends its core, and comes back to one") {
    Shared guest(1);
    const std::uint64_t word = guest.put(0, std::uint32_t{0}), limit = guest.put(64, abi::Time{0, 500});
    guest.start_thread(0);
    const std::uint64_t now = guest.machine.time;
    guest.call(0, number::futex, word, 0, 0, limit);
    CHECK(thread_on(guest, 0) == 2);
    guest.pass_time(now + 500);  // the time is up, and the core is another's
    CHECK(thread_on(guest, 0) == 2);
    guest.pass_time(now + 1000);
    come(guest, 0);
    CHECK(guest.result(0) == -ETIMEDOUT);
    CHECK(thread_on(guest, 0) == 1);
}

TEST_CASE("a thread that may not stay waits for its core where threads share") {
    Shared guest(2);
    guest.start_thread(0);
    const std::uint64_t second = guest.put(0, std::uint64_t{0b10});
    CHECK(guest.call(0, number::sched_setaffinity, 0, 8, second) == std::nullopt);
    CHECK(guest.machine.states[0] == State::idle);
    guest.pass_time(1000);
    come(guest, 1);
    CHECK(thread_on(guest, 1) == 1);
    CHECK(thread_on(guest, 0) == 2);  // which may be anywhere
}

TEST_CASE("where threads have cores of their own, only one that waits without a limit lends its core") {
    Guest guest(1);
    const std::uint64_t word = guest.put(0, std::uint32_t{0});
    guest.start_thread(0);
    SUBCASE("no limit") {
        guest.call(0, number::futex, word, 0, 0, 0);
        CHECK(thread_on(guest, 0) == 2);
        guest.call(0, number::futex, word, 1, 1);
        CHECK(thread_on(guest, 0) == 2);
        guest.call(0, number::exit, 0);
        CHECK(thread_on(guest, 0) == 1);
    }
    SUBCASE("a sleep") {
        guest.call(0, number::nanosleep, guest.put(64, abi::Time{1, 0}), 0);
        CHECK(guest.machine.states[0] == State::in_kernel);
        CHECK_THROWS_AS(guest.pass_time(2'000'000), GuestFault);
    }
}
