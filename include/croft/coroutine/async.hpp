#pragma once
// A coroutine that comes to a value, or to an exception.
//
//     croft::async<long> add(croft::channel<int>& from) {
//         long sum = 0;
//         while (const auto one = co_await croft::async_receive(from)) sum += *one;
//         co_return sum;
//     }
//     croft::async<> both(croft::channel<int>& one, croft::channel<int>& other) {
//         croft::submitted<long> left = croft::submit(add(one));  // on a thread of the scheduler, from now on
//         const long right = co_await add(other);                 // here
//         std::printf("%ld and %ld\n", co_await left, right);
//     }
//     int main() {
//         croft::channel<int> left(8), right(8);                  // others send there
//         croft::submit(both(left, right)).get();                 // get() is for threads: it waits
//     }
//
// It begins when it is awaited or submitted, not before. Who awaits it goes on where it ends: on its thread, or at once
// if it never had to wait. Its value and its exception are taken once. It can await whatever coroutines can.
//
// A coroutine in which get(), or the destructor of submitted, waits keeps a thread of the scheduler meanwhile.

#include <condition_variable>
#include <coroutine>
#include <exception>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include <croft/coroutine/completion.hpp>
#include <croft/task/detached.hpp>
#include <croft/task/scheduler.hpp>

namespace croft {

template <class T = void>
class async;
template <class T>
class submitted;

namespace detail {

// Told that a coroutine has ended; gives the coroutine that goes on then.
class continuation {
public:
    virtual std::coroutine_handle<> ended() noexcept = 0;

protected:
    ~continuation() = default;
};

class thread_waits final : public continuation {
public:
    std::coroutine_handle<> ended() noexcept override {
        const std::lock_guard guard(lock_);
        over_ = true;
        wake_.notify_one();  // with the lock: without it the waiter could be gone
        return std::noop_coroutine();
    }
    void wait() {
        std::unique_lock guard(lock_);
        wake_.wait(guard, [this] { return over_; });
    }

private:
    std::mutex lock_;
    std::condition_variable wake_;
    bool over_ = false;
};

// The parts of a promise that do not know the type of its value.
class async_promise_base : public detached {
public:
    class last {
    public:
        bool await_ready() const noexcept { return false; }
        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ends) const noexcept {
            continuation* const waiting = ends.promise().over.end();
            return waiting ? waiting->ended() : std::noop_coroutine();
        }
        void await_resume() const noexcept {}
    };
    std::suspend_always initial_suspend() const noexcept { return {}; }
    last final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { failure_ = std::current_exception(); }

    completion<continuation> over;

protected:
    void rethrow() {
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }

private:
    std::exception_ptr failure_;
};

template <class T>
class async_promise final : public async_promise_base {
    static_assert(std::is_object_v<T>,
                  "croft::async<T>: T is an object's type or void; give a pointer for a reference");

public:
    async<T> get_return_object();
    template <class From>
    void return_value(From&& value) {
        value_.emplace(std::forward<From>(value));
    }
    T take() {
        rethrow();
        return std::move(*value_);
    }

private:
    void run() noexcept override { std::coroutine_handle<async_promise>::from_promise(*this).resume(); }

    std::optional<T> value_;
};
template <>
class async_promise<void> final : public async_promise_base {
public:
    async<void> get_return_object();
    void return_void() const noexcept {}
    void take() { rethrow(); }

private:
    void run() noexcept override { std::coroutine_handle<async_promise>::from_promise(*this).resume(); }
};

// One coroutine waits for another's end. It begins the other if nobody has.
template <class T>
class async_awaiter final : continuation {
    using handle = std::coroutine_handle<async_promise<T>>;

public:
    async_awaiter(handle what, bool begun) : what_(what), begun_(begun) {}

    bool await_ready() const { return begun_ && what_.promise().over.is_over(); }
    // The other runs on this stack up to where it waits or ends, and returns here. So a loop of coroutines that need
    // not wait takes no more stack with each.
    bool await_suspend(std::coroutine_handle<> waiting) {
        waiting_ = waiting;
        if (!begun_) what_.resume();
        return what_.promise().over.await(*this);
    }
    T await_resume() { return what_.promise().take(); }

private:
    std::coroutine_handle<> ended() noexcept override { return waiting_; }

    handle what_;
    bool begun_;
    std::coroutine_handle<> waiting_;
};

}  // namespace detail

template <class T>
class [[nodiscard]] async {
public:
    using promise_type = detail::async_promise<T>;

    async(async&& from) noexcept : what_(std::exchange(from.what_, nullptr)) {}
    async& operator=(async&& from) noexcept {
        async(std::move(from)).swap(*this);
        return *this;
    }
    ~async() {
        if (what_) what_.destroy();
    }
    void swap(async& other) noexcept { std::swap(what_, other.what_); }

    detail::async_awaiter<T> operator co_await() && { return {what_, false}; }

private:
    friend promise_type;
    friend submitted<T>;
    explicit async(std::coroutine_handle<promise_type> what) : what_(what) {}

    std::coroutine_handle<promise_type> what_;
};

// A coroutine that a scheduler runs. Its destructor waits for the end.
template <class T>
class [[nodiscard]] submitted {
public:
    submitted(async<T> what, task_scheduler& on) : what_(std::move(what)) {
        on.begin_posts();
        on.post(what_.what_.promise());
    }
    submitted(submitted&&) noexcept = default;
    ~submitted() {
        if (what_.what_) wait();
    }

    // Waits for the end; then the value, or what was thrown. Once; not beside an await.
    T get() {
        wait();
        return what_.what_.promise().take();
    }
    detail::async_awaiter<T> operator co_await() { return {what_.what_, true}; }

private:
    void wait() {
        detail::thread_waits here;
        if (what_.what_.promise().over.await(here)) here.wait();
    }

    async<T> what_;
};

// Begins it on a thread of the scheduler. Throws std::system_error if that has no thread for posts.
template <class T>
submitted<T> submit(async<T> what, task_scheduler& on = task_scheduler::common()) {
    return {std::move(what), on};
}

template <class T>
async<T> detail::async_promise<T>::get_return_object() {
    return async<T>(std::coroutine_handle<async_promise>::from_promise(*this));
}
inline async<void> detail::async_promise<void>::get_return_object() {
    return async<void>(std::coroutine_handle<async_promise>::from_promise(*this));
}

}  // namespace croft
