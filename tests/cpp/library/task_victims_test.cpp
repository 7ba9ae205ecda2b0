// Victims are others, and all of them.

#include <croft/task/victims.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <set>

TEST_CASE_TEMPLATE("every other worker is chosen some time, and never oneself", Victims, croft::victims::random,
                   croft::victims::near_first) {
    for (const std::size_t workers : {2u, 3u, 9u, 10u, 64u})
        for (const std::size_t own : {std::size_t{0}, workers / 2, workers - 1}) {
            Victims victims(own);
            std::set<std::size_t> chosen;
            for (int i = 0; i < 20'000; ++i) chosen.insert(victims.choose(workers));
            CHECK(chosen.size() == workers - 1);
            CHECK(!chosen.contains(own));
            CHECK(*chosen.rbegin() < workers);
        }
}
