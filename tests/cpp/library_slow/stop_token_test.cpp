// A std::stop_token ends loops, groups, runs, and whatever waits at a channel. The work that was done before is not
// lost.

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/channel/inbox.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/channel/one_to_many.hpp>
#include <croft/channel/request_reply.hpp>
#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>
#include <croft/task/parallel_reduce.hpp>
#include <croft/task/parallel_scan.hpp>
#include <croft/task/task_group.hpp>

#include "policies_under_test.hpp"
#include "task_runtimes.hpp"

namespace {

using namespace std::chrono_literals;

// Requests the stop while `waits` does; long enough after it has begun that it sleeps, as a rule.
template <class Waits>
void stopped_while(Waits waits) {
    for (const auto before : {0us, 20us, 3000us}) {
        std::stop_source source;
        std::atomic<bool> begun{false};
        std::thread requester([&] {
            while (!begun) std::this_thread::yield();
            std::this_thread::sleep_for(before);
            source.request_stop();
        });
        begun = true;
        waits(source.get_token());
        requester.join();
    }
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("a fold ends when a stop is requested", Runtime, stopped_fold) {
    for (const std::size_t workers : {1u, 3u}) {
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        std::stop_source source;
        std::atomic<int> steps{0};
        const auto fold = [&](int all, std::stop_token stop, bool requests) {
            return scheduler.run([&] {
                return croft::parallel_reduce<Runtime>(0, all, 0,
                                                       [&](int) {
                                                           if (requests) source.request_stop();
                                                           return 1 + 0 * ++steps;
                                                       },
                                                       std::plus<>(), stop, {.grain = 1});
            });
        };
        CHECK(fold(1000, std::stop_source().get_token(), false) == 1000);
        steps = 0;
        CHECK_FALSE(fold(100'000, source.get_token(), true).has_value());
        CHECK(steps >= 1);
        CHECK(steps <= static_cast<int>(workers));
        CHECK_FALSE(fold(10, source.get_token(), false).has_value());
        CHECK(fold(0, source.get_token(), false) == 0);  // nothing was left out
    }
}

TEST_CASE_TEMPLATE_DEFINE("a scan ends when a stop is requested", Runtime, stopped_scan) {
    for (const std::size_t workers : {1u, 3u}) {
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        std::stop_source source;
        std::atomic<int> told{0};
        const auto scan = [&](int all, std::stop_token stop, int requests_at) {
            return scheduler.run([&] {
                return croft::parallel_scan<Runtime>(
                    0, all, 0L, [](int) { return 1L; }, std::plus<>(),
                    [&](int, long) {
                        if (++told == requests_at) source.request_stop();
                    },
                    stop);
            });
        };
        CHECK(scan(10'000, std::stop_source().get_token(), -1) == 10'000);
        CHECK(told == 10'000);
        told = 0;
        CHECK_FALSE(scan(1'000'000, source.get_token(), 100).has_value());
        CHECK(told >= 100);
        CHECK(told < 500'000);
        CHECK_FALSE(scan(10, source.get_token(), -1).has_value());
    }
}

TEST_CASE_TEMPLATE_DEFINE("a group is cancelled when a stop is requested, and stays so", Runtime, stopped_group) {
    for (const std::size_t workers : {1u, 3u}) {
        croft::detail::basic_task_scheduler<Runtime> scheduler(workers);
        std::stop_source source;
        std::atomic<int> ran{0};
        scheduler.run([&] {
            croft::detail::basic_task_group<Runtime> group(source.get_token());
            group.run([&] { ++ran; });
            CHECK(group.wait());
            group.run([&] { source.request_stop(); });
            group.wait();
            croft::detail::basic_task_group<Runtime> inner(group);
            CHECK(inner.cancelled());
            group.run([&] { ++ran; });
            CHECK_FALSE(group.wait());
            CHECK(group.cancelled());
        });
        CHECK(ran == 1);
    }
}

TEST_CASE_TEMPLATE_INVOKE(stopped_fold, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(stopped_scan, NATIVE_RUNTIMES);
TEST_CASE_TEMPLATE_INVOKE(stopped_group, NATIVE_RUNTIMES);

TEST_CASE("a run drains when a stop is requested") {
    for (const std::size_t threads : {1u, 2u, 4u}) {
        std::stop_source source;
        int made = 0, taken = 0;
        const auto endless = [&] { return std::optional(made++); };
        const auto sink = [&](int) {
            if (++taken == 30) source.request_stop();
        };
        const auto same = [](int i) { return i; };
        croft::run(endless, croft::farm(same, {.workers = 2}), sink, {.threads = threads, .stop = source.get_token()});
        CHECK(taken >= 30);
        CHECK(taken == made);
        made = taken = 0;
        croft::run(endless, same, sink, {.threads = threads, .stop = source.get_token()});
        CHECK(taken == 0);  // requested already
    }
}

TEST_CASE("an accelerator stops when a stop is requested, also while nothing is offloaded") {
    std::stop_source source;
    croft::accelerator<int, int> twice([](int i) { return 2 * i; }, {.threads = 1, .stop = source.get_token()});
    twice.offload(21);
    CHECK(twice.get_result() == 42);
    source.request_stop();
    CHECK_FALSE(twice.get_result().has_value());  // the end of its stream
    CHECK(twice.ended());
}

#define STOPPED_POLICIES packed_policies, paper_policies, spinning_policies, drowsy_policies

TEST_CASE_TEMPLATE("who waits at a channel goes on when a stop is requested", Policies, STOPPED_POLICIES) {
    croft::channel<int, Policies> channel(2);
    stopped_while([&](std::stop_token stop) { CHECK_FALSE(channel.receive_until(stop).has_value()); });
    stopped_while([&](std::stop_token stop) { CHECK(channel.receive_in_place_until(stop) == nullptr); });
    CHECK_FALSE(channel.ended());
    int sent = 0;
    while (channel.try_send(sent)) ++sent;
    stopped_while([&](std::stop_token stop) { CHECK_FALSE(channel.send_until(7, stop)); });
    stopped_while([&](std::stop_token stop) { CHECK(channel.acquire_until(stop) == nullptr); });
    // Messages that have come are given, and those that there is room for are sent, whether or not there was a request.
    std::stop_source source;
    source.request_stop();
    for (int i = 0; i < sent; ++i) CHECK(channel.receive_until(source.get_token()) == i);
    CHECK_FALSE(channel.receive_until(source.get_token()).has_value());
    CHECK(channel.send_until(sent, source.get_token()));
    CHECK(channel.receive_until(std::stop_token()) == sent);  // one that nobody can stop
}

TEST_CASE_TEMPLATE("who waits at any kind of channel goes on when a stop is requested", Policies, packed_policies,
                   spinning_policies) {
    croft::many_to_one<int, Policies> numbers(2, 1);
    croft::one_to_many<int, Policies> jobs(2, 1);
    croft::request_reply<int, int, Policies> desk;
    stopped_while([&](std::stop_token stop) { CHECK_FALSE(numbers.receive_until(stop).has_value()); });
    stopped_while([&](std::stop_token stop) { CHECK_FALSE(desk.receive_until(stop).has_value()); });
    while (jobs.try_send(1)) {
    }
    stopped_while([&](std::stop_token stop) { CHECK_FALSE(jobs.send_until(1, stop)); });
    // Nobody answers; then the reply is owed.
    desk.request() = 1;
    desk.publish();
    stopped_while([&](std::stop_token stop) { CHECK(desk.await_reply_until(stop) == nullptr); });
    desk.reply(*desk.receive() + 1);
    CHECK(*desk.await_reply_until(std::stop_token()) == 2);
    stopped_while([&](std::stop_token stop) { CHECK_FALSE(desk.call_until(3, stop).has_value()); });

    croft::inbox<int, Policies> letters(1);
    stopped_while([&](std::stop_token stop) { CHECK_FALSE(letters.receive_until(stop).has_value()); });
}

TEST_CASE("no message is lost between a stop and the next call") {
    croft::channel<int> channel(4);
    constexpr int count = 20'000;
    std::thread sender([&] {
        for (int i = 0; i < count; ++i) {
            channel.send(i);
            if (i % 64 == 0) std::this_thread::yield();
        }
        channel.close();
    });
    std::atomic<std::stop_source*> stops{nullptr};
    std::atomic<bool> ended{false};
    std::atomic<int> requested{0};
    std::thread requester([&] {
        while (!ended)
            if (std::stop_source* const now = stops.exchange(nullptr)) {
                now->request_stop();
                ++requested;
            }
    });
    int expected = 0, taken = 0;
    while (!channel.ended()) {
        std::stop_source source;
        stops = &source;
        if (const auto message = channel.receive_until(source.get_token())) CHECK(*message == expected++);
        if (stops.exchange(nullptr) == nullptr) {
            ++taken;
            while (requested != taken) std::this_thread::yield();
        }
    }
    ended = true;
    requester.join();
    sender.join();
    CHECK(expected == count);
}
