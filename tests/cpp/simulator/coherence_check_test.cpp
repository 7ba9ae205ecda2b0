// The check of coherence on a core's own stores, told event by event, because a machine that loses one is no more.

#include <doctest/doctest.h>

#include <array>
#include <cstring>

#include "record/coherence_check.hpp"

namespace croftsim {
namespace {

constexpr std::uint64_t line = 0x1000, word = line + 8;
constexpr std::uint64_t word_bytes = 0xf00;  // of the line
using Kind = CoherenceReport::Kind;

// Two cores. The line's bytes are those of the word, at its place.
struct Checked {
    CoherenceCheck check{2};

    void serve(std::uint32_t writer, std::uint32_t value, bool was_sent, CoherenceCheck::Place at) {
        std::array<std::uint8_t, 64> bytes{};
        std::memcpy(bytes.data() + (word - line), &value, 4);
        check.served(writer, 0, line, word_bytes, bytes.data(), was_sent, at);
    }
    std::vector<CoherenceReport> found() {
        check.finish();
        return check.reports();
    }
};

void is_lost(const std::vector<CoherenceReport>& found, std::uint32_t got, std::uint32_t latest) {
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == Kind::lost_store);
    CHECK(found[0].core == 0);
    CHECK(found[0].writer == 0);
    CHECK(found[0].pc == 0x200);
    CHECK(found[0].writer_pc == 0x100);
    CHECK(found[0].address == word);
    CHECK(found[0].got == got);
    CHECK(found[0].latest == latest);
}

}  // namespace

TEST_CASE("a store that its own core does not see any more is a lost store, however far it has come") {
    for (const bool sent : {false, true})
        for (const bool served : {false, true}) {
            CAPTURE(sent);
            CAPTURE(served);
            Checked run;
            run.check.buffered(0, word, 4, 42, {0x100, 10});
            if (sent) run.check.sent(0, line, word_bytes);
            if (sent && served) run.serve(0, 42, true, {0, 20});
            run.check.loaded(0, word, 4, 42, {0x1f0, 29});
            run.check.loaded(0, word, 4, 7, {0x200, 30});
            run.check.loaded(0, word, 4, 42, {0x210, 31});
            is_lost(run.found(), 7, 42);
        }
}

TEST_CASE("a lost store is told by the bytes that it wrote") {
    Checked run;
    run.check.buffered(0, word + 1, 1, 0x42, {0x90, 10});
    run.check.buffered(0, word + 2, 1, 0x43, {0x100, 11});
    run.check.loaded(0, word, 4, 0x99434299, {0x1f0, 20});  // of the others it knows nothing
    run.check.loaded(0, word, 1, 0x99, {0x1f4, 21});
    run.check.loaded(0, word, 4, 0x99439999, {0x200, 22});
    is_lost(run.found(), 0x99439999, 0x99434299);
}

TEST_CASE("bytes of a store that is served are not looked for in the next one, which is under way") {
    Checked run;
    run.check.buffered(0, word, 1, 1, {0x100, 10});
    run.check.sent(0, line, 0x100);
    run.check.buffered(0, word + 1, 1, 2, {0x104, 11});
    run.check.sent(0, line, 0x200);
    std::array<std::uint8_t, 64> bytes{};
    bytes[8] = 1;
    run.check.served(0, 0, line, 0x100, bytes.data(), true, {0, 20});
    bytes[8] = 9;  // another core's
    run.check.served(1, 0, line, 0x100, bytes.data(), false, {0x300, 21});
    run.check.loaded(0, word, 4, 0x0209, {0x200, 22});
    CHECK(run.found().empty());
}

TEST_CASE("a store that another core has overwritten since is not lost") {
    for (const bool sent : {false, true}) {
        CAPTURE(sent);
        Checked run;
        run.check.buffered(0, word, 4, 42, {0x100, 10});
        if (sent) {
            run.check.sent(0, line, word_bytes);
            run.serve(0, 42, true, {0, 20});
        }
        run.serve(1, 7, false, {0x300, 25});
        run.check.loaded(0, word, 4, 7, {0x200, 30});
        CHECK(run.found().empty());
        CHECK(run.check.racing() == 0);
    }
}

TEST_CASE("a load that an atomic operation repeats is a guess, of a lost store too") {
    Checked run;
    run.check.buffered(0, word, 4, 42, {0x100, 10});
    run.check.loaded(0, word, 4, 7, {0x200, 30});
    run.check.reads_anew(0, word);
    CHECK(run.found().empty());
}

TEST_CASE("stores to pages that begin anew are not looked for there") {
    Checked run;
    run.check.buffered(0, word, 4, 42, {0x100, 10});
    run.check.buffered(0, word + 4, 4, 43, {0x104, 11});
    run.check.sent(0, line, word_bytes);
    run.check.forget(line, 4096);
    run.check.loaded(0, word, 4, 0, {0x200, 30});
    run.check.loaded(0, word + 4, 4, 0, {0x204, 31});
    CHECK(run.found().empty());
}

}  // namespace croftsim
