#include "machine/outbox.hpp"

#include <doctest/doctest.h>

#include <random>
#include <tuple>
#include <vector>

namespace croftsim {
namespace {

using Key = std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>;

Key key(const Message& message) { return {message.time, message.source, message.sequence}; }

}  // namespace

TEST_CASE("outbox: by injection, by source, by count, however far ahead they are injected") {
    MessagePool pool;
    Outbox outbox;
    const auto push = [&](std::uint64_t time, std::uint32_t source, std::uint64_t sequence) {
        Message* message = pool.make(MessageKind::read, 0, 0);
        message->time = time;
        message->source = source;
        message->sequence = sequence;
        outbox.push(message);
    };
    push(Outbox::slots, 1, 2);  // behind the ring, and then in the same cycle as one that is in it
    push(7, 3, 1);
    push(7, 2, 9);
    push(7, 2, 8);
    push(5000, 1, 1);
    std::vector<Key> taken;
    const auto take = [&](Message* message) { taken.push_back(key(*message)); };
    CHECK(outbox.next() == 7);
    outbox.take_before(7, take);
    CHECK(taken.empty());
    push(Outbox::slots, 0, 1);
    outbox.take_before(Outbox::slots + 1, take);
    CHECK(taken == std::vector<Key>{{7, 2, 8}, {7, 2, 9}, {7, 3, 1}, {Outbox::slots, 0, 1}, {Outbox::slots, 1, 2}});
    CHECK(outbox.next() == 5000);
    int left = 0;
    outbox.for_each([&](Message& message) { left += message.time == 5000; });
    CHECK(left == 1);
}

TEST_CASE("outbox: the order of a sorted list") {
    std::mt19937 random(2);
    MessagePool pool;
    Outbox outbox;
    std::vector<Key> taken;
    std::uint64_t now = 0, sequence = 0, pushed = 0;
    for (int step = 0; step < 5'000; ++step) {
        for (std::uint32_t i = random() % 6; i-- > 0; ++pushed) {
            Message* message = pool.make(MessageKind::read, 0, 0);
            message->time = now + random() % (random() % 20 ? 30 : 700);
            message->source = random() % 5;
            message->sequence = ++sequence;
            outbox.push(message);
        }
        now += random() % 40;
        outbox.take_before(now, [&](Message* message) {
            REQUIRE(message->time < now);
            REQUIRE((taken.empty() || taken.back() < key(*message)));
            taken.push_back(key(*message));
            pool.release(message);
        });
        REQUIRE(outbox.next() >= now);
    }
    outbox.take_before(now + 1000, [&](Message* message) { taken.push_back(key(*message)); });
    CHECK(taken.size() == pushed);
    CHECK(outbox.next() == never);
}

}  // namespace croftsim
