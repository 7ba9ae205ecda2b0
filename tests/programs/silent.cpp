// All that waits, sleeps, steals, fails and ends, for ThreadSanitizer to find nothing in: silent [race]. With `race`
// two threads write one variable beside it, which it has to find. Prints "ok" or what is wrong.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <croft/channel/inbox.hpp>
#include <croft/channel/kinds.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/channel/request_reply.hpp>
#include <croft/channel/wait_any.hpp>
#include <croft/memory/incoherent.hpp>
#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/all_to_all.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/map.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/run.hpp>
#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_invoke.hpp>
#include <croft/task/shared_deques.hpp>
#include <croft/task/sort.hpp>
#include <croft/task/task_group.hpp>
#include <croft/task/transform_reduce.hpp>

#include "numbers.hpp"

namespace {

using namespace numbers;
using namespace std::chrono_literals;

std::atomic<int> wrong{0};
void check(bool right, const char* what) {
    if (right) return;
    std::printf("wrong: %s\n", what);
    ++wrong;
}

// Messages are not atomic, so that each needs the order that its channel gives it.
template <class Policies>
void channels() {
    croft::channel<std::string, Policies> there(4), back(4);
    std::thread echo([&] {
        while (auto text = there.receive()) {
            if (text->size() % 7 == 0) std::this_thread::sleep_for(1ms);  // so that the other one sleeps
            back.send(*text + "!");
        }
        back.close();
    });
    std::size_t got = 0;
    for (int i = 0; i < 200; ++i) {
        there.send(std::string(static_cast<std::size_t>(i % 50), 'x'));
        got += back.receive()->size();
    }
    there.close();
    echo.join();
    check(got == 200 + 4 * 49 * 50 / 2, "channels");
}
void many_threads() {
    croft::inbox<std::unique_ptr<int>> all(2);
    croft::many_to_one<std::string> numbers(1, 2);
    croft::request_reply<int, std::string> desk({}, nullptr, &numbers.waiter());
    std::vector<std::jthread> senders;
    for (int i = 0; i < 3; ++i)
        senders.emplace_back([&] {
            for (int joined = 0; joined < 5; ++joined) {
                auto sender = all.join();
                for (int n = 0; n < 20; ++n) sender->send(std::make_unique<int>(n));
            }
        });
    senders.emplace_back([&] {
        for (int i = 0; i < 50; ++i) check(desk.call(i) == std::to_string(i), "request_reply");
        desk.close();
    });
    senders.emplace_back([&] {
        for (int i = 0; i < 50; ++i) numbers.sender(0).send(std::to_string(i));
        numbers.sender(0).close();
    });
    std::jthread server([&] {
        int received = 0;
        while (croft::wait_any(numbers, desk)) {
            while (auto number = numbers.try_receive()) check(*number == std::to_string(received++), "wait_any");
            if (auto asked = desk.try_receive()) desk.reply(std::to_string(*asked));
        }
        check(received == 50, "wait_any");
    });
    int sum = 0;
    for (int messages = 0; messages < 300; ++messages) sum += **all.receive();
    check(sum == 15 * 190, "inbox");
}
void patterns() {
    for (const std::size_t threads : {1, 2, 4}) {
        std::vector<std::string> made;
        const auto text = [](int n) { return std::to_string(n); };
        const auto urgent = croft::priority{[](int n) { return n % 3; }};
        croft::run(count_to(300),
                   croft::pipeline(croft::farm([](int n) { return n; }, {.workers = 3}, urgent),
                                   croft::all_to_all(triple, text, {.left = 2, .right = 2}),
                                   croft::farm([](std::string s) { return s + s; }, {.workers = 2, .ordered = true})),
                   [&](std::string s) { made.push_back(std::move(s)); }, {.threads = threads});
        check(made.size() == 300, "patterns");
        const auto brightest = [](const std::vector<int>& all, croft::share mine) {
            const croft::slice own = mine.of(all.size());
            return std::accumulate(all.begin() + static_cast<std::ptrdiff_t>(own.begin),
                                   all.begin() + static_cast<std::ptrdiff_t>(own.end), 0);
        };
        long sum = 0;
        croft::run(count_to(50), croft::pipeline(range, croft::map(brightest, std::plus<>(), {.workers = 3})),
                   [&](int n) { sum += n; }, {.threads = threads});
        check(sum == 49 * 50 * 51 / 6, "map");
    }
}
void failures() {
    for (int i = 0; i < 20; ++i) {
        const auto fails = [](int n) {
            if (n == 20) throw std::runtime_error("at " + std::to_string(n));
            return n;
        };
        try {
            croft::run(count_to(100), croft::farm(fails, {.workers = 3}), [](int) {}, {.threads = 3});
            check(false, "a failure is lost");
        } catch (const std::runtime_error& error) {
            check(error.what() == std::string("at 20"), "another failure");
        }
        croft::accelerator<int, int> offloaded(croft::farm(fails, {.workers = 2}), {.threads = 2});
        try {
            for (int n = 0; n < 30; ++n) offloaded.offload(n);
            offloaded.close();
            while (offloaded.get_result()) {
            }
            check(false, "an accelerator's failure is lost");
        } catch (const std::runtime_error& error) {
            check(error.what() == std::string("at 20"), "another failure of the accelerator");
        }
        try {
            croft::parallel_for(0, 1000, [](int n) {
                if (n % 100 == 50) throw std::runtime_error("at " + std::to_string(n));
            });
            check(false, "a task's failure is lost");
        } catch (const std::runtime_error& error) {
            check(std::string(error.what()).ends_with("50"), "another failure of a task");
        }
    }
}
template <class Runtime>
void tasks() {
    croft::detail::basic_task_scheduler<Runtime> scheduler(3);
    for (int round = 0; round < 5; ++round) {
        std::this_thread::sleep_for(1ms);  // the workers sleep
        std::vector<std::string> all(2000);
        scheduler.run([&] {
            croft::parallel_for<Runtime>(std::size_t{0}, all.size(),
                                         [&](std::size_t i) { all[i] = std::to_string(i * 7919 % 2000); });
            croft::sort<Runtime>(all.begin(), all.end());
            croft::detail::basic_task_group<Runtime> group;
            std::vector<long> sizes(10);
            for (std::size_t i = 0; i < 10; ++i)
                group.run([&, i] {
                    sizes[i] = croft::transform_reduce<Runtime>(
                        all.begin(), all.end(), 0L, std::plus<>(),
                        [](const std::string& s) { return static_cast<long>(s.size()); });
                });
            group.wait();
            for (const long each : sizes) check(each == 10 + 90 * 2 + 900 * 3 + 1000 * 4, "tasks");
        });
    }
    std::vector<std::jthread> callers;
    for (int i = 0; i < 3; ++i)
        callers.emplace_back([&] {
            std::vector<int> own(500);
            scheduler.run(
                [&] { croft::parallel_for<Runtime>(0, 500, [&](int n) { own[static_cast<std::size_t>(n)] = n; }); });
            check(std::accumulate(own.begin(), own.end(), 0) == 499 * 250, "callers");
        });
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 2 && std::strcmp(arguments[1], "race") == 0) {
        int shared = 0;
        croft::parallel_invoke(
            [&] {
                shared = 1;
                std::this_thread::sleep_for(50ms);
            },
            [&] {
                shared = 2;
                std::this_thread::sleep_for(50ms);
            });
        std::thread other([&] { shared += 1; });
        shared += 1;
        other.join();
    }
    channels<croft::policies>();
    channels<croft::kinds::ra>();
    many_threads();
    patterns();
    failures();
    tasks<croft::direct_stealing>();
    tasks<croft::shared_deques>();
    if (wrong == 0) std::puts("ok");
    return wrong == 0 ? 0 : 1;
}
