#pragma once
// Home-forwarding (paper 000, definition 5.1 and section 6.3). The whole slot is homed at one core, one of the two
// sides, which the pattern names. In a farm it is the worker, for the channels on both of its sides. The other side,
// wherever it is, keeps no copy of a line longer than it needs it. So the home never has one to invalidate:
//
//   (1) what it has written of a message is forwarded to the home, and leaves its caches;
//   (2) before that, lines that it is going to overwrite wholly are allocated without being fetched. Messages by value
//       and flags it stores without allocating;
//   (3) the line of a flag that it has set is forwarded as well; the flag's line takes the message's beginning with it;
//   (4) what it has read of a message it drops from its caches.
//
// The side that is the home does none of these. Which side that is nobody has to say: a core knows its own number.
//
// Because of (2), a message that is trivially copyable holds nothing in particular until it is overwritten. Others are
// not allocated, because assigning to them reads what they hold.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <croft/memory/home.hpp>
#include <croft/memory/lines.hpp>

namespace croft {

class forwarded_lines : public detail::plain_lines {
public:
    using plain_lines::plain_lines;

    bool away() const { return lines::this_core() != home(); }
    void constructed(const void* first, std::size_t size) const { lines::forward(first, size); }
    void before_write(const void* first, std::size_t size) const {
        if (size != 0 && away()) lines::allocate(first, size);
    }
    template <class Message>
    void write(Message& to, Message&& from) const {
        if constexpr (std::is_trivially_copyable_v<Message>) {
            if (away()) return lines::copy_without_allocating(to, from);
        }
        to = std::move(from);
    }
    void after_write(const void* first, std::size_t size) const {
        if (size != 0 && away()) lines::forward(first, size);
    }
    void after_read(const void* first, std::size_t size) const {
        if (size != 0 && away()) lines::drop(first, size);
    }
    template <bool Followed, class Flag>
    auto event(Flag& flag) const {
        return forwarded_flag<Followed, Flag>{flag, *this};
    }

private:
    template <bool Followed, class Flag>
    struct forwarded_flag {
        Flag& flag;
        const forwarded_lines& lines_;
        // Release comes first: the flag's line must not reach the home before the message's others. (The message's
        // beginning is in the flag's own line, and a line is forwarded as a whole.)
        void store(std::uint32_t value, std::memory_order order) const {
            if (!lines_.away()) return flag.store(value, order);
            lines::store_without_allocating(flag, value, order);
            if constexpr (!Followed) lines::forward(&flag, sizeof(flag));
        }
    };
};

namespace homes {

struct forwarded {
    int core = detail::any_core;
    int sender = detail::any_core;
    int receiver = detail::any_core;

    static forwarded between(detail::ends cores) { return {cores.home, cores.sender, cores.receiver}; }
    forwarded_lines at(detail::part) const { return forwarded_lines(core); }
    detail::plain_lines of_sender() const { return detail::plain_lines(sender); }
    detail::plain_lines of_receiver() const { return detail::plain_lines(receiver); }
};

}  // namespace homes
}  // namespace croft
