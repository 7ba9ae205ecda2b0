// The owners of a bank's words: in the line while there is one, in a row of the table while there are several.

#include "coherence/word_owners.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <vector>

#include "base/random.hpp"
#include "coherence/cache_level.hpp"
#include "loose_machine.hpp"

namespace croftsim {
namespace {

constexpr std::uint64_t word(unsigned number) { return std::uint64_t{15} << (4 * number); }

// The same knowledge, as one owner for each word.
using Plainly = std::array<std::optional<std::uint32_t>, line_bytes / 4>;

bool are_several(const Plainly& owners) {
    std::optional<std::uint32_t> first;
    for (const auto& owner : owners) {
        if (owner && first && *owner != *first) return true;
        if (owner) first = owner;
    }
    return false;
}

}  // namespace

TEST_CASE("the lines of all levels take as much of the host as a tile's") { CHECK(sizeof(LevelLine) == 128); }

TEST_CASE("a line of one owner needs no row, and one that is nobody's neither") {
    WordOwners owners;
    OwnedWords line;
    CHECK(owners.owned_by(line, 0) == 0);
    owners.give(line, whole_line, 1023);
    CHECK(owners.owned_by(line, 1023) == whole_line);
    CHECK(owners.owned_by(line, 0) == 0);
    CHECK(owners.owner_of(line, 15) == 1023);
    owners.take(line, word(0) | word(15));
    CHECK(owners.owned_by(line, 1023) == ~(word(0) | word(15)));
    owners.give(line, word(15), 1023);
    owners.take(line, whole_line);
    CHECK(line.owned == 0);
    CHECK(owners.owned_by(line, 1023) == 0);
    owners.take(line, whole_line);  // of which nobody owns anything
    owners.give(line, word(3), 0);
    CHECK(owners.owned_by(line, 0) == word(3));
    CHECK(owners.rows_in_use() == 0);
}

TEST_CASE("a line of two owners has a row until one of them has all that is owned") {
    WordOwners owners;
    OwnedWords line;
    owners.give(line, word(0), 5);
    owners.give(line, word(15), 6);
    CHECK(owners.rows_in_use() == 1);
    CHECK(owners.owned_by(line, 5) == word(0));
    CHECK(owners.owned_by(line, 6) == word(15));
    CHECK(owners.owned_by(line, 7) == 0);
    SUBCASE("because the other gives its words up") {
        owners.take(line, word(0));
        CHECK(owners.owned_by(line, 6) == word(15));
        CHECK(owners.owned_by(line, 5) == 0);
    }
    SUBCASE("because it gets the other's words") {
        owners.give(line, word(0), 6);
        CHECK(owners.owned_by(line, 6) == (word(0) | word(15)));
    }
    SUBCASE("because it gets the whole line") {
        owners.give(line, whole_line, 5);
        CHECK(owners.owned_by(line, 5) == whole_line);
    }
    SUBCASE("because a third one gets the whole line") {
        owners.give(line, whole_line, 7);
        CHECK(owners.owned_by(line, 7) == whole_line);
    }
    SUBCASE("or nobody owns anything any more") {
        owners.take(line, whole_line);
        CHECK(line.owned == 0);
        CHECK(owners.owned_by(line, 5) == 0);
    }
    CHECK(owners.rows_in_use() == 0);
    CHECK(line.row == 0);
}

TEST_CASE("at random, lines' owners are those of a plain table, and rows are had only by lines that need them") {
    Random random(7);
    WordOwners owners;
    std::vector<OwnedWords> lines(5);
    std::vector<Plainly> plainly(lines.size());
    std::size_t most = 0;
    const auto check = [&](const WordOwners& of, const std::vector<OwnedWords>& those) {
        std::size_t rows = 0;
        for (std::size_t i = 0; i < those.size(); ++i) {
            for (std::uint32_t tile = 0; tile < 4; ++tile) {
                std::uint64_t expected = 0;
                for (unsigned w = 0; w < 16; ++w)
                    if (plainly[i][w] == tile) expected |= word(w);
                REQUIRE(of.owned_by(those[i], tile) == expected);
            }
            for (unsigned w = 0; w < 16; ++w)
                if (plainly[i][w]) REQUIRE(of.owner_of(those[i], w) == *plainly[i][w]);
            REQUIRE((those[i].row != 0) == are_several(plainly[i]));
            rows += those[i].row != 0;
        }
        REQUIRE(of.rows_in_use() == rows);
        most = std::max(most, rows);
    };
    for (int step = 0; step < 20000; ++step) {
        const std::uint32_t i = random.below(5), tile = random.below(4);
        std::uint64_t bytes = 0;
        for (unsigned w = 0; w < 16; ++w)
            if (random.one_in(step % 3 ? 8 : 2)) bytes |= word(w);
        if (random.one_in(16)) bytes = whole_line;
        const bool gives = random.one_in(2);
        for (unsigned w = 0; w < 16; ++w)
            if (bytes & word(w)) plainly[i][w] = gives ? std::optional(tile) : std::nullopt;
        gives ? owners.give(lines[i], bytes, tile) : owners.take(lines[i], bytes);
        check(owners, lines);
        if (step % 1000 > 0) continue;
        Archive written;
        written(owners);
        WordOwners loaded;
        Archive read(written.written());
        read(loaded);
        read.end();
        check(loaded, lines);
        Archive again;
        again(loaded);
        REQUIRE(again.written() == written.written());
    }
    CHECK(most == lines.size());
}

TEST_CASE("a table of owners that is damaged is refused") {
    WordOwners owners;
    OwnedWords line;
    owners.give(line, word(0), 1);
    owners.give(line, word(1), 2);
    owners.take(line, whole_line);  // so that the one row is free
    Archive archive;
    archive(owners);
    const std::vector<std::uint8_t> good = archive.written();
    for (const std::uint8_t number : {0, 2}) {  // the free row's
        std::vector<std::uint8_t> bad = good;
        bad[bad.size() - 4] = number;
        Archive read(bad);
        WordOwners loaded;
        CHECK_THROWS_AS(read(loaded), CheckpointError);
    }
    WordOwners empty;
    line.row = 1;
    CHECK_FALSE(empty.has(line));
    CHECK(owners.has(line));
}

}  // namespace croftsim
