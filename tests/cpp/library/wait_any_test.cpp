// One receiver of several channels: it hears of each, sleeps while there is nothing, and ends when all have.

#include <croft/channel/channel.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/channel/request_reply.hpp>
#include <croft/channel/wait_any.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "policies_under_test.hpp"

TEST_CASE_TEMPLATE("wait_any: nothing is missed, whichever ends first", Policies, packed_policies, spinning_policies,
                   drowsy_packed_policies) {
    for (const std::uint64_t questions : {0u, 5u, 2000u}) {
        for (const std::uint64_t numbers : {0u, 5u, 2000u}) {
            croft::many_to_one<std::uint64_t, Policies> incoming(2, 3);
            croft::request_reply<std::uint64_t, std::uint64_t, Policies> desk({}, nullptr, &incoming.waiter());
            croft::channel<std::uint64_t, Policies> third(2, {}, nullptr, &incoming.waiter());
            std::vector<std::thread> threads;
            for (std::size_t s = 0; s < 2; ++s)
                threads.emplace_back([&incoming, s, numbers] {
                    for (std::uint64_t i = 1; i <= numbers; ++i) incoming.sender(s).send(i);
                    incoming.sender(s).close();
                });
            threads.emplace_back([&third, numbers] {
                for (std::uint64_t i = 1; i <= numbers; ++i) third.send(i);
                third.close();
            });
            std::uint64_t wrong = 0;
            threads.emplace_back([&desk, &wrong, questions] {
                for (std::uint64_t i = 0; i < questions; ++i) wrong += desk.call(i) != i + 1;
                desk.close();
            });
            std::uint64_t sum = 0, answered = 0;
            while (croft::wait_any(incoming, desk, third)) {
                if (const auto asked = desk.try_receive()) {
                    desk.reply(*asked + 1);
                    ++answered;
                }
                if (const auto number = incoming.try_receive()) sum += *number;
                if (const auto number = third.try_receive()) sum += *number;
            }
            CHECK(incoming.ended());
            CHECK(desk.ended());
            CHECK(third.ended());
            CHECK_FALSE(croft::wait_any(incoming, desk, third));
            for (std::thread& thread : threads) thread.join();
            CHECK(wrong == 0);
            CHECK(answered == questions);
            CHECK(sum == 3 * numbers * (numbers + 1) / 2);
        }
    }
}

TEST_CASE("many_to_one::may_receive: a message, an end, or nothing") {
    croft::many_to_one<int> channel(2, 4);
    const croft::detail::acquire_load load;
    CHECK_FALSE(channel.may_receive(load));
    channel.sender(1).send(7);
    CHECK(channel.may_receive(load));
    CHECK(*channel.receive() == 7);
    CHECK_FALSE(channel.may_receive(load));
    channel.sender(0).close();
    CHECK(channel.may_receive(load));  // of one sender's end
    CHECK_FALSE(channel.try_receive().has_value());
    CHECK_FALSE(channel.may_receive(load));
    channel.sender(1).close();
    CHECK_FALSE(channel.receive().has_value());
    CHECK(channel.may_receive(load));
}
