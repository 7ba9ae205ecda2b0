#pragma once
// Slots whose acks are batched. Ready and ack lie with their message as in slot.hpp, but not every slot's ack is used.
// An ack word holds the number of messages that the receiver has done with so far. The receiver writes it once for a
// batch of neighbouring slots, in the line of the last of them, and before it waits. The sender keeps the number that
// it saw last, and looks again only when it has used that up. So a stream makes fewer stores than with slot.hpp, and
// moves no more lines. With a batch of one this is slot.hpp. (Natively slot.hpp was as fast on the x86-64
// machines tried.)
//
// Acks held back take slots away from the sender. So a channel of asynchrony degree K gets K + batch - 1 slots. Then a
// sender with fewer than K messages unread never waits, whatever the receiver holds back. (It may find room for up to
// batch - 1 more.) Up to K = 7 the batch is 1, and the degree is exact.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <croft/channel/flag.hpp>
#include <croft/memory/line_array.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

template <class Message, class Policies>
class batched_slots {
    using word = typename Policies::template atomic<std::uint32_t>;
    using home = typename Policies::home;

    using line_kind = decltype(std::declval<const home&>().at(part::message));

    static_assert(line_kind::coherent, "a line without a home must not be written by both sides at a time");

    struct alignas(port::cache_line) line {
        word ready{events::turns::no_ready};
        word done{0};  // in the last slot of a batch
        Message message;
    };
    struct position {
        std::uint32_t index = 0;
        std::uint32_t turn = 0;

        void advance(std::uint32_t slots) {
            if (++index == slots) {
                index = 0;
                ++turn;
            }
        }
    };

public:
    static constexpr bool holds_acks_back = true;

    struct sender_state : position {
        std::uint32_t sent = 0;
        std::uint32_t seen_done = 0;
    };
    struct receiver_state : position {
        std::uint32_t done = 0;
        std::uint32_t told = 0;
    };

    // A power of two, up to a quarter of the degree.
    static constexpr std::size_t batch(std::size_t degree) {
        return std::bit_floor(std::clamp<std::size_t>(degree / 4, 1, 64));
    }

    batched_slots(std::size_t degree, home where, ends)
        : batch_(static_cast<std::uint32_t>(batch(degree))),
          count_(static_cast<std::uint32_t>(degree) + batch_ - 1),
          lines_(count_, where.at(part::message)) {}

    template <class State>
    void begin(State&) {}

    Message& message(const position& at) { return lines_[at.index].message; }
    void* own_lines(const position& at) {
        return reinterpret_cast<unsigned char*>(&lines_[at.index]) + port::cache_line;
    }
    static constexpr std::size_t own_size = sizeof(line) - port::cache_line;
    const line_kind& lines() const { return lines_.kind(); }

    template <class Load>
    bool has_ack(sender_state& at, Load load) const {
        if (at.sent - at.seen_done < count_) return true;
        // The slot was used one round ago. Any ack written here since then counts it, also one of a later slot of its
        // batch. An older ack is a whole round behind.
        const std::uint32_t done = load(lines_[last_of_batch(at.index)].done, lines());
        if (at.sent - done >= count_) return false;
        // Only what was acquired may be relied upon later, when no load is repeated.
        if constexpr (std::is_same_v<Load, acquire_load>) at.seen_done = done;
        return true;
    }
    void set_ready(sender_state& at, announcement what) {
        auto&& ready = lines().template event<false>(lines_[at.index].ready);
        events::turns::set_ready(ready, at.turn, what);
        at.advance(count_);
        ++at.sent;
    }

    template <class Load>
    bool has_ready(const receiver_state& at, Load load) const {
        return events::turns::ready(load(lines_[at.index].ready, lines()), at.turn);
    }
    bool at_end(const receiver_state& at) const {
        return events::turns::at_end(port::traced_receive(lines_[at.index].ready));  // just looked at
    }
    bool set_ack(receiver_state& at) {
        const std::uint32_t index = at.index;
        at.advance(count_);
        ++at.done;
        if (index != last_of_batch(index)) return false;
        tell(at, index);
        return true;
    }
    bool flush_acks(receiver_state& at) {
        if (at.told == at.done) return false;
        tell(at, last_of_batch(at.index));  // those held back are of the batch that comes next, or it would be complete
        return true;
    }

private:
    std::uint32_t last_of_batch(std::uint32_t index) const { return std::min(index | (batch_ - 1), count_ - 1); }
    void tell(receiver_state& at, std::uint32_t index) {
        at.told = at.done;
        // Release: see flag.hpp. It ends the reading of them all.
        lines().template event<false>(lines_[index].done).store(at.done, std::memory_order_release);
    }

    std::uint32_t batch_;
    std::uint32_t count_;
    line_array<line, line_kind> lines_;
};

}  // namespace croft::detail

namespace croft::events {

// A flag for each ready, an ack for each batch.
struct batched {
    template <class Message, class Policies>
    using storage = detail::batched_slots<Message, Policies>;
};

}  // namespace croft::events
