#pragma once
// One thread that receives from several channels of different kinds, and sleeps until any of them has something.
//
//     croft::many_to_one<int> numbers(2, 64);
//     croft::request_reply<int> desk({}, nullptr, &numbers.waiter());  // one waiter, which senders of either wake
//     while (croft::wait_any(numbers, desk)) {
//         if (const auto number = numbers.try_receive()) use(*number);
//         if (const auto asked = desk.try_receive()) desk.reply(*asked + 1);
//     }
//
// wait_any returns true once one of them may have a message, or its end, and false once it has come to the end of all.
// To be fair to all of them, receive from each in turn, as above.

#include <array>
#include <cstddef>
#include <tuple>

#include <croft/channel/flag.hpp>
#include <croft/port/misuse.hpp>

namespace croft {

namespace detail {

// The waiter of a channel's receiver; sends any acks that it holds back before it waits.
template <class Channel>
auto& waiter_of_receiver(Channel& from) {
    if constexpr (requires { from.server_waiter(); })
        return from.server_waiter();
    else if constexpr (requires { from.receiver_waiter(); })
        return from.receiver_waiter();
    else
        return from.waiter();
}
template <class Channel>
void flush_acks_of(Channel& from) {
    if constexpr (requires { from.flush_acks(); }) from.flush_acks();
}

}  // namespace detail

// All have the same waiter: it is handed to their constructors, but for that of a many_to_one, which has its own.
template <class First, class... Rest>
bool wait_any(First& first, Rest&... rest) {
    auto& waiter = detail::waiter_of_receiver(first);
    port::check_use(((&detail::waiter_of_receiver(rest) == &waiter) && ...),
                    "croft::wait_any: these channels have not the same waiter");
    // A channel that has ended always has something, its end, and is left out. An end from here on is news.
    const std::array<bool, 1 + sizeof...(rest)> ended{first.ended(), rest.ended()...};
    const auto any_ready = [&](auto load) {
        std::size_t i = 0;
        const auto ready = [&](auto& from) { return !ended[i++] && from.may_receive(load); };
        return ready(first) || (ready(rest) || ...);
    };
    bool all_ended = true;
    for (const bool each : ended) all_ended = all_ended && each;
    if (all_ended) return false;
    if (any_ready(detail::relaxed_load{})) return true;
    detail::flush_acks_of(first);
    (detail::flush_acks_of(rest), ...);
    waiter.wait(any_ready);
    return true;
}

}  // namespace croft
