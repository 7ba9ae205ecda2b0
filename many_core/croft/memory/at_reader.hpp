#pragma once
// Each line at the core that reads it: ready and message at the receiver, ack at the sender. (Paper 001, IV.A, table I
// and figure 6; its ch_sym_sm_cache.) It needs events::ack_place::own_line; otherwise there is no line of acks to be
// homed apart.
//
// A core that writes a line from afar never reads it, so every such store is one that does not allocate (001, IV.A). No
// copy is made that the home would have to invalidate, so neither side ever waits for an invalidation. A message built
// in place is written by the stores of whoever builds it.

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <croft/memory/home.hpp>
#include <croft/memory/lines.hpp>

namespace croft {

class lines_at_reader : public detail::plain_lines {
public:
    using plain_lines::plain_lines;

    template <class Message>
    void write(Message& to, Message&& from) const {
        if constexpr (std::is_trivially_copyable_v<Message>)
            lines::copy_without_allocating(to, from);
        else
            to = std::move(from);
    }
    template <bool Followed, class Flag>
    auto event(Flag& flag) const {
        return remote_flag<Flag>{flag};
    }

private:
    template <class Flag>
    struct remote_flag {
        Flag& flag;
        void store(std::uint32_t value, std::memory_order order) const {
            // Each side signals in the other's line and resets in its own.
            if (order == std::memory_order_relaxed) return flag.store(value, order);
            lines::store_without_allocating(flag, value, order);
        }
    };
};

namespace homes {

struct at_reader {
    int sender = detail::any_core;
    int receiver = detail::any_core;

    static at_reader between(detail::ends cores) { return {cores.sender, cores.receiver}; }
    lines_at_reader at(detail::part what) const {
        return lines_at_reader(what == detail::part::message ? receiver : sender);
    }
    detail::plain_lines of_sender() const { return detail::plain_lines(sender); }
    detail::plain_lines of_receiver() const { return detail::plain_lines(receiver); }
};

}  // namespace homes
}  // namespace croft
