#pragma once
// Runs a callable on one of the common scheduler's threads, and gives a future of its value.
//
//     std::future<double> price = croft::submit([&] { return simulate(42); });
//     use(price.get());
//
// Submissions begin in their order. get() throws what the callable throws. By then what the callable has captured is
// gone. Inside it, loops and the like share out their work as anywhere. The future's destructor does not wait.
//
// get() keeps its thread waiting. So a task that waits for its own children takes a task_group (task_group.hpp)
// instead: a worker works meanwhile. Coroutines have async_run and the like.
//
// Not on a simulated many-core, whose scheduler takes no work without a caller.

#include <concepts>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <croft/task/detached.hpp>
#include <croft/task/scheduler.hpp>

namespace croft {

namespace detail {

// It deletes itself once it has run.
template <class Body>
class submission final : public detached {
    using result = std::invoke_result_t<Body&>;

public:
    explicit submission(Body body) : body_(std::move(body)) {}
    std::future<result> future() { return promise_.get_future(); }

private:
    void run() noexcept override {
        const std::unique_ptr<submission> self(this);
        try {
            keep();
        } catch (...) {
            body_.reset();
            promise_.set_exception(std::current_exception());
        }
    }
    void keep() {
        if constexpr (std::is_void_v<result>) {
            (*body_)();
            body_.reset();
            promise_.set_value();
        } else {
            result value = (*body_)();
            body_.reset();
            promise_.set_value(std::forward<result>(value));
        }
    }

    std::optional<Body> body_;
    std::promise<result> promise_;
};

}  // namespace detail

// Throws std::system_error if the common scheduler cannot have a thread, std::bad_alloc, and what moving or copying
// `body` throws; then nothing is submitted.
template <class Body>
    requires std::invocable<std::decay_t<Body>&>
[[nodiscard]] auto submit(Body&& body) {
    task_scheduler& on = task_scheduler::common();
    on.begin_posts();
    auto made = std::make_unique<detail::submission<std::decay_t<Body>>>(std::forward<Body>(body));
    auto future = made->future();
    on.post(*made.release());
    return future;
}

}  // namespace croft
