#pragma once
// FastFlow's bounded queue: one sender, one receiver, a ring of K pointers. A slot that holds null is empty, so the
// pointer is its own ready event and null its own ack. No index is shared. A message is one store and its receipt
// another, both into the slot. (Giacomoni, Moseley and Vachharajani, "FastForward for efficient pipeline parallelism",
// PPoPP 2008; the SWSR_Ptr_Buffer of FastFlow, paper 003, IV.A.)
//
// A baseline: croft::channel with this way of making slots. So the calls, the end of the stream and the way it waits
// are a channel's. Unlike the channel's own slots (../slot.hpp) it takes pointers only, eight to a line. So
// neighbouring slots are falsely shared when the queue is nearly empty. Null cannot be sent (std::invalid_argument).
// Siblings: unbounded_queue.hpp (a list of such rings), lamport_queue.hpp (any message, shared indices).
//
// A free slot does not tell the sender that the receiver has done with what the pointer led to, only that it has the
// pointer. (An ack of croft's own slots tells both.)

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <croft/channel/channel.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/memory/packed_array.hpp>

namespace croft {
namespace baseline {

// Stands for the end of the stream; nobody's address, because all of its bits are set (FastFlow's FF_EOS).
template <class Pointer>
Pointer end_mark() {
    return std::bit_cast<Pointer>(~std::uintptr_t{0});
}
template <class Pointer>
Pointer checked(Pointer message) {
    if (!message) throw std::invalid_argument("croft: a queue whose empty slots are null cannot carry a null pointer");
    return message;
}

template <class Pointer, class Policies>
class null_slots {
    static_assert(std::is_pointer_v<Pointer> && std::is_object_v<std::remove_pointer_t<Pointer>>,
                  "a null-slot queue carries pointers to objects");
    using slot = typename Policies::template atomic<Pointer>;
    using home = typename Policies::home;
    using line_kind = decltype(std::declval<const home&>().at(detail::part::message));
    static_assert(line_kind::coherent, "neighbouring slots share a line, and both sides write it");

    // Beside its place each side keeps the pointer that it is about to put in, or has just seen.
    struct side {
        std::uint32_t index = 0;
        Pointer message = nullptr;
    };

public:
    static constexpr bool holds_acks_back = false;
    static constexpr bool waits_alone = true;

    struct sender_state : side {};
    struct receiver_state : side {};

    null_slots(std::size_t degree, home where, detail::ends)
        : count_(degree), slots_(degree, where.at(detail::part::message)) {}

    template <class State>
    void begin(State&) {}

    Pointer& message(sender_state& at) { return at.message; }
    Pointer& message(receiver_state& at) { return at.message = slots_[at.index].load(std::memory_order_acquire); }
    void* own_lines(const side&) const { return nullptr; }  // neighbours share one
    static constexpr std::size_t own_size = 0;
    const line_kind& lines() const { return slots_.kind(); }

    // Relaxed, also where the caller would acquire: only the slot itself is reused, and the accesses to it are ordered
    // by its being one word.
    template <class Load>
    bool has_ack(const sender_state& at, Load load) const {
        if constexpr (std::is_same_v<Load, detail::acquire_load>)
            return detail::relaxed_load{}(slots_[at.index]) == nullptr;
        else
            return load(slots_[at.index], lines()) == nullptr;
    }
    // Release: the object that the pointer leads to was written before. It is the fence that FastFlow pays (003, IV.A).
    void set_ready(sender_state& at, detail::announcement what) {
        const Pointer put = what == detail::announcement::end ? end_mark<Pointer>() : checked(at.message);
        port::traced_send(slots_[at.index], put);
        advance(at);
    }

    template <class Load>
    bool has_ready(const receiver_state& at, Load load) const {
        return load(slots_[at.index], lines()) != nullptr;
    }
    bool at_end(const receiver_state& at) const {
        return port::traced_receive(slots_[at.index]) == end_mark<Pointer>();
    }
    bool set_ack(receiver_state& at) {
        slots_[at.index].store(nullptr, std::memory_order_relaxed);  // see has_ack
        advance(at);
        return true;
    }
    bool flush_acks(receiver_state&) { return false; }

private:
    void advance(side& at) const {
        if (++at.index == count_) at.index = 0;
    }

    std::size_t count_;
    detail::packed_array<slot, line_kind> slots_;
};

}  // namespace baseline

namespace events {
struct null_slot {
    template <class Message, class Policies>
    using storage = baseline::null_slots<Message, Policies>;
};
}  // namespace events

namespace baseline {
template <class Policies>
struct with_null_slots : Policies {
    using events = croft::events::null_slot;
};
}  // namespace baseline

// Message is a pointer.
template <class Message, class Policies = policies>
using null_slot_queue = channel<Message, baseline::with_null_slots<Policies>>;
// N of them into one receiver.
template <class Message, class Policies = policies>
using null_slot_many_to_one = many_to_one<Message, baseline::with_null_slots<Policies>>;

}  // namespace croft
