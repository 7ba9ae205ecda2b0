#pragma once
// Slots several to a line, where messages are small. The ready event of a line is one word in it: how many messages
// have been put into this line so far. It lies beside them, so a message that finds its receiver waiting moves one
// line, as with slot.hpp; but a stream moves one line for as many messages as fit (seven of 8 bytes), and the receiver
// looks at the word once for all that it then finds there. A message that does not fit a line beside the word has lines
// of its own.
//
// The ack is one word for all: how many messages the receiver has done with. The sender keeps the number that it saw
// last and looks again only when that is used up. The receiver writes it once for a batch, and before it waits. It lies
// in a line of its own, which the sender seldom looks at; but where all slots are in one line, so is the ack, and a
// channel of one slot is that of slot.hpp.
//
// Acks held back take slots away from the sender. So a channel of asynchrony degree K gets K + batch - 1 slots: with
// fewer than K messages unread a sender never waits, whatever the receiver holds back. (It may find room for up to
// batch - 1 more.) Up to K = 7 the batch is 1, and the degree is exact.
//
// Best where the owner of a line is whoever wrote it last, and lines are what costs. Where a store is written through
// to the line's home and a core sleeps on lines, slot.hpp is (docs/decisions/native-slots.md).

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <croft/channel/flag.hpp>
#include <croft/memory/line_array.hpp>
#include <croft/port/port.hpp>

namespace croft {

template <class Message, class Policies>
class packed_slots {
    using word = typename Policies::template atomic<std::uint32_t>;
    using home = typename Policies::home;
    using line_kind = decltype(std::declval<const home&>().at(part::message));

    static_assert(line_kind::coherent,
                  "a line without a home must not be written by one side while the other reads it");

    static constexpr std::size_t header = std::max(2 * sizeof(std::uint32_t), alignof(Message));

public:
    static constexpr std::uint32_t per_line =
        std::max<std::size_t>(1, (port::cache_line - std::min(header, port::cache_line)) / sizeof(Message));

private:
    // Of ready: twice the number of messages put into this line, modulo 2^31, plus the announcement, which is that of
    // the last one. An end comes last, so it hides nothing.
    struct alignas(port::cache_line) line {
        word ready{0};
        word done{0};  // of the first line, if it is the only one
        Message messages[per_line];
    };
    struct ack_line {
        word done{0};
    };
    static constexpr std::uint32_t counts = 0x7fff'ffff;

    struct place {
        std::uint32_t line = 0;
        std::uint32_t cell = 0;
        std::uint32_t before = 0;  // messages put into this line in earlier rounds
    };

public:
    static constexpr bool holds_acks_back = true;

    // What is counted a line at a time need not be for each message.
    struct sender_state : place {
        std::uint32_t free = 0;  // cells of this line that may be filled, as far as was looked
        std::uint32_t sent = 0;  // before this line
        std::uint32_t seen_done = 0;
    };
    struct receiver_state : place {
        std::uint32_t done = 0;  // before this line
        std::uint32_t told = 0;
        // Mutable: what a look has found changes nothing but later looks.
        mutable std::uint32_t filled = 0;  // cells of this line, as far as was looked
        mutable std::uint32_t seen_ready = 0;
        mutable std::uint32_t patience = 0;  // in pauses
        mutable std::uint32_t in_vain = 0;   // whether the last look at this message found nothing
    };

    // A power of two, up to a quarter of the degree.
    static constexpr std::size_t batch(std::size_t degree) {
        return std::bit_floor(std::clamp<std::size_t>(degree / 4, 1, 256));
    }

    packed_slots(std::size_t degree, home where, ends)
        : batch_(static_cast<std::uint32_t>(batch(degree))),
          room_(static_cast<std::uint32_t>(degree) + batch_ - 1),
          most_patience_(std::min<std::uint32_t>(room_ / 16, 16)),  // the ring must not fill up meanwhile
          cells_(std::min(per_line, room_)),
          line_count_((room_ + cells_ - 1) / cells_),
          lines_(line_count_, where.at(part::message)),
          acks_(1, where.at(part::ack)),
          done_(line_count_ == 1 ? &lines_[0].done : &acks_[0].done) {}

    template <class State>
    void begin(State&) {}

    Message& message(const place& at) { return lines_[at.line].messages[at.cell]; }
    // The lines in which nothing is but one message.
    void* own_lines(const place& at) { return reinterpret_cast<unsigned char*>(&lines_[at.line]) + port::cache_line; }
    static constexpr std::size_t own_size = sizeof(line) - port::cache_line;
    const line_kind& lines() const { return lines_.kind(); }

    template <class Load>
    bool has_ack(sender_state& at, Load load) const {
        if (at.cell < at.free) return true;
        const std::uint32_t sent = at.sent + at.cell;
        if (sent - at.seen_done >= room_) {
            const std::uint32_t done = load(*done_, ack_lines());
            if (sent - done >= room_) return false;
            // Only what was acquired may be relied upon later, when no load is repeated.
            if constexpr (!std::is_same_v<Load, acquire_load>) return true;
            at.seen_done = done;
        }
        at.free = std::min(cells_, at.cell + room_ - (sent - at.seen_done));
        return true;
    }
    // How many messages were sent and are not known to be done with.
    std::uint32_t unread(const sender_state& at) const {
        return at.sent + at.cell - acquire_load{}(*done_, ack_lines());
    }
    // Of so many messages side by side, in this line.
    void set_ready(sender_state& at, announcement what, std::uint32_t count = 1) {
        // Release: the messages were written before.
        auto&& ready = lines().template event<false>(lines_[at.line].ready);
        ready.store((at.before + at.cell + count) << 1 | static_cast<std::uint32_t>(what), std::memory_order_release);
        if (!advance(at, count)) return;
        at.sent += cells_;
        at.free = 0;
    }
    // How many free slots lie side by side from here on, after a look that has found one.
    std::uint32_t free_run(const sender_state& at) const { return at.free - at.cell; }

    template <class Load>
    bool has_ready(const receiver_state& at, Load load) const {
        if (at.cell < at.filled) return true;
        constexpr bool counts_as_look = std::is_same_v<Load, acquire_load>;
        if constexpr (counts_as_look)
            for (std::uint32_t i = 0; i < at.patience && at.cell > 0; ++i) port::pause();
        const std::uint32_t ready = load(lines_[at.line].ready, lines());
        const std::uint32_t filled = ((ready >> 1) - at.before) & counts;  // never less than were received
        if constexpr (counts_as_look) {
            // The sender may be in this line for the next time already.
            at.filled = std::min(filled, cells_);
            at.seen_ready = ready;
            if (at.cell > 0) adapt(at, filled != at.cell);
        }
        return filled != at.cell;
    }
    bool at_end(const receiver_state& at) const {
        return at.seen_ready & 1 && at.seen_ready >> 1 == ((at.before + at.cell + 1) & counts);
    }
    // How many messages lie side by side from here on, the end not counted, as far as was looked.
    std::uint32_t ready_run(const receiver_state& at) const {
        const std::uint32_t end = ((at.seen_ready >> 1) - at.before) & counts;
        return at.filled - at.cell - (at.seen_ready & 1 && end == at.filled);
    }
    bool set_ack(receiver_state& at, std::uint32_t count = 1) {
        if (advance(at, count)) {
            at.done += cells_;
            at.filled = at.seen_ready = 0;
        }
        if (at.done + at.cell - at.told < batch_) return false;
        return flush_acks(at);
    }
    bool flush_acks(receiver_state& at) {
        const std::uint32_t done = at.done + at.cell;
        if (at.told == done) return false;
        at.told = done;
        // Release: see flag.hpp. It ends the reading of them all.
        ack_lines().template event<false>(*done_).store(done, std::memory_order_release);
        return true;
    }

private:
    const line_kind& ack_lines() const { return line_count_ == 1 ? lines_.kind() : acks_.kind(); }

    // Patience. A receiver that has caught up with a streaming sender takes the line away from it at each look, and the
    // two pass it back and forth for a few messages each. So when the first look at the next message in a line finds it
    // there, that is, when messages come in less time than a line takes to move, later ones wait a little first, and
    // find more of them; a look in vain ends that. Who waits for an answer looks in vain first, and so never waits
    // longer.
    void adapt(const receiver_state& at, bool found) const {
        if (!found)
            at.patience = 0;
        else if (!at.in_vain && at.patience < most_patience_)
            ++at.patience;
        at.in_vain = !found;
    }
    // True if it came to another line, or to the only one again.
    bool advance(place& at, std::uint32_t count) const {
        if ((at.cell += count) < cells_) return false;
        at.cell = 0;
        if (++at.line == line_count_) {
            at.line = 0;
            at.before += cells_;
        }
        return true;
    }

    std::uint32_t batch_;
    std::uint32_t room_;
    std::uint32_t most_patience_;
    std::uint32_t cells_;  // of each line that are used
    std::uint32_t line_count_;
    line_array<line, line_kind> lines_;
    line_array<ack_line, line_kind> acks_;
    word* done_;
};

}  // namespace croft
