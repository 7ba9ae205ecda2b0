#pragma once
// Slots several to a line, where messages are small. The ready event of a line is one word in it: how many messages
// have been put into this line so far. The word lies beside the messages, so a message that finds its receiver waiting
// moves one line, as with slot.hpp. But a stream moves one line for as many messages as fit (seven of 8 bytes). The
// receiver looks at the word once for all that it then finds there.
//
// Messages that do not fit a line beside the word lie in a row of lines. Their word has the first of these lines, and
// seven messages of 64 bytes follow. So a message that finds its receiver waiting moves two lines, as if it lay behind
// a word of its own. But a stream moves eight lines for seven messages, not for four. Below, "line" means such a row,
// too.
//
// The ack is one word for all: how many messages the receiver has done with. The sender keeps the number that it saw
// last, and looks again only when it has used that up. The receiver writes it once for a batch, and before it waits. It
// lies in a line of its own, which the sender seldom looks at. If all slots are in one line, so is the ack, and a
// channel of one slot is that of slot.hpp.
//
// Acks held back take slots away from the sender. So a channel of asynchrony degree K gets K + batch - 1 slots. Then a
// sender with fewer than K messages unread never waits, whatever the receiver holds back. (It may find room for up to
// batch - 1 more.) Up to K = 7 the batch is 1, and the degree is exact.
//
// Best where the owner of a line is whoever wrote it last, and lines are what costs. Where a store is written through
// to the line's home and a core sleeps on lines, slot.hpp is (docs/decisions/native-slots.md).

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
class packed_slots {
    using word = typename Policies::template atomic<std::uint32_t>;
    using home = typename Policies::home;
    using line_kind = decltype(std::declval<const home&>().at(part::message));

    static_assert(line_kind::coherent,
                  "a line without a home must not be written by one side while the other reads it");

    static constexpr std::size_t row_bytes = 7 * port::cache_line;  // of messages

    static constexpr std::size_t words = std::max(2 * sizeof(std::uint32_t), alignof(Message));
    static constexpr std::size_t beside_words =
        words < port::cache_line ? (port::cache_line - words) / sizeof(Message) : 0;
    static constexpr std::size_t in_row = beside_words > 0 ? 0 : row_bytes / sizeof(Message);
    static constexpr bool is_row = in_row > 1;

public:
    static constexpr std::uint32_t per_line = is_row ? in_row : std::max<std::size_t>(1, beside_words);

private:
    // ready is twice the number of messages put into this line, modulo 2^31, plus the announcement of the last one. An
    // end comes last, so it hides nothing.
    struct alignas(port::cache_line) line {
        word ready{0};
        word done{0};  // of the first line, if it is the only one
        alignas(is_row ? std::max(port::cache_line, alignof(Message)) : alignof(Message)) Message messages[per_line];
    };
    struct ack_line {
        word done{0};
    };
    static constexpr std::uint32_t counts = 0x7fff'ffff;
    static constexpr std::uint32_t written_ahead = 4;  // lines
    static constexpr std::uint32_t a_stream = 4;       // full lines

    // Where a side is. Counts by the line are not updated for each message. A message costs one comparison of pointers:
    // whether its slot is the first that something has to be found out about.
    struct place {
        line* at;
        line *first, *last;
        Message* slot;  // the next one, in that line
        Message* stop;  // the sender's: where the room in it ends, as far as was looked; the receiver's: where the
                        // line does, or an ack is due
        std::uint32_t before;  // messages put into this line in earlier rounds
    };

    // Where a core sleeps on lines, no line is asked for before it is come to.
    static constexpr bool looks_ahead = !port::waits_on_lines;
    static constexpr auto seen_full = looks_ahead ? std::memory_order_acquire : std::memory_order_relaxed;
    struct none_known {};
    using known_lines = std::conditional_t<looks_ahead, std::uint32_t, none_known>;

public:
    static constexpr bool holds_acks_back = true;

    struct sender_state : place {
        std::uint32_t sent;  // before this line
        std::uint32_t seen_done;
    };
    struct receiver_state : place {
        std::uint32_t done;  // before this line
        std::uint32_t told;
        // Mutable: a look's finding changes nothing but later looks.
        mutable Message* filled;           // where the messages in this line end, as far as was looked
        mutable std::uint32_t patience;    // in pauses
        mutable std::uint32_t in_vain;     // whether the last look at this message found nothing
        mutable std::uint32_t full_lines;  // that were come to one after the other
        mutable std::uint32_t ahead;       // lines that are asked for before they are come to
        [[no_unique_address]] mutable known_lines known_full;  // lines further on that need no look
    };

    // A power of two, up to a quarter of the degree.
    static constexpr std::size_t batch(std::size_t degree) {
        return std::bit_floor(std::clamp<std::size_t>(degree / 4, 1, 256));
    }

    packed_slots(std::size_t degree, home where, ends)
        : batch_(static_cast<std::uint32_t>(batch(degree))),
          room_(static_cast<std::uint32_t>(degree) + batch_ - 1),
          most_patience_(std::min<std::uint32_t>(room_ / 32, 24)),  // the ring must not fill up meanwhile
          cells_(std::min(per_line, room_)),
          line_count_((room_ + cells_ - 1) / cells_),
          most_ahead_(!looks_ahead || line_count_ < 12 ? 0 : std::clamp<std::uint32_t>(line_count_ / 8, 2, 12)),
          lines_(line_count_, where.at(part::message)),
          acks_(1, where.at(part::ack)),
          done_(line_count_ == 1 ? &lines_[0].done : &acks_[0].done) {}

    void begin(sender_state& at) {
        static_cast<place&>(at) = beginning();
        at.sent = at.seen_done = 0;
    }
    void begin(receiver_state& at) {
        static_cast<place&>(at) = beginning();
        at.stop = at.slot + std::min(cells_, batch_);
        at.filled = at.slot;
        at.done = at.told = at.patience = at.in_vain = at.full_lines = at.ahead = 0;
        at.known_full = {};
    }

    Message& message(const place& at) { return *at.slot; }
    // The lines in which nothing is but one message.
    void* own_lines(const place& at) { return reinterpret_cast<unsigned char*>(at.at) + port::cache_line; }
    static constexpr std::size_t own_size = is_row ? 0 : sizeof(line) - port::cache_line;
    const line_kind& lines() const { return lines_.kind(); }

    // Whether there is room, or a message, that needs no look; and that there is none.
    bool knows_room(const sender_state& at) const { return at.slot != at.stop; }
    void forget_room(sender_state& at) { at.stop = at.slot; }
    bool knows_message(const receiver_state& at) const { return at.slot != at.filled; }
    void forget_messages(receiver_state& at) { at.filled = at.slot; }

    template <class Load>
    [[gnu::always_inline]] bool has_ack(sender_state& at, Load load) const {
        return at.slot != at.stop || has_room(at, load);
    }
    // How many messages were sent and are not known to be done with.
    std::uint32_t unread(const sender_state& at) const {
        return at.sent + cell(at) - acquire_load{}(*done_, ack_lines());
    }
    // `count` messages side by side, in this line, are ready.
    [[gnu::always_inline]] void set_ready(sender_state& at, announcement what, std::uint32_t count = 1) {
        // Release: the messages were written before.
        auto&& ready = lines().template event<false>(at.at->ready);
        at.slot += count;
        ready.store((at.before + cell(at)) << 1 | static_cast<std::uint32_t>(what), std::memory_order_release);
    }
    // How many free slots lie side by side from here on, after a look that has found one.
    std::uint32_t free_run(const sender_state& at) const { return static_cast<std::uint32_t>(at.stop - at.slot); }

    template <class Load>
    [[gnu::always_inline]] bool has_ready(const receiver_state& at, Load load) const {
        return at.slot != at.filled || has_come(at, load);
    }
    // After a look that has found something.
    bool at_end(const receiver_state& at) const { return at.slot == at.filled; }
    // The end takes a slot, which set_ack() gives back as a message's.
    void pass_end(receiver_state& at) { ++at.filled; }
    // How many messages lie side by side from here on, the end not counted, as far as was looked.
    std::uint32_t ready_run(const receiver_state& at) const { return static_cast<std::uint32_t>(at.filled - at.slot); }
    [[gnu::always_inline]] bool set_ack(receiver_state& at, std::uint32_t count = 1) {
        at.slot += count;
        return at.slot >= at.stop && stops(at);
    }
    bool flush_acks(receiver_state& at) {
        if (at.told == at.done + cell(at)) return false;
        tell(at);
        at.stop = at.slot + std::min(cells_ - cell(at), batch_);
        return true;
    }

private:
    const line_kind& ack_lines() const { return line_count_ == 1 ? lines_.kind() : acks_.kind(); }
    place beginning() {
        line* const first = &lines_[0];
        return {first, first, &lines_[line_count_ - 1], first->messages, first->messages, 0};
    }
    static std::uint32_t cell(const place& at) { return static_cast<std::uint32_t>(at.slot - at.at->messages); }
    void advance(place& at) const {
        const bool round = at.at == at.last;
        at.at = round ? at.first : at.at + 1;
        at.slot = at.at->messages;
        if (round) at.before += cells_;
    }

    template <class Load>
    bool has_room(sender_state& at, Load load) const {
        if (cell(at) == cells_) {
            advance(at);
            at.sent += cells_;
            at.stop = at.slot;
            // A store waits for its line if the receiver has read that, and the queue of waiting stores is short. So
            // this asks early for lines that are known to be free.
            if (room_ - (at.sent - at.seen_done) > written_ahead * cells_) fetch<true>(at, written_ahead);
        }
        const std::uint32_t sent = at.sent + cell(at);
        if (sent - at.seen_done >= room_) {
            const std::uint32_t done = load(*done_, ack_lines());
            if (sent - done >= room_) return false;
            // Only what was acquired may be relied upon later, when no load is repeated.
            if constexpr (!std::is_same_v<Load, acquire_load>) return true;
            at.seen_done = done;
        }
        at.stop = at.slot + std::min(cells_ - cell(at), room_ - (sent - at.seen_done));
        return true;
    }

    template <class Load>
    bool has_come(const receiver_state& at, Load load) const {
        constexpr bool counts_as_look = std::is_same_v<Load, acquire_load>;
        if constexpr (looks_ahead && counts_as_look)
            if (at.known_full > 0) {
                --at.known_full;
                at.filled = at.at->messages + cells_;
                fetch<false>(at, at.ahead);
                return true;
            }
        const std::uint32_t here = cell(at);
        if constexpr (counts_as_look)
            for (std::uint32_t i = 0; i < at.patience && here > 0; ++i) port::pause();
        const std::uint32_t ready = load(at.at->ready, lines());
        const std::uint32_t come = ((ready >> 1) - at.before) & counts;  // never less than were received
        if constexpr (counts_as_look) {
            // The sender may be in this line for the next time already; then an end is not in this round. Nor is it
            // still to come if the receiver came to it last: the word tells of it until the next stream begins.
            const std::uint32_t end = come == here ? 0 : ready & 1;
            at.filled = at.at->messages + (come > cells_ ? cells_ : come - end);
            if (here > 0)
                adapt(at, come != here);
            else
                look_ahead(at, come >= cells_);
        }
        return come != here;
    }
    // Patience. A receiver that has caught up with a streaming sender takes the line away from it at each look. The two
    // then pass it back and forth for a few messages each. If the first look at the next message in a line finds it
    // there, messages come in less time than a line takes to move. Then later looks wait a little first, and find more
    // messages; a look in vain ends that. A receiver that waits for an answer looks in vain first, and so never waits
    // longer.
    void adapt(const receiver_state& at, bool found) const {
        if (!found)
            at.patience = 0;
        else if (!at.in_vain && at.patience < most_patience_)
            ++at.patience;
        at.in_vain = !found;
    }
    // Looking ahead. The lines of a stream are in the sender's cache. To wait for one after the other takes three times
    // as long as to have some on their way. So a receiver that comes to a full line asks for a line further on, and for
    // one more each time, up to most_ahead_ lines. A line that it asks for too early is taken from the sender, which
    // then waits for it in turn. That can go on for ever: one just behind the other, at a third of their speed. So the
    // receiver also looks as far ahead, where the line has come by now. If the sender is not beyond it, the receiver
    // begins anew. If many full lines came before (a stream), it first gives the sender time to get away:
    // most_patience_ pauses. In these less is sent than there is room for.
    //
    // The sender fills one line after the other. So if a line further on is full, those before it are, too. None of
    // them has the end in it, because nothing comes behind an end until the receiver has acknowledged it. (The line
    // itself may have it.) They need no look when the receiver comes to them: one look announces them all. In a short
    // ring the two sides are near each other. There such a look takes lines away from the sender, so the receiver looks
    // half of that way.
    void look_ahead(const receiver_state& at, bool full) const {
        if (!full) {
            at.ahead = at.full_lines = 0;
        } else if (most_ahead_ > 0) {
            const bool all_the_way = looks_ahead && most_ahead_ >= 4;
            const std::uint32_t further = std::max<std::uint32_t>(1, all_the_way ? at.ahead : at.ahead / 2);
            if (is_full(at, further)) {
                ++at.full_lines;
                if (at.ahead < most_ahead_) fetch<false>(at, ++at.ahead);
                fetch<false>(at, at.ahead);
                if constexpr (looks_ahead) at.known_full = further - 1;
            } else {
                for (std::uint32_t i = 0; at.full_lines >= a_stream && i < most_patience_; ++i) port::pause();
                at.ahead = at.full_lines = 0;
            }
        }
    }
    // The line so many further on. Acquire: all messages up to it were written before the sender's release of its word.
    // (Where this is no more than a hint, relaxed.)
    bool is_full(const receiver_state& at, std::uint32_t further) const {
        const line* const there = line_from(at, further);
        const std::uint32_t before = at.before + (there < at.at ? cells_ : 0);
        return (((there->ready.load(seen_full) >> 1) - before) & counts) >= cells_;
    }
    const line* line_from(const place& at, std::uint32_t further) const {
        const auto left = static_cast<std::uint32_t>(at.last - at.at);
        return further <= left ? at.at + further : at.first + (further - left - 1);
    }
    template <bool ToWrite>
    void fetch(const place& at, std::uint32_t further) const {
        const auto* const first = reinterpret_cast<const unsigned char*>(line_from(at, further));
        // If messages are longer, the processor sees by itself that they are read in a row.
        for (std::size_t i = 0; i < std::min(sizeof(line), 2 * port::cache_line); i += port::cache_line)
            if constexpr (ToWrite)
                port::fetch_to_write(first + i);
            else
                port::fetch_to_read(first + i);
    }

    // At the end of the line, or where an ack is due. True if it told the sender.
    [[gnu::noinline]] bool stops(receiver_state& at) {
        const std::uint32_t held = at.done + cell(at) - at.told;
        const bool due = held >= batch_;
        if (due) tell(at);
        if (cell(at) == cells_) {
            at.done += cells_;
            advance(at);
            at.filled = at.slot;
        }
        at.stop = at.slot + std::min(cells_ - cell(at), batch_ - (due ? 0 : held));
        return due;
    }
    void tell(receiver_state& at) {
        at.told = at.done + cell(at);
        // Release: see flag.hpp. It ends the reading of them all.
        ack_lines().template event<false>(*done_).store(at.told, std::memory_order_release);
    }

    std::uint32_t batch_;
    std::uint32_t room_;
    std::uint32_t most_patience_;
    std::uint32_t cells_;  // of each line that are used
    std::uint32_t line_count_;

protected:
    std::uint32_t most_ahead_;  // (a test lets a short ring look further)

private:
    line_array<line, line_kind> lines_;
    line_array<ack_line, line_kind> acks_;
    word* done_;
};

}  // namespace croft::detail
