// Things go wrong under a pattern across processes, each at a call that the test chooses. MPI refuses, a process leaves
// its run, or an item does not become bytes or cannot be moved. Nobody waits for ever, and whoever has to hear of it
// does. For 2 processes:
//
//     mpiexec -n 2 faults_test

#include <croft/mpi/channel.hpp>
#include <croft/mpi/environment.hpp>
#include <croft/mpi/run.hpp>
#include <croft/pattern/farm.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "faults.hpp"
#include "meet.hpp"

namespace {

using croft::mpi::across;
using croft::mpi::across_options;
using croft::mpi::error;
using croft::mpi::world;
using mpi_test::faults;
using mpi_test::refused;

bool is_root() { return world().rank() == 0; }

// An item that throws where it is told to: when it becomes bytes, is made of them, or is moved.
struct touchy {
    enum class where { nowhere, encoding, decoding, moving };
    static inline where throws = where::nowhere;
    static inline int at = 0;  // of encoding and decoding: which number; of moving: the how manieth

    static void touch(where one, int value) {
        if (throws != one) return;
        if (one == where::moving ? at-- == 0 : value == at) throw std::runtime_error("a touchy item");
    }
    touchy(int number = 0) : value(number) {}
    touchy(touchy&& from) : value(from.value) { touch(where::moving, value); }
    touchy& operator=(touchy&& from) {
        value = from.value;
        touch(where::moving, value);
        return *this;
    }
    int value;
};

}  // namespace

template <>
struct croft::mpi::codec<touchy> {
    static void encode(const touchy& item, std::vector<std::byte>& to) {
        touchy::touch(touchy::where::encoding, item.value);
        const auto bytes = std::as_bytes(std::span(&item.value, 1));
        to.insert(to.end(), bytes.begin(), bytes.end());
    }
    static void decode(std::span<const std::byte> from, touchy& item) {
        std::memcpy(&item.value, from.data(), sizeof item.value);
        touchy::touch(touchy::where::decoding, item.value);
    }
};

namespace {

// The outcome of a run of so many items, at this process. Each item becomes one more than it was.
struct outcome {
    std::vector<int> made;
    std::string said;  // what it threw
    int rank = croft::mpi::no_rank;
};
template <class Item>
outcome run_of(int count, across_options options) {
    outcome found;
    int next = 0;
    try {
        croft::mpi::run(
            [&](Item& item) {
                item = Item(next);
                return next++ < count;
            },
            across(world(), croft::farm([](const Item& in, Item& out) {
                       if constexpr (std::is_same_v<Item, int>)
                           out = in + 1;
                       else
                           out.value = in.value + 1;
                   }),
                   options),
            [&](Item item) {
                if constexpr (std::is_same_v<Item, int>)
                    found.made.push_back(item);
                else
                    found.made.push_back(item.value);
            },
            {.threads = 2});
    } catch (const error& thrown) {
        found.said = thrown.what();
        found.rank = thrown.rank();
    } catch (const std::exception& thrown) {
        found.said = thrown.what();
    }
    faults::of_this_process().stop();
    touchy::throws = touchy::where::nowhere;
    mpi_test::meet(world());
    return found;
}
// The first so many of what a run makes.
std::vector<int> first(std::size_t count) {
    std::vector<int> expected;
    while (expected.size() < count) expected.push_back(static_cast<int>(expected.size()) + 1);
    return expected;
}

constexpr int moments[] = {0, 1, 2, 3, 4, 5, 6, 8, 11, 15, 20, 30, 50, 100, 300};

TEST_CASE("whenever the root takes a process for lost, each result comes once, and that process hears of it") {
    for (const refused which : {refused::sends, refused::tests})
        for (const int moment : moments) {
            CAPTURE(moment);
            if (is_root()) faults::of_this_process().refuse(which, moment);
            // Not before it has greeted a message more is sent than the first: so the link itself is made.
            const outcome found = run_of<int>(200, {.ordered = true, .root_works = moment % 2 == 0});
            if (is_root()) {
                if (croft::mpi::detail::is_lost_process(faults::code)) {
                    CHECK(found.said == "");
                    CHECK(found.made == first(200));
                }
            } else if (!found.said.empty()) {
                CHECK(found.rank == 0);
            }
        }
}

TEST_CASE("whenever a process takes the root for lost, both hear of it, with the other's rank") {
    for (const refused which : {refused::sends, refused::tests})
        for (const int moment : moments) {
            CAPTURE(moment);
            if (!is_root()) faults::of_this_process().refuse(which, moment);
            const outcome found = run_of<int>(200, {.ordered = true, .root_works = false});
            if (found.said.empty()) {
                CHECK(found.made == first(is_root() ? 200 : 0));
            } else {
                CHECK(found.rank == 1 - world().rank());
                CHECK(found.made == first(found.made.size()));
            }
        }
}

TEST_CASE("a process that leaves its run before it has begun is not waited for") {
    for (const int leaves : {0, 1}) {
        if (world().rank() == leaves) {
            std::make_unique<croft::mpi::detail::peer_link>(world(), 1 - leaves, world().next_tag(),
                                                            croft::mpi::frame_options{});
            mpi_test::meet(world());
        } else {
            const outcome found = run_of<int>(10, {});
            CHECK(found.rank == leaves);
            CHECK(found.said == "croft::mpi: rank " + std::to_string(leaves) + " has left the run before its end");
        }
    }
}

TEST_CASE("what a codec throws leaves the root's run, wherever it is") {
    for (const auto where : {touchy::where::encoding, touchy::where::decoding})
        for (const int rank : {0, 1})
            for (const bool ordered : {false, true}) {
                CAPTURE(static_cast<int>(where));
                CAPTURE(rank);
                touchy::at = 50;
                if (world().rank() == rank) touchy::throws = where;
                const outcome found = run_of<touchy>(200, {.ordered = ordered, .root_works = false});
                if (is_root()) {
                    CHECK(found.said == (rank == 0 ? "a touchy item" : "rank 1: a touchy item"));
                    CHECK(found.made.size() < 200);
                    if (ordered) CHECK(found.made == first(found.made.size()));
                } else {
                    CHECK(found.said == "");
                }
            }
}

TEST_CASE("whichever move of an item throws, the run ends by that") {
    for (const int rank : {0, 1})
        for (const bool ordered : {false, true})
            for (int moment = 0; moment < 300; moment += 1 + moment / 5) {
                CAPTURE(rank);
                CAPTURE(moment);
                touchy::at = moment;
                if (world().rank() == rank) touchy::throws = touchy::where::moving;
                const outcome found = run_of<touchy>(50, {.ordered = ordered});
                if (!is_root()) continue;
                if (found.said.empty())
                    CHECK(found.made.size() == 50);
                else
                    CHECK(found.said == (rank == 0 ? "a touchy item" : "rank 1: a touchy item"));
            }
}

TEST_CASE("what MPI says while the two ends of a channel meet is said each time that it is asked") {
    for (const auto by : {croft::mpi::kind::persistent, croft::mpi::kind::shared})
        for (const int moment : {0, 1, 2}) {
            CAPTURE(moment);
            croft::mpi::channel<int> channel(world(), 0, 1, {.by = by});
            if (!is_root()) {
                faults::of_this_process().refuse(refused::tests, moment);
                std::string said[2];
                for (std::string& each : said)
                    while (each.empty()) {
                        try {
                            const std::optional<int> received = channel.try_receive();
                            REQUIRE(!received);
                        } catch (const error& thrown) {
                            each = thrown.what();
                            CHECK(thrown.rank() == 0);
                            faults::of_this_process().stop();
                        }
                    }
                CHECK(said[0] == said[1]);
            }
            mpi_test::meet(world());
        }
}

TEST_CASE("frames that no record fits in are refused") {
    for (const croft::mpi::frame_options frames :
         {croft::mpi::frame_options{.bytes = 12}, croft::mpi::frame_options{.slots = 0},
          croft::mpi::frame_options{.bytes = std::size_t{1} << 31}}) {
        const outcome found = run_of<int>(10, {.frames = frames});
        CHECK(found.said.find("croft::mpi: at rank " + std::to_string(world().rank())) == 0);
        CHECK(found.rank == world().rank());
    }
}

TEST_CASE("a result may be a bool") {
    int next = 0, right = 0;
    croft::mpi::run([&]() -> std::optional<int> { return next < 100 ? std::optional(next++) : std::nullopt; },
                    across(world(), [](int n) { return n % 3 == 0; }, {.ordered = true}),
                    [&, n = 0](bool made) mutable { right += made == (n++ % 3 == 0); });
    if (is_root()) CHECK(right == 100);
}

TEST_CASE("the tags of one pair are all different, for longer than 16 bits of them") {
    std::set<int> tags;
    const croft::mpi::processes group(MPI_COMM_SELF);
    for (int i = 0; i < 100'000; ++i) tags.insert(group.next_tag_with(0));
    for (int i = 0; i < 100'000; ++i) tags.insert(group.next_tag());
    CHECK(tags.size() == 200'000);
}

}  // namespace
