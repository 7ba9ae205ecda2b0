// The barrier on flags: nobody leaves before all have arrived, time after time, for any number of threads.

#include <croft/sync/spin_barrier.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "policies_under_test.hpp"

TEST_CASE_TEMPLATE("whoever has left finds what all did before they arrived", Policies, croft::policies,
                   drowsy_paper_policies, spinning_policies, homed_policies<croft::homes::forwarded>,
                   homed_policies<croft::homes::at_reader>) {
    for (const std::size_t threads : {1u, 2u, 3u, 5u}) {
        CAPTURE(threads);
        constexpr std::uint32_t times = 300;
        croft::detail::basic_spin_barrier<Policies> barrier(threads);
        std::vector<std::uint32_t> arrived(threads);  // plain: a race would be seen by ThreadSanitizer
        std::vector<std::uint32_t> wrong(threads);
        std::vector<std::thread> all;
        for (std::size_t i = 0; i < threads; ++i)
            all.emplace_back([&, i] {
                for (std::uint32_t time = 1; time <= times; ++time) {
                    arrived[i] = time;
                    barrier.arrive_and_wait(i);
                    for (const std::uint32_t other : arrived) wrong[i] += other != time;
                    barrier.arrive_and_wait(i);
                }
            });
        for (std::thread& thread : all) thread.join();
        for (const std::uint32_t count : wrong) CHECK(count == 0);
    }
}

TEST_CASE("a barrier of nobody is refused") {
    CHECK_THROWS_AS(croft::spin_barrier(0), std::invalid_argument);
    CHECK_THROWS_AS(croft::spin_barrier(2, {1}), std::invalid_argument);
}
