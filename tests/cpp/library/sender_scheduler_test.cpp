// The scheduler of senders under a library that is nothing but its names. Each operation completes once, on a worker,
// and as the receiver's stop token says. (With a real library: tests/interop/senders.cpp.)

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>

#include <croft/interop/sender_scheduler.hpp>
#include <croft/task/parallel_for.hpp>
#include <croft/task/worker_local.hpp>

namespace {

// The names, as [exec] has them.
struct names {
    struct sender_tag {};
    struct scheduler_tag {};
    struct operation_state_tag {};
    struct set_value_t {
        template <class Receiver>
        void operator()(Receiver&& to) const noexcept {
            std::move(to).set_value();
        }
    };
    struct set_stopped_t {
        template <class Receiver>
        void operator()(Receiver&& to) const noexcept {
            std::move(to).set_stopped();
        }
    };
    template <class...>
    struct completion_signatures {};
    template <class Tag>
    struct get_completion_scheduler_t {};
    struct get_forward_progress_guarantee_t {};
    enum class forward_progress_guarantee { concurrent, parallel };
    static constexpr auto parallel = forward_progress_guarantee::parallel;

    template <class... Env>
    static constexpr bool unstoppable = sizeof...(Env) > 0 && (std::is_void_v<typename Env::token> && ...);
    template <class Receiver>
    using environment_of = typename Receiver::env;
    template <class Receiver>
    static bool stop_requested(const Receiver& receiver) noexcept {
        return receiver.to->stop.stop_requested();
    }
};
using scheduler = croft::interop::sender_scheduler<names>;

// How often and where an operation has completed.
struct outcome {
    std::stop_token stop;
    std::atomic<int> values{0}, stops{0};
    std::optional<std::size_t> worker;
    std::thread::id thread;

    void await() const {
        while (values + stops == 0) std::this_thread::yield();
    }
};
template <class Token>
struct receiver {
    struct env {
        using token = Token;
    };
    outcome* to;

    void set_value() && noexcept {
        to->worker = croft::worker_index();
        to->thread = std::this_thread::get_id();
        ++to->values;
    }
    void set_stopped() && noexcept { ++to->stops; }
};
using stoppable = receiver<std::stop_token>;
using unstoppable = receiver<void>;

template <class Env>
using signatures = decltype(scheduler::sender::get_completion_signatures<scheduler::sender, Env>());

}  // namespace

TEST_CASE("a schedule sender says what it may do") {
    using value = names::set_value_t();
    using stopped = names::set_stopped_t();
    CHECK(std::is_same_v<signatures<stoppable::env>, names::completion_signatures<value, stopped>>);
    CHECK(std::is_same_v<signatures<unstoppable::env>, names::completion_signatures<value>>);
    CHECK(std::is_same_v<decltype(scheduler::sender::get_completion_signatures<scheduler::sender>()),
                         names::completion_signatures<value, stopped>>);

    croft::task_scheduler tasks(1), others(1);
    const scheduler on(tasks);
    CHECK(on == scheduler(tasks));
    CHECK_FALSE(on == scheduler(others));
    CHECK(on.query(names::get_forward_progress_guarantee_t()) == names::forward_progress_guarantee::parallel);
    const auto says = on.schedule().get_env();
    CHECK(says.query(names::get_completion_scheduler_t<names::set_value_t>()) == on);
    CHECK(says.query(names::get_completion_scheduler_t<names::set_stopped_t>()) == on);
}

TEST_CASE("an operation completes once, on a worker, however few there are") {
    for (const std::size_t workers : {1u, 3u}) {
        CAPTURE(workers);
        croft::task_scheduler tasks(workers);
        outcome to;
        auto operation = scheduler(tasks).schedule().connect(stoppable{&to});
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        CHECK(to.values == 0);  // not before its start
        operation.start();
        to.await();
        CHECK(to.values == 1);
        CHECK(to.stops == 0);
        CHECK(to.worker == 0);
        CHECK(to.thread != std::this_thread::get_id());
    }
}

TEST_CASE("an operation is stopped if that was requested before it came to run, unless its receiver knows no stop") {
    croft::task_scheduler tasks(1);
    std::stop_source source;
    source.request_stop();
    outcome stopped, done;
    stopped.stop = done.stop = source.get_token();
    auto first = scheduler(tasks).schedule().connect(stoppable{&stopped});
    auto second = scheduler(tasks).schedule().connect(unstoppable{&done});
    first.start();
    second.start();
    stopped.await();
    done.await();
    CHECK(stopped.values == 0);
    CHECK(stopped.stops == 1);
    CHECK(done.values == 1);
    CHECK(done.stops == 0);
}

namespace {

struct chain;
struct chained {
    struct env {
        using token = void;
    };
    chain* in;
    void set_value() && noexcept;
};
struct chain {
    chain(croft::task_scheduler& on, std::atomic<int>& count)
        : tasks(on), left(count), operation(scheduler(on).schedule().connect(chained{this})) {
        operation.start();
    }
    croft::task_scheduler& tasks;
    std::atomic<int>& left;
    scheduler::operation<chained> operation;
};
void chained::set_value() && noexcept {
    const std::unique_ptr<chain> ended(in);
    if (--ended->left > 0) std::make_unique<chain>(ended->tasks, ended->left).release();
}

}  // namespace

TEST_CASE("an operation may be destroyed by its receiver") {
    croft::task_scheduler tasks(2);
    std::atomic<int> left{500};
    std::make_unique<chain>(tasks, left).release();
    while (left > 0) std::this_thread::yield();
    CHECK(left == 0);
}
