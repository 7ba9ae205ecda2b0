#include "machine/contention_probe.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace croftsim {

TEST_CASE("a client alone at a server always meets the base latency, however it is split") {
    for (const std::uint32_t base : {20u, 21u, 50u, 100u}) {
        const ContentionResult alone = contention(1, 20, base, 300, 2000, 1);
        CHECK(alone.response == base);
        CHECK(alone.requests == 2000);
        CHECK(alone.utilisation == doctest::Approx(20.0 / (300 + base)).epsilon(0.06));
    }
}

TEST_CASE("clients that do not think keep the server busy: each waits for all the others") {
    for (const std::uint32_t clients : {5u, 20u}) {
        const ContentionResult full = contention(clients, 10, 30, 0, 4000, 1);
        CHECK(full.response == doctest::Approx(10.0 * clients).epsilon(1e-3));
        CHECK(full.utilisation == doctest::Approx(1).epsilon(1e-3));
    }
}

TEST_CASE("with many clients that think long, the waiting time is that of an M/D/1 queue") {
    // 100 clients, each a request every 2000 + R cycles; rho / (2 (1 - rho)) services of waiting.
    const ContentionResult open = contention(100, 10, 20, 2000, 200'000, 1);
    const double rho = open.utilisation, waiting = 10 * rho / (2 * (1 - rho));
    CHECK(rho == doctest::Approx(0.494).epsilon(0.02));
    CHECK(open.response == doctest::Approx(20 + waiting).epsilon(0.02));
}

TEST_CASE("contention: a seed gives a result, another one a little different one") {
    const double first = contention(8, 10, 20, 100, 5000, 1).response;
    CHECK(contention(8, 10, 20, 100, 5000, 1).response == first);
    CHECK(contention(8, 10, 20, 100, 5000, 2).response != first);
}

TEST_CASE("contention: what makes no sense is refused") {
    CHECK_THROWS_AS(contention(0, 10, 20, 100, 10, 1), std::invalid_argument);
    CHECK_THROWS_AS(contention(1, 10, 20, 100, 0, 1), std::invalid_argument);
    CHECK_THROWS_AS(contention(1, 30, 20, 100, 10, 1), std::invalid_argument);
}

}  // namespace croftsim
