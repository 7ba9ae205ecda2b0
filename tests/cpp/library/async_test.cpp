// croft::async: what it comes to, where it goes on, and awaits that a stop ends.

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/coroutine/async.hpp>
#include <croft/coroutine/async_close.hpp>
#include <croft/coroutine/async_receive.hpp>
#include <croft/coroutine/async_send.hpp>
#include <croft/coroutine/until_stopped.hpp>
#include <croft/task/parallel_reduce.hpp>

using croft::async;
using croft::submit;
using croft::until_stopped;

namespace {

async<int> number(int n) { co_return n; }
async<std::string> failing(const char* why) {
    if (why) throw std::runtime_error(why);
    co_return "no";
}
async<long> sum_of(croft::channel<int>& from, croft::task_scheduler& on) {
    long sum = 0;
    while (const auto one = co_await croft::async_receive(from, on)) sum += *one;
    co_return sum;
}
// Receives until the stop; the rest stays.
async<int> count_until(croft::channel<int>& from, std::stop_token stop, int& last, croft::task_scheduler& on) {
    int count = 0;
    while (const auto one = co_await until_stopped(croft::async_receive(from, on), stop)) {
        if (*one != ++last) co_return -1;
        ++count;
    }
    co_return count;
}
async<bool> send_until(croft::channel<int>& to, int what, std::stop_token stop, croft::task_scheduler& on) {
    co_return co_await until_stopped(croft::async_send(to, what, on), stop);
}

}  // namespace

TEST_CASE("a coroutine begins when it is awaited or submitted, and comes to a value or an exception") {
    croft::task_scheduler on(2);
    bool begun = false;
    const auto begins = [](bool& set) -> async<> {
        set = true;
        co_return;
    };
    {
        async<> never = begins(begun);
        async<> moved = std::move(never);
        never = std::move(moved);
    }
    CHECK_FALSE(begun);
    submit(begins(begun), on).get();
    CHECK(begun);

    CHECK(submit(number(3), on).get() == 3);
    CHECK_THROWS_WITH_AS(submit(failing("why not"), on).get(), "why not", std::runtime_error);
    const auto outer = []() -> async<std::string> {
        std::string all;
        try {
            all += co_await failing("inner");
        } catch (const std::runtime_error& error) {
            all += error.what();
        }
        co_return all + std::to_string(co_await number(4)) + co_await failing(nullptr);
    };
    CHECK(submit(outer(), on).get() == "inner4no");
}

TEST_CASE("a coroutine comes to what can only be moved") {
    const auto make = []() -> async<std::unique_ptr<int>> { co_return std::make_unique<int>(5); };
    const auto outer = [&]() -> async<std::unique_ptr<int>> { co_return co_await make(); };
    CHECK(*submit(outer()).get() == 5);
}

TEST_CASE("awaiting a million coroutines that need not wait takes no stack for each") {
    const auto loop = []() -> async<long> {
        long sum = 0;
        for (int i = 0; i < 1'000'000; ++i) sum += co_await number(i);
        co_return sum;
    };
    CHECK(submit(loop()).get() == 499'999'500'000);
}

TEST_CASE("submitted coroutines run beside each other, and can be awaited") {
    croft::task_scheduler on(2);
    croft::channel<int> numbers(2);
    auto sum = submit(sum_of(numbers, on), on);
    const auto send = [&]() -> async<long> {
        for (int i = 0; i < 1000; ++i) co_await croft::async_send(numbers, i, on);
        co_await croft::async_close(numbers, on);
        co_return co_await sum;  // it may have ended by now, or not
    };
    CHECK(submit(send(), on).get() == 499'500);
}

TEST_CASE("a submitted coroutine shares its loops out, and its destructor waits for it") {
    std::atomic<bool> ended{false};
    {
        const auto work = [&]() -> async<> {
            const long sum = croft::parallel_reduce(0, 10'000, 0L, [](int i) { return long{i}; }, std::plus<>());
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            ended = sum == 49'995'000;
            co_return;
        };
        const auto running = submit(work());
    }
    CHECK(ended);
}

TEST_CASE("an await at a channel ends when a stop is requested, and leaves what comes later") {
    croft::task_scheduler on(2);
    croft::channel<int> numbers(3);
    int last = -1;
    std::stop_source stop;
    auto counting = submit(count_until(numbers, stop.get_token(), last, on), on);
    for (int i = 0; i < 10; ++i) numbers.send(i);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // it is suspended
    stop.request_stop();
    CHECK(counting.get() == 10);
    CHECK_FALSE(numbers.ended());
    numbers.send(10);
    CHECK(submit(count_until(numbers, stop.get_token(), last, on), on).get() == 1);  // what is there is taken
    numbers.close();
    CHECK(submit(count_until(numbers, {}, last, on), on).get() == 0);
    CHECK(numbers.ended());
}

TEST_CASE("a send and an end wait for room until a stop is requested") {
    croft::task_scheduler on(2);
    croft::channel<int> full(1);
    full.send(1);
    std::stop_source stop;
    auto sending = submit(send_until(full, 2, stop.get_token(), on), on);
    const auto close = [&]() -> async<bool> {
        co_return co_await until_stopped(croft::async_close(full, on), stop.get_token());
    };
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    stop.request_stop();
    CHECK_FALSE(sending.get());
    CHECK_FALSE(submit(close(), on).get());
    CHECK(full.receive() == 1);
    CHECK(submit(send_until(full, 3, stop.get_token(), on), on).get());  // there is room
    CHECK(full.receive() == 3);
}

TEST_CASE("stops that race with messages lose none and forget nobody") {
    croft::task_scheduler on(2);
    constexpr int rounds = 300, messages = 40;
    int last = -1, received = 0;
    croft::channel<int> numbers(2);
    std::thread sender([&] {
        for (int i = 0; i < rounds * messages; ++i) {
            numbers.send(i);
            if (i % 7 == 0) std::this_thread::yield();
        }
        numbers.close();
    });
    while (!numbers.ended()) {
        std::stop_source stop;
        auto counting = submit(count_until(numbers, stop.get_token(), last, on), on);
        std::this_thread::sleep_for(std::chrono::microseconds(received % 50));
        stop.request_stop();
        const int count = counting.get();
        REQUIRE(count >= 0);
        received += count;
    }
    sender.join();
    CHECK(received == rounds * messages);
}
