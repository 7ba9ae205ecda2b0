#pragma once
// Sending by a coroutine, which is suspended until there is room.
//
//     co_await croft::async_send(orders, next);
//
// For channel, the senders of many_to_one and inbox, which are channels, and one_to_many; the coroutine is the sender,
// as a thread would be. It goes on at once, and on its thread, if there is room; else on a thread of the scheduler. It
// gets `disconnected` as send() throws it.

#include <exception>
#include <utility>

#include <croft/coroutine/awaitable.hpp>
#include <croft/coroutine/ring_awaiter.hpp>

namespace croft {

namespace detail {

template <class Channel>
auto& waiter_of_sender(Channel& to) {
    if constexpr (requires { to.sender_waiter(); })
        return to.sender_waiter();
    else
        return to.waiter();
}

template <class Channel, class Message>
class send_awaiter final : public ring_awaiter<send_awaiter<Channel, Message>> {
public:
    send_awaiter(Channel& to, Message message, task_scheduler& on)
        : ring_awaiter<send_awaiter>(on), to_(to), message_(std::move(message)) {}

    void await_resume() {
        if (failure_) std::rethrow_exception(failure_);
        *slot_ = std::move(message_);
        to_.publish();
    }

private:
    friend ring_awaiter<send_awaiter>;
    auto& waiter() { return waiter_of_sender(to_); }
    bool is_ready() noexcept {
        try {
            slot_ = to_.try_acquire();
        } catch (...) {  // it may be called where nobody catches it
            failure_ = std::current_exception();
        }
        return slot_ || failure_;
    }
    template <class Load>
    bool may_be_ready(Load load) {
        return to_.may_send(load) || to_.has_left(load);
    }

    Channel& to_;
    Message message_;
    Message* slot_ = nullptr;
    std::exception_ptr failure_;
};

}  // namespace detail

// Throws std::system_error if the scheduler's thread for posts cannot be started.
template <class Channel>
auto async_send(Channel& to, typename Channel::message_type message, task_scheduler& on = task_scheduler::common()) {
    using message_type = typename Channel::message_type;
    using awaiter = detail::send_awaiter<Channel, message_type>;
    return detail::awaitable<awaiter, Channel&, message_type, task_scheduler&>(to, std::move(message), on);
}

}  // namespace croft
