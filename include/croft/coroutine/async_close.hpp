#pragma once
// The end of a stream, by a coroutine that sends: close() waits for a slot to say it in, and would keep the thread.
//
//     co_await croft::async_close(orders);
//
// For a channel (also one of many_to_one or one_to_many) and a place in an inbox. Also for one_to_many as a whole,
// which waits for room at every receiver. Nothing may be sent afterwards. The channel has to live until the coroutine
// goes on: it may not have gone on yet when its receiver has the end.

#include <croft/coroutine/async_send.hpp>
#include <croft/coroutine/awaitable.hpp>
#include <croft/coroutine/ring_awaiter.hpp>

namespace croft {

namespace detail {

template <class Sender>
class close_awaiter final : public ring_awaiter<close_awaiter<Sender>> {
public:
    close_awaiter(Sender& what, task_scheduler& on) : ring_awaiter<close_awaiter>(on), what_(what) {}

    void await_resume() { what_.close(); }

private:
    friend ring_awaiter<close_awaiter>;
    auto& to() {
        if constexpr (requires { *what_; })
            return *what_;
        else
            return what_;
    }
    auto& waiter() { return waiter_of_sender(to()); }
    bool is_ready() { return may_be_ready(acquire_load{}); }
    template <class Load>
    bool may_be_ready(Load load) {
        return to().may_close(load);
    }

    Sender& what_;
};

}  // namespace detail

// Throws std::system_error if the scheduler's thread for posts cannot be started.
template <class Sender>
auto async_close(Sender& what, task_scheduler& on = task_scheduler::common()) {
    return detail::awaitable<detail::close_awaiter<Sender>, Sender&, task_scheduler&>(what, on);
}

}  // namespace croft
