// Work that is posted to a scheduler runs on its threads, by itself, with their help, and in the order of the posts.

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <croft/task/detached.hpp>
#include <croft/task/parallel_for.hpp>
#include <croft/task/scheduler.hpp>
#include <croft/task/worker_local.hpp>

namespace {

class posted final : public croft::detached {
public:
    explicit posted(std::function<void()> body) : body_(std::move(body)) {}
    void run() noexcept override { body_(); }

private:
    std::function<void()> body_;
};

// Until all have come, but not for ever.
bool becomes(std::atomic<int>& count, int expected) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (count.load() != expected && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return count.load() == expected;
}

}  // namespace

TEST_CASE("posts are served where the caller is the only worker, first in, first out") {
    croft::task_scheduler scheduler(1);
    scheduler.begin_posts();
    scheduler.begin_posts();
    std::vector<int> order;
    std::atomic<int> done{0};
    std::deque<posted> all;
    for (int i = 0; i < 100; ++i)
        all.emplace_back([&, i] {
            order.push_back(i);
            ++done;
        });
    for (posted& each : all) scheduler.post(each);
    REQUIRE(becomes(done, 100));
    for (int i = 0; i < 100; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("as many posts run at the same time as there are workers") {
    for (const int workers : {1, 2, 3}) {
        CAPTURE(workers);
        croft::task_scheduler scheduler(static_cast<std::size_t>(workers));
        scheduler.begin_posts();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));  // all asleep
        std::atomic<int> begun{0}, met{0};
        std::deque<posted> all;
        for (int i = 0; i < workers; ++i)
            all.emplace_back([&] {
                ++begun;
                met += becomes(begun, workers);
            });
        for (posted& each : all) scheduler.post(each);
        CHECK(becomes(met, workers));
    }
}

TEST_CASE("the loops of a post are helped with, and know its scheduler") {
    croft::task_scheduler scheduler(2);
    scheduler.begin_posts();
    std::mutex lock;
    std::set<std::thread::id> seen;
    std::thread::id inner;
    std::atomic<int> done{0};
    posted one([&] {
        croft::parallel_for(0, 200, [&](int) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            const std::lock_guard guard(lock);
            seen.insert(std::this_thread::get_id());
        });
        inner = scheduler.run([] { return std::this_thread::get_id(); });  // a plain call
        seen.insert(inner);
        ++done;
    });
    scheduler.post(one);
    REQUIRE(becomes(done, 1));
    CHECK(seen.size() == 2);
    CHECK(seen.count(std::this_thread::get_id()) == 0);
}

TEST_CASE("no post is lost among those of many threads, while others call") {
    croft::task_scheduler scheduler(3);
    scheduler.begin_posts();
    constexpr int threads = 3, posts = 400;
    std::atomic<int> done{0};
    std::deque<posted> all;
    for (int i = 0; i < threads * posts; ++i) all.emplace_back([&] { ++done; });
    std::vector<std::thread> posters;
    for (int t = 0; t < threads; ++t)
        posters.emplace_back([&, t] {
            for (int i = 0; i < posts; ++i) {
                scheduler.post(all[static_cast<std::size_t>(t * posts + i)]);
                if (i % 50 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
                if (i % 70 == 0) scheduler.run([&] { croft::parallel_for(0, 100, [](int) {}); });
            }
        });
    for (std::thread& each : posters) each.join();
    CHECK(becomes(done, threads * posts));
}

TEST_CASE("a post may post, and be gone") {
    croft::task_scheduler scheduler(2);
    scheduler.begin_posts();
    std::atomic<int> left{1000};
    // Each makes the next one, and ends itself.
    struct chain final : croft::detached {
        chain(croft::task_scheduler& in, std::atomic<int>& count) : scheduler(in), left(count) {}
        void run() noexcept override {
            if (--left > 0) scheduler.post(*new chain(scheduler, left));
            delete this;
        }
        croft::task_scheduler& scheduler;
        std::atomic<int>& left;
    };
    scheduler.post(*new chain(scheduler, left));
    CHECK(becomes(left, 0));
}

TEST_CASE("no two threads are the same worker of a post's region, however posts and callers come and go") {
    constexpr int workers = 3, posts = 150;
    croft::task_scheduler scheduler(workers);
    scheduler.begin_posts();
    std::atomic<int> done{0}, clashes{0}, steps{0};
    const auto loop = [&] {
        std::array<std::atomic<int>, workers> busy{};
        croft::parallel_for(0, 60,
                            [&](int) {
                                std::atomic<int>& own = busy[*croft::worker_index()];
                                clashes += own.fetch_add(1, std::memory_order_relaxed) != 0;
                                for (int i = 0; i < 200; ++i) steps.fetch_add(1, std::memory_order_relaxed);
                                own.fetch_sub(1, std::memory_order_relaxed);
                            },
                            {.grain = 1});
    };
    std::deque<posted> all;
    for (int i = 0; i < posts; ++i)
        all.emplace_back([&] {
            loop();
            ++done;
        });
    for (std::size_t i = 0; i < all.size(); ++i) {
        scheduler.post(all[i]);
        if (i % 10 == 0) scheduler.run(loop);
        if (i % 30 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
    REQUIRE(becomes(done, posts));
    CHECK(clashes == 0);
    CHECK(steps == (posts + posts / 10) * 60 * 200);
}
