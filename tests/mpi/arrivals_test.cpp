// Several links looked after together: each is given what is its own, and nothing else. Rank 0 has a link with every
// other process; these send.

#include <croft/mpi/arrivals.hpp>
#include <croft/mpi/frame_link.hpp>
#include <croft/mpi/processes.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "meet.hpp"

namespace {

using croft::mpi::frame_link;
using croft::mpi::world;
using croft::mpi::detail::arrivals;
using mpi_test::meet;

struct message {
    int rank, number;
    bool operator==(const message&) const = default;
};

void send(frame_link& link, int number) {
    const message one{world().rank(), number};
    std::byte* frame;
    while (!(frame = link.try_acquire())) {
    }
    std::memcpy(frame, &one, sizeof one);
    link.publish(sizeof one);
}
std::optional<message> next_of(frame_link& link) {
    const std::span<std::byte> frame = link.try_receive();
    if (!frame.data()) return std::nullopt;
    message one;
    REQUIRE(frame.size() == sizeof one);
    std::memcpy(&one, frame.data(), sizeof one);
    link.release();
    return one;
}

// At rank 0 one with each other process, elsewhere the one with rank 0; all have met when they are gone.
struct links {
    links() {
        const int tag = world().next_tag();
        for (int rank = 0; rank < world().size(); ++rank)
            if ((rank == 0) != (world().rank() == 0)) all.push_back(std::make_unique<frame_link>(world(), rank, tag));
    }
    ~links() { meet(world()); }
    std::vector<std::unique_ptr<frame_link>> all;
};

message wait_for(frame_link& link, arrivals* together = nullptr) {
    for (;;) {
        if (together) together->look();
        if (const auto one = next_of(link)) return *one;
    }
}

TEST_CASE("a link finds only what a look at all has given it, one message a look, in order") {
    constexpr int count = 5;
    links mine;
    if (world().rank() != 0) {
        for (int i = 0; i < count; ++i) send(*mine.all[0], i);
        meet(world());
        return;
    }
    arrivals together;
    for (const auto& each : mine.all) together.add(*each);
    meet(world());
    for (const auto& each : mine.all) CHECK(!next_of(*each));
    std::vector<int> come(mine.all.size());
    for (std::size_t done = 0; done < mine.all.size();) {
        const bool any = together.look();
        bool found = false;
        for (std::size_t i = 0; i < mine.all.size(); ++i) {
            const auto one = next_of(*mine.all[i]);
            if (!one) continue;
            found = true;
            CHECK(*one == message{static_cast<int>(i) + 1, come[i]++});
            CHECK(!next_of(*mine.all[i]));
            done += come[i] == count;
        }
        if (found) CHECK(any);
    }
}

TEST_CASE("a link that is removed looks by itself, and keeps what it was given before") {
    links mine;
    if (world().rank() != 0) {
        for (int i = 0; i < 3; ++i) {
            send(*mine.all[0], i);
            meet(world());
        }
        return;
    }
    std::optional<arrivals> together(std::in_place);
    for (const auto& each : mine.all) together->add(*each);
    frame_link& first = *mine.all.front();
    CHECK(wait_for(first, &*together) == message{1, 0});
    meet(world());
    while (!together->look()) {  // which may be another's; then this one gets it by itself
    }
    together->remove(first);
    CHECK(wait_for(first) == message{1, 1});
    meet(world());
    CHECK(wait_for(first) == message{1, 2});
    together.reset();
    for (std::size_t i = 1; i < mine.all.size(); ++i)
        for (int number = 0; number < 3; ++number)
            CHECK(wait_for(*mine.all[i]) == message{static_cast<int>(i) + 1, number});
    meet(world());
}

}  // namespace
