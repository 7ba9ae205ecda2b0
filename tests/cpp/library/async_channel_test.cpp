// Coroutines at channels: they get what a thread would, in order, are woken always, and keep no thread meanwhile.

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/channel/inbox.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/channel/one_to_many.hpp>
#include <croft/channel/request_reply.hpp>
#include <croft/coroutine/async_close.hpp>
#include <croft/coroutine/async_receive.hpp>
#include <croft/coroutine/async_send.hpp>

#include "coroutines.hpp"

using coroutines::begun;
using coroutines::ends;

namespace {

template <class Channel>
begun send_numbers(Channel& to, int count, croft::task_scheduler& on, ends& ended) {
    for (int i = 0; i < count; ++i) co_await croft::async_send(to, i, on);
    if constexpr (requires { to.receiver(0); })
        for (std::size_t i = 0; i < to.size(); ++i) co_await croft::async_close(to.receiver(i), on);
    else
        co_await croft::async_close(to, on);
    ended.one();
}
// The sum, and how many came out of order.
struct received {
    long sum = 0;
    int count = 0, last = -1, unordered = 0;
};
template <class Channel>
begun receive_numbers(Channel& from, received& all, croft::task_scheduler& on, ends& ended) {
    while (const std::optional<int> one = co_await croft::async_receive(from, on)) {
        all.sum += *one;
        ++all.count;
        if (*one != all.last + 1) ++all.unordered;
        all.last = *one;
    }
    ended.one();
}
constexpr long sum_up_to(long n) { return n * (n - 1) / 2; }

}  // namespace

TEST_CASE("a coroutine receives what a thread sends, and the other way round") {
    constexpr int count = 3000;
    for (const std::size_t degree : {1u, 7u}) {
        CAPTURE(degree);
        croft::task_scheduler on(2);
        croft::channel<int> to(degree), back(degree);
        received there;
        ends ended;
        receive_numbers(to, there, on, ended);
        send_numbers(back, count, on, ended);
        int here = 0;
        for (int i = 0; i < count; ++i) {
            to.send(i);
            if (i % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // it is suspended
            here += back.receive() == i;
        }
        to.close();
        CHECK_FALSE(back.receive().has_value());
        REQUIRE(ended.await(2));
        CHECK(here == count);
        CHECK(there.count == count);
        CHECK(there.unordered == 0);
        CHECK(there.sum == sum_up_to(count));
    }
}

TEST_CASE("coroutines wait for each other on one thread") {
    constexpr int pairs = 50, count = 200;
    croft::task_scheduler on(1);
    std::vector<std::unique_ptr<croft::channel<int>>> channels;
    std::vector<received> all(pairs);
    ends ended;
    for (int i = 0; i < pairs; ++i) {
        channels.push_back(std::make_unique<croft::channel<int>>(1 + static_cast<std::size_t>(i) % 3));
        receive_numbers(*channels.back(), all[static_cast<std::size_t>(i)], on, ended);
    }
    for (auto& each : channels) send_numbers(*each, count, on, ended);
    REQUIRE(ended.await(2 * pairs));
    for (const received& each : all) {
        CHECK(each.count == count);
        CHECK(each.unordered == 0);
    }
}

TEST_CASE("a coroutine goes on where it is if there is something, else on the scheduler") {
    croft::task_scheduler on(1);
    croft::channel<int> from(2);
    std::thread::id first, second;
    ends ended;
    from.send(1);
    const auto receiver = [](auto& channel, auto& scheduler, auto& at_once, auto& later, ends& end) -> begun {
        co_await croft::async_receive(channel, scheduler);
        at_once = std::this_thread::get_id();
        co_await croft::async_receive(channel, scheduler);
        later = std::this_thread::get_id();
        end.one();
    };
    receiver(from, on, first, second, ended);
    CHECK(first == std::this_thread::get_id());
    from.send(2);
    REQUIRE(ended.await(1));
    CHECK(second != std::this_thread::get_id());
    CHECK(second != std::thread::id());
}

TEST_CASE("a coroutine receives from many who come and go, and knows when all have gone") {
    constexpr int count = 500;
    croft::task_scheduler on(2);
    croft::many_to_one<int> numbers(2, 4);
    croft::inbox<int> letters(4);
    received from_two, from_all;
    ends ended;
    receive_numbers(numbers, from_two, on, ended);
    receive_numbers(letters, from_all, on, ended);
    send_numbers(numbers.sender(0), count, on, ended);
    std::thread second([&] {
        for (int i = 0; i < count; ++i) numbers.sender(1).send(i);
        numbers.sender(1).close();
    });
    const auto guest = [](auto& at, auto& scheduler, ends& end) -> begun {
        auto place = at.join();
        for (int i = 0; i < count; ++i) co_await croft::async_send(*place, i, scheduler);
        co_await croft::async_close(place, scheduler);
        end.one();
    };
    guest(letters, on, ended);
    std::vector<std::thread> guests;
    for (int g = 0; g < 2; ++g)
        guests.emplace_back([&] {
            auto place = letters.join();
            for (int i = 0; i < count; ++i) place->send(i);
        });
    second.join();
    for (std::thread& each : guests) each.join();
    letters.close();
    REQUIRE(ended.await(4));
    CHECK(from_two.sum == 2 * sum_up_to(count));
    CHECK(from_all.sum == 3 * sum_up_to(count));
}

TEST_CASE("a coroutine deals out to whoever has room, and serves requests") {
    constexpr int count = 600;
    croft::task_scheduler on(1);
    croft::one_to_many<int> jobs(2, 3);
    croft::request_reply<int> desk;
    ends ended;
    send_numbers(jobs, count, on, ended);
    const auto serve = [](auto& channel, auto& scheduler, ends& end) -> begun {
        while (const auto asked = co_await croft::async_receive(channel, scheduler)) channel.reply(*asked + 1);
        end.one();
    };
    serve(desk, on, ended);
    std::atomic<long> sum{0};
    std::vector<std::thread> workers;
    for (std::size_t w = 0; w < 2; ++w)
        workers.emplace_back([&, w] {
            while (const auto job = jobs.receiver(w).receive()) sum += *job;
        });
    int right = 0;
    for (int i = 0; i < count; ++i) right += desk.call(i) == i + 1;
    desk.close();
    for (std::thread& each : workers) each.join();
    REQUIRE(ended.await(2));
    CHECK(sum == sum_up_to(count));
    CHECK(right == count);
}

TEST_CASE("a coroutine that ends all streams of one to many waits for room at each without keeping its thread") {
    croft::task_scheduler on(1);
    croft::one_to_many<int> jobs(2, 1);
    ends ended;
    jobs.acquire(1) = 1;
    jobs.publish();
    const auto close = [](auto& channel, auto& scheduler, ends& end) -> begun {
        co_await croft::async_close(channel, scheduler);
        end.one();
    };
    close(jobs, on, ended);  // one has room, the other none yet
    CHECK(jobs.receiver(1).receive() == 1);
    REQUIRE(ended.await(1));
    for (const std::size_t receiver : {0, 1}) CHECK_FALSE(jobs.receiver(receiver).receive().has_value());
}

TEST_CASE("a coroutine is told when it waits for room that nobody will make") {
    croft::task_scheduler on(1);
    croft::channel<std::string> to(1);
    std::string told;
    ends ended;
    const auto sender = [](auto& channel, auto& scheduler, std::string& why, ends& end) -> begun {
        try {
            for (;;) co_await croft::async_send(channel, std::string("more"), scheduler);
        } catch (const croft::disconnected& error) {
            why = error.what();
        }
        end.one();
    };
    sender(to, on, told, ended);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    CHECK(told.empty());
    to.leave();
    REQUIRE(ended.await(1));
    CHECK_FALSE(told.empty());
}
