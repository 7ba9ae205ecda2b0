#pragma once
// An await that ends, at the latest, when a stop is requested.
//
//     while (auto next = co_await croft::until_stopped(croft::async_receive(orders), stop)) handle(*next);
//     const bool stopped = !orders.ended();
//     const bool sent = co_await croft::until_stopped(croft::async_send(orders, mine), stop);
//
// For async_receive, which comes to nothing then, and async_send and async_close, which come to false. It takes what is
// there already, even after the request. So the next receiver gets every message that this one did not. A message that
// was not sent ends with the awaitable that it was moved into.
//
// The thread that requests the stop rings the channel's doorbell, and resumes nothing: the coroutine goes on as after a
// message.

#include <coroutine>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <croft/coroutine/awaitable.hpp>

namespace croft {

namespace detail {

template <class Awaiter>
class stoppable_awaiter {
    using result = decltype(std::declval<Awaiter&>().await_resume());

public:
    template <class... Parts>
    stoppable_awaiter(awaitable<Awaiter, Parts...>&& what, std::stop_token&& stop)
        : inner_(std::move(what).operator co_await()) {
        inner_.stop_with(std::move(stop));
    }

    bool await_ready() { return inner_.await_ready(); }
    bool await_suspend(std::coroutine_handle<> waiting) { return inner_.await_suspend(waiting); }
    auto await_resume() {
        const bool stopped = inner_.was_stopped();
        if constexpr (std::is_void_v<result>) {
            if (!stopped) inner_.await_resume();
            return !stopped;
        } else {
            return stopped ? result() : inner_.await_resume();  // made in the caller's place: see taken.hpp
        }
    }

private:
    Awaiter inner_;
};

}  // namespace detail

template <class Awaiter, class... Parts>
auto until_stopped(detail::awaitable<Awaiter, Parts...>&& what, std::stop_token stop) {
    using what_type = detail::awaitable<Awaiter, Parts...>;
    return detail::awaitable<detail::stoppable_awaiter<Awaiter>, what_type, std::stop_token>(std::move(what),
                                                                                             std::move(stop));
}

}  // namespace croft
