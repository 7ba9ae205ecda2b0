#include "kernel/clock.hpp"

#include <doctest/doctest.h>

#include <random>

#include "guest.hpp"

using namespace croftsim;

TEST_CASE("cycles become nanoseconds exactly, rounded down") {
    CHECK(Clock(1000).nanoseconds(1) == 1);
    CHECK(Clock(866).nanoseconds(866'000'000) == 1'000'000'000);
    CHECK(Clock(866).nanoseconds(1) == 1);  // 1.1547
    CHECK(Clock(866).nanoseconds(866) == 1000);
    CHECK(Clock(3).nanoseconds(1) == 333);
    CHECK(Clock(0.5).nanoseconds(3) == 6000);
    CHECK(Clock(866).nanoseconds(std::uint64_t{1} << 60) == 1331318134649938771);  // 2^60 * 500 / 433
    CHECK(Clock(0.001).nanoseconds(~std::uint64_t{0}) == ~std::uint64_t{0});
    CHECK_THROWS_AS(Clock(0), std::invalid_argument);
    CHECK_THROWS_AS(Clock(-5), std::invalid_argument);
    CHECK_THROWS_AS(Clock(1.0 / 0.0), std::invalid_argument);
}

TEST_CASE("nanoseconds become cycles, rounded up, so that nobody wakes early") {
    CHECK(Clock(866).cycles_for(0) == 0);
    CHECK(Clock(866).cycles_for(1) == 1);
    CHECK(Clock(866).cycles_for(1000) == 866);
    CHECK(Clock(866).cycles_for(1001) == 867);
    CHECK(Clock(1e6).cycles_for(~std::uint64_t{0}) == Clock::never);
    std::mt19937_64 random(3);
    for (const double mhz : {866.0, 700.0, 1000.0, 333.333, 0.032768, 2100.0}) {
        const Clock clock(mhz);
        for (int i = 0; i < 1000; ++i) {
            const std::uint64_t duration = random() >> (4 + random() % 50), start = random() >> (8 + random() % 50);
            const std::uint64_t cycles = clock.cycles_for(duration);
            CHECK(clock.nanoseconds(cycles) >= duration);
            if (cycles) CHECK(clock.nanoseconds(cycles - 1) < duration);
            CHECK(clock.nanoseconds(start + cycles) >= clock.nanoseconds(start) + duration);
        }
    }
}

TEST_CASE("the clocks tell simulated time") {
    Guest guest(2, {}, 500);
    guest.machine.time = 1'000'000'001;  // 2 s and 2 ns
    const auto read = [&](std::uint32_t core, std::int64_t id) {
        CHECK(guest.call(core, number::clock_gettime, id, guest.scratch) == 0);
        const auto time = guest.get<abi::Time>(guest.scratch);
        return std::pair{time.seconds, time.nanoseconds};
    };
    using Pair = std::pair<std::int64_t, std::int64_t>;
    CHECK(read(0, 0) == Pair{946'684'802, 2});
    for (const int id : {1, 4, 6, 7}) CHECK(read(0, id) == Pair{2, 2});
    CHECK(read(0, 5) == Pair{946'684'802, 2});
    CHECK(guest.call(0, number::clock_gettime, 10, guest.scratch) == -EINVAL);
    CHECK(guest.call(0, number::clock_gettime, -6, guest.scratch) == -EINVAL);
    CHECK(guest.call(0, number::clock_gettime, 0, 12) == -EFAULT);
    CHECK(guest.call(0, number::gettimeofday, guest.scratch, 0) == 0);
    CHECK(guest.get<abi::Time>(guest.scratch).nanoseconds == 0);
    CHECK(guest.call(0, number::clock_getres, 1, guest.scratch) == 0);
    CHECK(guest.get<abi::Time>(guest.scratch).nanoseconds == 2);
}

TEST_CASE("processor time does not pass while a thread sleeps") {
    Guest guest(2);
    const auto cpu = [&](std::uint32_t core, std::int64_t id) {
        guest.call(core, number::clock_gettime, id, guest.scratch);
        return guest.get<abi::Time>(guest.scratch).nanoseconds;
    };
    guest.machine.time = 1000;
    guest.start_thread(0);
    guest.call(0, number::nanosleep, guest.put(0, abi::Time{0, 500}), 0);
    guest.pass_time(1200);
    CHECK(cpu(1, 3) == 200);
    CHECK(cpu(1, 2) == 1200);
    guest.pass_time(1600);
    CHECK(cpu(0, 3) == 1100);
    CHECK(cpu(0, 2) == 1700);
    guest.call(1, number::exit, 0);
    CHECK(cpu(0, 2) == 1700);
}
