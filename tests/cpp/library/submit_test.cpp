// A callable with a future of its value.

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <croft/task/parallel_for.hpp>
#include <croft/task/submit.hpp>

#if defined(__SANITIZE_THREAD__)
// The future and the promise share the exception, which the last of them destroys. Its count is in libstdc++.so, where
// ThreadSanitizer does not see it.
extern "C" [[gnu::used]] const char* __tsan_default_suppressions() {
    return "race:std::__future_base::_Result_base::_Deleter::operator()\n";
}
#endif

TEST_CASE("a submitted callable's value comes by its future") {
    CHECK(croft::submit([] { return std::string("done"); }).get() == "done");
    int there = 0;
    std::future<int&> reference = croft::submit([&there]() -> int& { return there; });
    CHECK(&reference.get() == &there);
    std::atomic<bool> ran{false};
    croft::submit([&ran] { ran = true; }).get();
    CHECK(ran);
    auto move_only = std::make_unique<int>(7);
    CHECK(*croft::submit([mine = std::move(move_only)]() mutable { return std::move(mine); }).get() == 7);
}

TEST_CASE("what a submitted callable throws, get() throws") {
    std::future<int> future = croft::submit([]() -> int { throw std::runtime_error("no price"); });
    CHECK_THROWS_WITH_AS(future.get(), "no price", std::runtime_error);
}

TEST_CASE("what a submitted callable has captured is gone before its future is ready") {
    for (const bool throws : {false, true}) {
        auto shared = std::make_shared<int>(1);
        const std::weak_ptr<int> seen = shared;
        std::future<void> future = croft::submit([mine = std::move(shared), throws] {
            if (throws) throw std::runtime_error("no price");
        });
        future.wait();
        CHECK(seen.expired());
    }
}

TEST_CASE("many threads submit, and submitted callables submit and have loops") {
    std::atomic<int> sum{0};
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller)
        callers.emplace_back([&sum] {
            std::vector<std::future<void>> futures;
            for (int i = 0; i < 250; ++i)
                futures.push_back(croft::submit([&sum] {
                    croft::parallel_for(0, 10, [&sum](int) { sum.fetch_add(1, std::memory_order_relaxed); });
                }));
            for (std::future<void>& each : futures) each.get();
        });
    for (std::thread& caller : callers) caller.join();
    CHECK(sum == 4 * 250 * 10);
    CHECK(croft::submit([] { return croft::submit([] { return 3; }); }).get().get() == 3);
}
