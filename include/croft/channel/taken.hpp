#pragma once
// A message that is received by value.

#include <optional>
#include <utility>

namespace croft::detail {

// Moves the message out of its slot and then acknowledges it: if moving it throws, it is received again. It is moved
// once, because all returns name one variable, which compilers make in the caller's place. If a second move behind the
// ack threw, the message would be lost.
template <class Message, class Acknowledge>
[[gnu::always_inline]] inline std::optional<Message> taken(Message& slot, Acknowledge acknowledge) {
    std::optional<Message> message(std::move(slot));
    acknowledge();
    return message;
}

}  // namespace croft::detail
