#pragma once
// A pattern's run (pattern/run.hpp), awaited by a coroutine.
//
//     co_await croft::async_run(source, croft::farm(parse), sink, {.threads = 2});
//
// It begins when it is awaited. One of the pool's threads (thread/thread_pool.hpp) does the work that a run does in the
// thread that calls it. None of the scheduler's does, because it waits for the run's other threads. Once the run has
// ended, the coroutine goes on on a thread of the scheduler. If that was before it was suspended, it goes on on its
// own. It gets the exception that the run throws; std::system_error if there is no thread for it.
//
// Named things are used where they are, and have to last until then; temporaries are kept.

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include <croft/channel/policies.hpp>
#include <croft/coroutine/awaitable.hpp>
#include <croft/pattern/run.hpp>
#include <croft/task/detached.hpp>
#include <croft/task/scheduler.hpp>
#include <croft/thread/thread_pool.hpp>

namespace croft {

namespace detail {

// Each of the three is a reference, or what was a temporary.
template <class Policies, class Source, class Pattern, class Sink>
class run_awaiter final : detached {
public:
    run_awaiter(Source&& source, Pattern&& pattern, Sink&& sink, run_options&& options, task_scheduler& on)
        : source_(std::forward<Source>(source)),
          pattern_(std::forward<Pattern>(pattern)),
          sink_(std::forward<Sink>(sink)),
          options_(std::move(options)),
          on_(on) {
        on.begin_posts();
    }

    bool await_ready() const { return false; }
    bool await_suspend(std::coroutine_handle<> waiting) {
        waiting_ = waiting;
        thread_.emplace(1);
        thread_->start(*this);
        return !is_second();
    }
    void await_resume() {
        thread_.reset();  // it has only to return
        if (failure_) std::rethrow_exception(failure_);
    }

    // By the thread.
    void operator()(std::size_t) {
        try {
            croft::run<Policies>(source_, std::forward<Pattern>(pattern_), sink_, options_);
        } catch (...) {
            failure_ = std::current_exception();
        }
        if (is_second()) on_.post(*this);
    }

private:
    // The starter of the thread may not have done with it when the run has, so the second of the two goes on. Acquire
    // and release: it finds what the other has written.
    bool is_second() { return arrived_.fetch_add(1, std::memory_order_acq_rel) == 1; }
    void run() noexcept override { waiting_.resume(); }

    Source source_;
    Pattern pattern_;
    Sink sink_;
    run_options options_;
    task_scheduler& on_;
    std::optional<thread_pool::loan> thread_;
    std::coroutine_handle<> waiting_;
    std::exception_ptr failure_;
    std::atomic<int> arrived_{0};
};

}  // namespace detail

template <class Policies = policies, class Source, class Pattern, class Sink>
auto async_run(Source&& source, Pattern&& pattern, Sink&& sink, run_options options = {},
               task_scheduler& on = task_scheduler::common()) {
    using awaiter = detail::run_awaiter<Policies, Source, Pattern, Sink>;
    return detail::awaitable<awaiter, Source, Pattern, Sink, run_options, task_scheduler&>(
        std::forward<Source>(source), std::forward<Pattern>(pattern), std::forward<Sink>(sink), std::move(options), on);
}

}  // namespace croft
