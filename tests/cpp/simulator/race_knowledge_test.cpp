#include "record/race_knowledge.hpp"

#include <doctest/doctest.h>

using croftsim::RaceKnowledge;

namespace {

constexpr std::uint64_t post = 0x100, other_post = 0x200;

RaceKnowledge of(std::uint32_t first, std::uint32_t second, std::uint32_t third) {
    RaceKnowledge knowledge(3);
    for (std::uint32_t core = 0; const std::uint32_t clock : {first, second, third}) {
        for (std::uint32_t i = 0; i < clock; ++i) knowledge.advance(core);
        ++core;
    }
    return knowledge;
}

}  // namespace

TEST_CASE("what is claimed is what a core has not released, and of it alone") {
    RaceKnowledge told = of(5, 4, 0);
    told.withhold(0, 3, post);
    CHECK(told.of(0) == 3);
    CHECK(told.of(1) == 4);
    CHECK(told.claimed(0, 5) == post);
    CHECK(told.claimed(0, 6) == 0);
    CHECK(told.claimed(1, 5) == 0);

    RaceKnowledge nothing = of(5, 4, 0);
    nothing.withhold(0, 3, 0);
    CHECK(nothing.of(0) == 3);
    CHECK(nothing.claimed(0, 4) == 0);
}

TEST_CASE("claims are passed on until the machine orders what they claim") {
    RaceKnowledge told = of(5, 0, 0);
    told.withhold(0, 3, post);
    RaceKnowledge reader = of(0, 2, 0), third = of(0, 0, 1);
    reader.learn(told);
    CHECK(reader.of(0) == 3);
    CHECK(reader.of(1) == 2);
    third.learn(reader);
    CHECK(third.claimed(0, 5) == post);

    RaceKnowledge later = of(7, 0, 0);
    later.withhold(0, 3, other_post);
    third.learn(later);
    third.learn(told);  // which claims less
    CHECK(third.claimed(0, 7) == other_post);

    third.learn(of(6, 0, 0));
    CHECK(third.claimed(0, 7) == other_post);
    third.learn(of(7, 0, 0));
    CHECK(third.claimed(0, 7) == 0);
    CHECK(third.of(0) == 7);

    reader.forget();
    CHECK(reader.of(0) == 0);
    CHECK(reader.claimed(0, 5) == 0);
}
