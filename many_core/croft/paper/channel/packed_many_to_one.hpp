#pragma once
// The many-to-one channel of paper 001's programs. The senders' ready flags lie side by side, sixteen to a line, homed
// at the receiver, which looks at one after the other. So a look is a load and a branch. But each message takes the
// line of fifteen other senders' flags away from those who have stored to it. Value and ack lie as in the symmetric
// channel (at_reader_allocating.hpp), and so do the steps of a message.
//
// Each sender has one slot, as in the paper. Its calls are a channel's; the receiver's are those of ../../channel/
// many_to_one.hpp without leave() and without bounded times. The choice is as fair.

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/channel/events.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/memory/line_array.hpp>
#include <croft/memory/packed_array.hpp>
#include <croft/port/misuse.hpp>

namespace croft {

namespace events {
// One to one, flags with each ack in a line of its own; many to one, packed.
struct packed_flags : flags<booleans, ack_place::own_line> {};
}  // namespace events

namespace baseline {

// A slot whose ready flag lies elsewhere.
template <class Message, class Policies>
class slot_beside_its_flag {
    using word = typename Policies::template atomic<std::uint32_t>;
    using home = typename Policies::home;
    using line_kind = decltype(std::declval<const home&>().at(detail::part::message));

    struct message_line {
        Message message;
    };
    struct ack_line {
        word ack{events::booleans::first_ack};
    };

public:
    static constexpr bool holds_acks_back = false;
    struct sender_state {};
    struct receiver_state {};

    slot_beside_its_flag(std::size_t, const home& where, detail::ends)
        : ready_(where.ready), line_(1, where.at(detail::part::message)), ack_(1, where.at(detail::part::ack)) {}

    template <class State>
    void begin(State&) {}

    template <class State>
    Message& message(const State&) {
        return line_[0].message;
    }
    template <class State>
    void* own_lines(const State&) {
        return &line_[0];
    }
    static constexpr std::size_t own_size = detail::line_array<message_line, line_kind>::stride;
    const line_kind& lines() const { return line_.kind(); }

    template <class Load>
    bool has_ack(const sender_state&, Load load) const {
        return events::booleans::ack(load(ack_[0].ack, ack_.kind()), 0);
    }
    void set_ready(sender_state&, detail::announcement what) {
        auto&& ack = ack_.kind().template event<false>(ack_[0].ack);
        events::booleans::reset_ack(ack);
        auto&& ready = lines().template event<false>(*ready_);
        events::booleans::set_ready(ready, 0, what);
    }

    template <class Load>
    bool has_ready(const receiver_state&, Load load) const {
        return events::booleans::ready(load(*ready_, lines()), 0);
    }
    bool at_end(const receiver_state&) const { return events::booleans::at_end(port::traced_receive(*ready_)); }
    bool set_ack(receiver_state&) {
        auto&& ready = lines().template event<false>(*ready_);
        events::booleans::reset_ready(ready);
        auto&& ack = ack_.kind().template event<false>(ack_[0].ack);
        events::booleans::set_ack(ack, 0);
        return true;
    }
    bool flush_acks(receiver_state&) { return false; }

private:
    word* ready_;
    detail::line_array<message_line, line_kind> line_;
    detail::line_array<ack_line, line_kind> ack_;
};

// Policies of one sender's channel.
template <class Policies>
struct beside_its_flag : Policies {
    struct home {
        typename Policies::home where;
        typename Policies::template atomic<std::uint32_t>* ready;

        auto at(detail::part what) const { return where.at(what); }
        auto of_sender() const { return where.of_sender(); }
        auto of_receiver() const { return where.of_receiver(); }
    };
    struct events {
        template <class Message, class P>
        using storage = slot_beside_its_flag<Message, P>;
    };
};

template <class Policies>
concept packs_flags = std::same_as<typename Policies::events, croft::events::packed_flags>;

}  // namespace baseline

template <class Message, class Policies>
    requires baseline::packs_flags<Policies>
class many_to_one<Message, Policies> {
    using wait_policy = typename Policies::wait;
    using home = typename Policies::home;
    using inner = baseline::beside_its_flag<Policies>;

public:
    using channel_type = channel<Message, inner>;

    // `degree` is 1; the rest as for other many_to_one. Throws std::invalid_argument for another degree or no sender.
    many_to_one(std::size_t senders, std::size_t degree)
        : many_to_one(senders, degree, [](std::size_t) { return detail::ends{}; }) {}
    template <class EndsOf>
    many_to_one(std::size_t senders, std::size_t degree, EndsOf ends_of)
        : many_to_one(senders, degree, ends_of, [](std::size_t) -> wait_policy* { return nullptr; }, nullptr) {}
    template <class EndsOf, class WaiterOf>
    many_to_one(std::size_t senders, std::size_t degree, EndsOf ends_of, WaiterOf waiter_of, wait_policy* receiver)
        : to_receiver_(receiver ? receiver : &waiter_),
          ready_(checked(senders, degree), home::between(ends_of(0)).at(detail::part::message)),
          side_(1, home::between(ends_of(0)).of_receiver()) {
        for (std::size_t i = 0; i < senders; ++i) {
            channels_.emplace_back(std::size_t{1}, typename inner::home{home::between(ends_of(i)), &ready_[i]},
                                   waiter_of(i), to_receiver_);
            senders_.push_back(&channels_.back());
        }
        receiver_side& own = side_[0];
        own.flags = &ready_[0];
        own.channels = senders_.data();
        own.count = own.open_count = senders;
    }

    std::size_t size() const { return senders_.size(); }
    channel_type& sender(std::size_t i) {
        port::check_use(i < senders_.size(), "croft::many_to_one: sender() of a number that none has");
        return *senders_[i];
    }
    wait_policy& waiter() { return *to_receiver_; }

    [[gnu::always_inline]] Message* receive_in_place() {
        receiver_side& own = side_[0];
        if (own.holds) return own.holds;
        while (own.open_count != 0) {
            if (!own.next_is_ready())
                await_any(own);
            else if (Message* const message = own.take_next())
                return message;
        }
        return nullptr;
    }
    Message* try_receive_in_place() {
        receiver_side& own = side_[0];
        if (own.holds) return own.holds;
        while (own.open_count != 0 && (own.next_is_ready() || own.find(detail::relaxed_load{}, ready_.kind())))
            if (own.next_is_ready())
                if (Message* const message = own.take_next()) return message;
        return nullptr;
    }
    void set_ack() {
        receiver_side& own = side_[0];
        port::check_use(own.holds, "croft::many_to_one: set_ack() without a message");
        own.holds = nullptr;
        own.channels[own.last]->set_ack();
    }
    [[gnu::always_inline]] std::optional<Message> receive() { return take(receive_in_place()); }
    std::optional<Message> try_receive() { return take(try_receive_in_place()); }

    std::size_t last_sender() const { return side_[0].last; }
    bool ended() const { return side_[0].open_count == 0; }
    template <class Load>
    bool may_receive(Load load) {
        return side_[0].holds || ended() || side_[0].find(load, ready_.kind());
    }
    void flush_acks() {}

private:
    using word = typename Policies::template atomic<std::uint32_t>;

    // As of all, whoever has ended included: its flag stays reset.
    struct receiver_side {
        word* flags;
        channel_type** channels;
        std::size_t count, open_count;
        std::size_t next = 0, last = 0;
        Message* holds = nullptr;

        bool next_is_ready() const { return events::booleans::ready(detail::acquire_load{}(flags[next]), 0); }
        Message* take_next() {
            last = next;
            if (++next == count) next = 0;
            holds = channels[last]->front();
            if (!holds) {
                flags[last].store(events::booleans::no_ready, std::memory_order_relaxed);  // nobody writes it any more
                --open_count;
            }
            return holds;
        }
        // The first that is ready becomes the next one.
        template <class Load, class Lines>
        [[gnu::always_inline]] bool find(Load load, const Lines& lines) {
            const word* const all = flags;
            const std::size_t begin = next, end = count;
            if (events::booleans::ready(load(all[begin], lines), 0)) return true;
            auto further = detail::looks_further(load);
            for (std::size_t i = begin + 1; i < end; ++i)
                if (events::booleans::ready(further(all[i], lines), 0)) return found(i);
            for (std::size_t i = 0; i < begin; ++i)
                if (events::booleans::ready(further(all[i], lines), 0)) return found(i);
            return false;
        }
        bool found(std::size_t i) {
            next = i;
            return true;
        }
    };
    using receiver_lines = decltype(std::declval<const home&>().of_receiver());
    using line_kind = decltype(std::declval<const home&>().at(detail::part::message));

    static std::size_t checked(std::size_t senders, std::size_t degree) {
        if (senders == 0) throw std::invalid_argument("croft::many_to_one: there has to be at least one sender");
        if (degree != 1)
            throw std::invalid_argument("croft::many_to_one: with packed flags each sender has one slot, not " +
                                        std::to_string(degree));
        return senders;
    }
    [[gnu::noinline]] void await_any(receiver_side& own) {
        to_receiver_->wait([&](auto load) { return own.find(load, ready_.kind()); });
    }
    std::optional<Message> take(Message* slot) {
        if (!slot) return std::nullopt;
        std::optional<Message> message(std::move(*slot));
        set_ack();
        return message;
    }

    wait_policy waiter_;
    wait_policy* to_receiver_;
    detail::packed_array<word, line_kind> ready_;
    static_assert(port::cache_line % sizeof(word) == 0, "or the flags would not all lie side by side");
    std::deque<channel_type> channels_;
    std::vector<channel_type*> senders_;
    detail::line_array<receiver_side, receiver_lines> side_;
};

}  // namespace croft
