#include <croft/channel/many_to_many.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include "policies_under_test.hpp"

namespace {

using namespace std::chrono_literals;

struct numbered {
    std::size_t sender = 0, number = 0;
};

// Each sender sends as many messages, in several ways. The result is the messages of each receiver.
template <class Policies>
std::vector<std::vector<numbered>> crowd(std::size_t senders, std::size_t receivers, std::size_t degree,
                                         std::size_t each) {
    croft::many_to_many<numbered, Policies> queue(senders, receivers, degree);
    std::vector<std::vector<numbered>> got(receivers);
    {
        std::vector<std::jthread> threads;
        for (std::size_t s = 0; s < senders; ++s)
            threads.emplace_back([&, s] {
                for (std::size_t i = 0; i < each; ++i)
                    if (i % 3 != 0 || !queue.try_send(numbered{s, i})) queue.send({s, i});
                queue.close();
            });
        for (std::size_t r = 0; r < receivers; ++r)
            threads.emplace_back([&, r] {
                for (std::size_t i = 0;; ++i) {
                    auto next = i % 3 == 0 ? queue.try_receive() : queue.receive();
                    if (!next) next = queue.receive();
                    if (!next) break;
                    got[r].push_back(*next);
                }
                CHECK(queue.ended());
            });
    }
    return got;
}

}  // namespace

TEST_CASE_TEMPLATE("a shared queue delivers each message once, each sender's in its order", Policies, packed_policies,
                   drowsy_packed_policies) {
    for (const auto& [senders, receivers, degree] :
         {std::array<std::size_t, 3>{1, 1, 1}, {3, 1, 2}, {1, 3, 1}, {2, 3, 4}, {4, 4, 64}}) {
        constexpr std::size_t each = 500;
        const auto got = crowd<Policies>(senders, receivers, degree, each);
        std::vector<std::size_t> times(senders * each);
        for (const auto& some : got) {
            std::vector<std::size_t> next(senders);
            for (const numbered& one : some) {
                CHECK(one.number >= next[one.sender]);
                next[one.sender] = one.number + 1;
                ++times[one.sender * each + one.number];
            }
        }
        CHECK(std::all_of(times.begin(), times.end(), [](std::size_t n) { return n == 1; }));
    }
}

TEST_CASE("a shared queue has as many slots as it was asked for, or the next power of two") {
    for (const std::size_t degree : {1u, 2u, 3u, 5u}) {
        croft::many_to_many<int> queue(1, 1, degree);
        std::size_t sent = 0;
        while (queue.try_send(static_cast<int>(sent))) ++sent;
        CHECK(sent == std::bit_ceil(degree));
        for (std::size_t i = 0; i < sent; ++i) CHECK(queue.try_receive() == static_cast<int>(i));
        CHECK(!queue.try_receive());
        CHECK(!queue.ended());
    }
}

TEST_CASE("a shared queue moves messages, and leaves one alone for which it has no room") {
    croft::many_to_many<std::unique_ptr<int>> queue(1, 1, 1);
    CHECK(queue.try_send(std::make_unique<int>(1)));
    auto second = std::make_unique<int>(2);
    CHECK(!queue.try_send(std::move(second)));
    CHECK(!queue.send_for(std::move(second), 1ms));
    REQUIRE(second);
    CHECK(**queue.receive() == 1);
    CHECK(queue.send_for(std::move(second), 1ms));
    CHECK(**queue.receive_for(1h) == 2);
}

TEST_CASE("the stream of a shared queue ends when every sender has closed") {
    croft::many_to_many<int> queue(2, 1, 4);
    queue.send(1);
    queue.close();
    CHECK(queue.receive() == 1);
    CHECK(!queue.receive_for(1ms));
    CHECK(!queue.ended());
    queue.send(2);
    queue.close();
    CHECK(!queue.ended());
    CHECK(queue.receive() == 2);
    CHECK(!queue.receive());
    CHECK(queue.ended());
}

TEST_CASE("who waits at a shared queue wakes up at the end, at a stop, and when its time has passed") {
    croft::many_to_many<int> queue(1, 3, 1);
    std::stop_source stop;
    std::jthread until_stop([&] { CHECK(!queue.receive_until(stop.get_token())); });
    std::jthread until_end([&] { CHECK(!queue.receive()); });
    CHECK(!queue.receive_until(std::chrono::steady_clock::now() + 1ms));
    std::this_thread::sleep_for(5ms);  // the others sleep by now, most likely
    stop.request_stop();
    until_stop.join();
    queue.close();
}

TEST_CASE("a sender of a shared queue without room is told when all receivers have left") {
    croft::many_to_many<int> queue(1, 2, 1);
    queue.send(1);
    queue.leave();
    CHECK(!queue.try_send(2));
    std::jthread other([&] {
        std::this_thread::sleep_for(2ms);
        queue.leave();
    });
    CHECK_THROWS_WITH_AS(queue.send(2), "croft::many_to_many: all receivers have left, and there is no room",
                         croft::disconnected);
    CHECK_THROWS_AS(queue.try_send(2), croft::disconnected);
}

TEST_CASE("a shared queue has a sender, a receiver and a slot") {
    CHECK_THROWS_WITH_AS((croft::many_to_many<int>(0, 1, 1)),
                         "croft::many_to_many: there has to be a sender and a receiver at least",
                         std::invalid_argument);
    CHECK_THROWS_AS((croft::many_to_many<int>(1, 0, 1)), std::invalid_argument);
    CHECK_THROWS_WITH_AS((croft::many_to_many<int>(1, 1, 0)), "croft::many_to_many: a queue needs at least one slot",
                         std::invalid_argument);
}
