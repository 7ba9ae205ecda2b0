// Times at the edges of what their types can say: whoever waits until then comes back at once, or waits for ever.

#include <croft/channel/channel.hpp>
#include <croft/channel/inbox.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/channel/one_to_many.hpp>
#include <croft/channel/request_reply.hpp>
#include <croft/port/port.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>
#include <thread>
#include <tuple>

#include "policies_under_test.hpp"

namespace {

using namespace std::chrono;

template <class Duration>
constexpr auto at_system(Duration since) {
    return time_point<system_clock, Duration>(since);
}
template <class Duration>
constexpr auto at_steady(Duration since) {
    return time_point<steady_clock, Duration>(since);
}
using quick = duration<std::int64_t, std::pico>;
using slow = duration<std::int64_t, std::giga>;
using small = duration<std::int8_t, std::ratio<3600>>;
using real = duration<float>;
constexpr auto infinite = std::numeric_limits<float>::infinity();

constexpr auto passed =
    std::tuple(nanoseconds::min(), hours::min(), quick::min(), slow::min(), small::min(), real(-infinite),
               real(std::numeric_limits<float>::lowest()), real(std::numeric_limits<float>::quiet_NaN()),
               duration<long double>(-1e4000L), duration<unsigned>::min(), nanoseconds(-1), nanoseconds(0));
constexpr auto never = std::tuple(nanoseconds::max(), hours::max(), years::max(), slow::max(), real(infinite),
                                  real::max(), duration<double>::max(), duration<std::uint64_t>::max());

constexpr auto passed_times = std::tuple(
    steady_clock::time_point::min(), system_clock::time_point::min(), at_system(hours::min()), at_steady(hours::min()),
    at_system(years::min()), at_system(quick::max()), at_system(quick::min()), at_system(real(-infinite)),
    at_steady(slow::min()), system_clock::time_point(), steady_clock::time_point(), at_system(small(0)));
constexpr auto never_times =
    std::tuple(steady_clock::time_point::max(), at_system(hours::max()), at_steady(hours::max()),
               at_system(years::max()), at_system(real(infinite)), at_steady(slow::max()));

template <class All, class Do>
void for_all(const All& all, Do each) {
    std::apply([&](const auto&... one) { (each(one), ...); }, all);
}

// Each call, with a time that has passed, finds nothing; with one that never comes, what another thread sends.
template <class Receiver, class Send, class Answer>
void check_receiver(Receiver& from, Send send, Answer answer) {
    const auto nothing = [&](auto receive) { CHECK_FALSE(receive()); };
    for_all(passed, [&](auto time) {
        nothing([&] { return from.receive_for(time).has_value(); });
        nothing([&] { return from.receive_in_place_for(time) != nullptr; });
    });
    for_all(passed_times, [&](auto time) {
        nothing([&] { return from.receive_until(time).has_value(); });
        nothing([&] { return from.receive_in_place_until(time) != nullptr; });
    });
    const auto a_message = [&](auto receive) {
        std::jthread other([&] {
            std::this_thread::sleep_for(1ms);
            send();
        });
        CHECK(receive());
        other.join();
        answer();
    };
    for_all(never, [&](auto time) { a_message([&] { return from.receive_for(time) == 7; }); });
    for_all(never_times, [&](auto time) { a_message([&] { return from.receive_until(time) == 7; }); });
}

template <class Receiver, class Send>
void check_receiver(Receiver& from, Send send) {
    check_receiver(from, send, [] {});
}

}  // namespace

TEST_CASE("deadlines: what has passed has passed, and what no clock can tell is for ever") {
    for_all(passed, [](auto time) {
        const croft::detail::deadline end = croft::detail::deadline_after(time);
        CHECK(end <= steady_clock::now());
        CHECK(croft::detail::time_until(end) == 0ns);
    });
    for_all(passed_times, [](auto time) { CHECK(croft::detail::time_until(croft::detail::deadline_at(time)) == 0ns); });
    for_all(never, [](auto time) { CHECK(croft::detail::deadline_after(time) == croft::detail::deadline::max()); });
    for_all(never_times, [](auto time) { CHECK(croft::detail::deadline_at(time) == croft::detail::deadline::max()); });
    // Times that lie between, however they are told.
    const auto about = [](auto end, nanoseconds expected) {
        const nanoseconds left = croft::detail::time_until(end);
        CHECK(left <= expected + 1ms);  // a float is not more exact
        CHECK(left > expected - 61s);
    };
    about(croft::detail::deadline_after(quick::max()), duration_cast<nanoseconds>(quick::max()));
    about(croft::detail::deadline_after(real(60)), 60s);
    about(croft::detail::deadline_at(steady_clock::now() + 60s), 60s);
    about(croft::detail::deadline_at(system_clock::now() + 60s), 60s);
    about(croft::detail::deadline_at(system_clock::now() + 24h * 365 * 100), 24h * 365 * 100);
    about(croft::detail::deadline_at(time_point_cast<minutes>(system_clock::now()) + 2min), 120s);
}

TEST_CASE("a time before the clock's zero has passed for the operating system, too") {
    const std::atomic<std::uint32_t> word{0};
    CHECK_FALSE(croft::port::sleep_while_until(word, 0, croft::detail::deadline::min()));
    CHECK_FALSE(croft::port::sleep_while_until(word, 0, croft::detail::deadline(-1ns)));
}

TEST_CASE_TEMPLATE("a channel's receiver and sender come back from any time that has passed", Policies, packed_policies,
                   turns_policies, spinning_policies, drowsy_packed_policies) {
    croft::channel<int, Policies> one(1);
    check_receiver(one, [&] { one.send(7); });
    one.send(1);
    for_all(passed, [&](auto time) {
        CHECK_FALSE(one.send_for(2, time));
        CHECK(one.acquire_for(time) == nullptr);
    });
    for_all(passed_times, [&](auto time) {
        CHECK_FALSE(one.send_until(2, time));
        CHECK(one.acquire_until(time) == nullptr);
    });
}

TEST_CASE("and those of the other channels") {
    croft::many_to_one<int> letters(2, 1);
    check_receiver(letters, [&] { letters.sender(1).send(7); });
    croft::inbox<int> orders(1);
    auto place = orders.join();
    check_receiver(orders, [&] { place->send(7); });
    croft::one_to_many<int> numbers(2, 1);
    numbers.send(1);
    numbers.send(2);
    croft::request_reply<int> desk;
    const auto ask = [&] {
        desk.request() = 7;
        desk.publish();
    };
    check_receiver(desk, ask, [&] {
        desk.reply(1);
        desk.await_reply();
    });
    ask();
    for_all(passed, [&](auto time) {
        CHECK_FALSE(numbers.send_for(3, time));
        CHECK(desk.await_reply_for(time) == nullptr);
    });
    for_all(passed_times, [&](auto time) {
        CHECK_FALSE(numbers.send_until(3, time));
        CHECK(desk.await_reply_until(time) == nullptr);
        CHECK_FALSE(desk.call_until(8, time).has_value());
    });
}

TEST_CASE("who looks for ever before sleeping is told that as any duration") {
    croft::waits::best bell;
    if constexpr (requires { bell.spin_for(nanoseconds::max()); }) {
        bell.spin_for(nanoseconds::max());
        std::atomic<int> looks{0};
        bell.wait([&](auto) { return ++looks == 100'000; });
        CHECK(looks == 100'000);  // else it slept after a few, and nobody rings
    }
}
