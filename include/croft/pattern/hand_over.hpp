#pragma once
// A pattern tells a message when it changes hands. So data that the message leads to travel right, whatever their home
// is (memory/task_ptr.hpp). It tells a message that has a member hand_over(int worker), also the parts of a pair or
// tuple. A struct that holds a task_ptr beside other things passes it on:
//
//     struct job {
//         std::uint32_t number;
//         croft::task_ptr<picture> data;
//         void hand_over(int worker) { data.hand_over(worker); }
//     };
//
// With any_core it is not to throw. Any other message needs nothing, and costs nothing.

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <croft/memory/data_home.hpp>
#include <croft/memory/ends.hpp>

namespace croft::detail {

template <class Message>
concept hands_over = requires(Message& message) { message.hand_over(any_core); };
template <class Message>
concept tuple_like = requires { std::tuple_size<Message>::value; };

template <class Message>
struct leads_to_data : std::bool_constant<hands_over<Message>> {};
template <tuple_like Message>
struct leads_to_data<Message> {
    template <std::size_t... I>
    static constexpr bool any(std::index_sequence<I...>) {
        return (leads_to_data<std::tuple_element_t<I, Message>>::value || ...);
    }
    static constexpr bool value = any(std::make_index_sequence<std::tuple_size_v<Message>>{});
};

// The message's data go to another thread; `worker` is the core that works on them, or any_core if that is behind them.
template <class Message>
void hand_over([[maybe_unused]] Message& message, [[maybe_unused]] int worker = any_core) {
    if constexpr (hands_over<Message>)
        message.hand_over(worker);
    else if constexpr (leads_to_data<Message>::value)
        std::apply([worker](auto&... parts) { (detail::hand_over(parts, worker), ...); }, message);
}

// While it lives, data that this thread makes are for the core that it was last told of.
template <class Message>
class expected_worker {
public:
    void for_worker([[maybe_unused]] int core) {
        if constexpr (leads_to_data<Message>::value) scope_.expect(core);
    }

private:
    struct nothing {};
    [[no_unique_address]] std::conditional_t<leads_to_data<Message>::value, data_worker_scope, nothing> scope_;
};

}  // namespace croft::detail
