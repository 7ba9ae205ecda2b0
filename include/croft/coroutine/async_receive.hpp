#pragma once
// Receiving by a coroutine, which is suspended until there is something.
//
//     while (auto next = co_await croft::async_receive(orders)) handle(*next);
//
// For channel, many_to_one, inbox and request_reply's server. At any of them the coroutine is the receiver, as a thread
// would be. There is one at a time, now a thread, now a coroutine. It goes on at once, and on its thread, if there is a
// message; else on a thread of the scheduler. Nothing is received at the end of the stream.

#include <optional>
#include <type_traits>
#include <utility>

#include <croft/channel/taken.hpp>
#include <croft/channel/wait_any.hpp>
#include <croft/coroutine/awaitable.hpp>
#include <croft/coroutine/ring_awaiter.hpp>

namespace croft {

namespace detail {

template <class Channel>
class receive_awaiter final : public ring_awaiter<receive_awaiter<Channel>> {
    using found = decltype(std::declval<Channel&>().try_receive_in_place());

public:
    receive_awaiter(Channel& from, task_scheduler& on) : ring_awaiter<receive_awaiter>(on), from_(from) {}

    auto await_resume() {
        using message = std::remove_pointer_t<found>;
        if (!found_) return std::optional<message>();
        return taken(*found_, [this] {
            if constexpr (requires { from_.set_ack(); }) from_.set_ack();  // a request is answered instead
        });
    }

private:
    friend ring_awaiter<receive_awaiter>;
    auto& waiter() { return waiter_of_receiver(from_); }
    // It may be only the end of one sender's stream that is there. Then it is taken, and there is nothing.
    bool is_ready() {
        found_ = from_.try_receive_in_place();
        if (found_ || from_.ended()) return true;
        flush_acks_of(from_);
        return false;
    }
    template <class Load>
    bool may_be_ready(Load load) {
        return from_.may_receive(load);
    }

    Channel& from_;
    found found_ = nullptr;
};

}  // namespace detail

// Throws std::system_error if the scheduler's thread for posts cannot be started.
template <class Channel>
auto async_receive(Channel& from, task_scheduler& on = task_scheduler::common()) {
    return detail::awaitable<detail::receive_awaiter<Channel>, Channel&, task_scheduler&>(from, on);
}

}  // namespace croft
