// A coroutine awaits a pattern's run: its results are there, its exception is the coroutine's, and neither keeps the
// scheduler's thread.

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/coroutine/async_close.hpp>
#include <croft/coroutine/async_receive.hpp>
#include <croft/coroutine/async_run.hpp>
#include <croft/coroutine/async_send.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/pipeline.hpp>

#include "coroutines.hpp"

using coroutines::begun;
using coroutines::ends;

namespace {

auto numbers(int count) {
    return [next = 0, count]() mutable { return next < count ? std::optional(next++) : std::nullopt; };
}

begun sum_of_squares(int count, std::size_t threads, long& sum, croft::task_scheduler& on, ends& ended) {
    const auto sink = [&sum](int square) { sum += square; };
    co_await croft::async_run(numbers(count), croft::farm([](int i) { return i * i; }), sink, {.threads = threads}, on);
    ended.one();
}

}  // namespace

TEST_CASE("a coroutine goes on when the run that it awaits has ended") {
    croft::task_scheduler on(1);
    for (const std::size_t threads : {1u, 2u, 4u}) {
        CAPTURE(threads);
        std::vector<long> sums(20);
        ends ended;
        for (long& sum : sums) sum_of_squares(100, threads, sum, on, ended);  // all at the same time
        REQUIRE(ended.await(20));
        for (const long sum : sums) CHECK(sum == 328350);
    }
}

TEST_CASE("a coroutine gets what the run that it awaits throws") {
    croft::task_scheduler on(1);
    std::string caught;
    ends ended;
    const auto runs = [](croft::task_scheduler& scheduler, std::string& why, ends& end) -> begun {
        try {
            auto source = numbers(100);
            auto failing = croft::pipeline([](int i) {
                if (i == 50) throw std::runtime_error("item 50");
                return i;
            });
            co_await croft::async_run(source, failing, [](int) {}, {}, scheduler);
        } catch (const std::runtime_error& error) {
            why = error.what();
        }
        end.one();
    };
    runs(on, caught, ended);
    REQUIRE(ended.await(1));
    CHECK(caught == "item 50");
}

TEST_CASE("runs that wait for coroutines do not keep the thread that these need") {
    croft::task_scheduler on(1);
    croft::channel<int> there(2), back(2);
    long sum = 0;
    ends ended;
    // As many runs as would fill the scheduler, each waiting for what a coroutine sends and takes.
    const auto runs = [](auto& from, auto& to, croft::task_scheduler& scheduler, ends& end) -> begun {
        co_await croft::async_run([&from] { return from.receive(); }, [](int i) { return 2 * i; },
                                  [&to](int twice) { to.send(twice); }, {.threads = 1}, scheduler);
        co_await croft::async_close(to, scheduler);
        end.one();
    };
    const auto feeds = [](auto& to, croft::task_scheduler& scheduler, ends& end) -> begun {
        for (int i = 0; i < 500; ++i) co_await croft::async_send(to, i, scheduler);
        co_await croft::async_close(to, scheduler);
        end.one();
    };
    const auto takes = [](auto& from, long& all, croft::task_scheduler& scheduler, ends& end) -> begun {
        while (const auto one = co_await croft::async_receive(from, scheduler)) all += *one;
        end.one();
    };
    runs(there, back, on, ended);
    takes(back, sum, on, ended);
    feeds(there, on, ended);
    REQUIRE(ended.await(3));
    CHECK(sum == 2 * 499 * 500 / 2);
}
