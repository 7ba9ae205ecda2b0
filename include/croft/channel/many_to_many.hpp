#pragma once
// Many to many: N senders and M receivers share one bounded queue. Each message goes to one receiver, whichever comes
// for it first.
//
//     croft::many_to_many<int> numbers(2, 3, 64);                       // two senders, three receivers, 64 slots
//     std::jthread one([&] { numbers.send(1); numbers.close(); });      // each sender closes once
//     while (const auto number = numbers.receive()) use(*number);       // until all have closed
//
// Senders and receivers are threads; none has a place of its own, and all call the same object at the same time.
// Messages are received in the order in which they were sent; for each sender that is its own order. The stream ends
// when as many as there are senders have called close(), and all messages were received. Then every receiver gets "no
// message". A receiver that wants no more says leave(). When all have left, a sender without room gets `disconnected`.
//
// How it differs from its siblings: many_to_one.hpp, one_to_many.hpp and inbox.hpp have a channel for each pair, in
// which nothing is a read-modify-write. Here all share a line for each side, which a message moves; so it costs several
// times as much. But no receiver is idle while there is a message. Messages go by value only, because a slot is
// anybody's.
//
// Each side counts its messages, which gives each message a ticket, and the ticket a slot and a turn (Vyukov's bounded
// queue). A slot's word is twice the turns that it has seen, plus one while a message is in it. A thread takes the next
// ticket only if its slot is ready for it, so nobody waits in a slot. Only a ticket's owner changes its slot's word.
// The words release and acquire the messages, both ways. The counts order nothing, so they are relaxed. (A thread that
// is stopped between taking a ticket and writing the word holds up the other side.)
//
// A message type is default-initialisable, and its moves do not throw: a slot that is taken has to be filled.

#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <croft/channel/disconnected.hpp>
#include <croft/channel/event_count.hpp>
#include <croft/channel/policies.hpp>
#include <croft/channel/timed.hpp>
#include <croft/memory/line_array.hpp>
#include <croft/port/misuse.hpp>

namespace croft {

template <class Message, class Policies = policies>
class many_to_many {
    static_assert(std::is_default_constructible_v<Message> && std::is_nothrow_move_constructible_v<Message> &&
                      std::is_nothrow_move_assignable_v<Message>,
                  "croft::many_to_many: a message needs a default constructor and moves that do not throw; a "
                  "std::optional<T> may have them");
    template <class T>
    using atomic = typename Policies::template atomic<T>;
    using wait_policy = typename detail::wait_of_several<typename Policies::wait>::type;

public:
    using message_type = Message;

    // `degree` slots in all, or the next power of two. Throws std::invalid_argument for none of either side, or of
    // slots; std::bad_alloc.
    many_to_many(std::size_t senders, std::size_t receivers, std::size_t degree)
        : senders_(static_cast<std::uint32_t>(senders)),
          receivers_(static_cast<std::uint32_t>(receivers)),
          mask_(std::bit_ceil(checked(senders, receivers, degree)) - 1),
          bits_(static_cast<int>(std::bit_width(mask_))),
          slots_(mask_ + 1, detail::plain_lines()) {}
    many_to_many(const many_to_many&) = delete;
    many_to_many& operator=(const many_to_many&) = delete;

    // ---- senders ----

    // Waits for a free slot. Throws `disconnected` if there is none and all receivers have left; so do all that send.
    void send(Message message) { put_by(message, for_ever{}); }
    // False, and the message untouched, if there is no free slot now.
    bool try_send(Message&& message) { return put_or_refuse(message); }
    bool try_send(const Message& message) { return try_send(Message(message)); }
    // The same if there is none in time, or until a stop is requested. (These are not timed.hpp's: another may take the
    // slot between the wait and the call.)
    template <class Rep, class Period>
    bool send_for(Message&& message, std::chrono::duration<Rep, Period> time) {
        return put_by(message, detail::deadline_after(time));
    }
    template <class Clock, class Duration>
    bool send_until(Message&& message, std::chrono::time_point<Clock, Duration> time) {
        return put_by(message, detail::deadline_at(time));
    }
    bool send_until(Message&& message, const std::stop_token& stop) { return put_by(message, stop); }

    // By each sender, once: it sends no more.
    void close() {
        // Release: who finds that all have closed finds all their messages.
        [[maybe_unused]] const std::uint32_t before = closed_.fetch_add(1, std::memory_order_acq_rel);
        port::check_use(before < senders_, "croft::many_to_many: close() by more than there are senders");
        detail::notify_all(filled_);
    }

    // ---- receivers ----

    // Waits for a message. Nothing at the end of the stream.
    std::optional<Message> receive() { return take_by(for_ever{}); }
    // Nothing also if there is no message now. ended() tells which.
    std::optional<Message> try_receive() { return take(); }
    // Nothing also if none came in time, or until a stop is requested.
    template <class Rep, class Period>
    std::optional<Message> receive_for(std::chrono::duration<Rep, Period> time) {
        return take_by(detail::deadline_after(time));
    }
    template <class Clock, class Duration>
    std::optional<Message> receive_until(std::chrono::time_point<Clock, Duration> time) {
        return take_by(detail::deadline_at(time));
    }
    std::optional<Message> receive_until(const std::stop_token& stop) { return take_by(stop); }

    // Whether all senders have closed, and all messages are received or another receiver's.
    bool ended() const { return all_closed(detail::acquire_load{}) && !has_message(detail::acquire_load{}); }

    // By each receiver, once at most: it receives no more.
    void leave() {
        // Release: a sender that is told sees what the receivers did before.
        [[maybe_unused]] const std::uint32_t before = left_.fetch_add(1, std::memory_order_acq_rel);
        port::check_use(before < receivers_, "croft::many_to_many: leave() by more than there are receivers");
        detail::notify_all(freed_);
    }

private:
    struct slot {
        atomic<std::uint64_t> turn{0};
        Message message;
    };
    struct alignas(port::cache_line) tickets {
        atomic<std::uint64_t> next{0};
    };
    struct for_ever {};

    static std::size_t checked(std::size_t senders, std::size_t receivers, std::size_t degree) {
        if (senders == 0 || receivers == 0)
            throw std::invalid_argument("croft::many_to_many: there has to be a sender and a receiver at least");
        if (degree == 0) throw std::invalid_argument("croft::many_to_many: a queue needs at least one slot");
        return degree;
    }

    std::uint64_t free_at(std::uint64_t ticket) const { return ticket >> bits_ << 1; }
    std::uint64_t full_at(std::uint64_t ticket) const { return free_at(ticket) + 1; }

    // The ticket whose slot's word is what `ready` says, which is this thread's from now on; nothing if the next one's
    // is not yet. A ticket that others have taken meanwhile has a later word, so then there is a newer ticket.
    template <class Ready>
    std::optional<std::uint64_t> ticket_of(tickets& side, Ready ready) {
        std::uint64_t ticket = side.next.load(std::memory_order_relaxed);
        for (;;) {
            // Acquire: the message was written, or moved out, before.
            const std::uint64_t found = slots_[ticket & mask_].turn.load(std::memory_order_acquire);
            if (found < ready(ticket)) return std::nullopt;
            if (found > ready(ticket))
                ticket = side.next.load(std::memory_order_relaxed);
            else if (side.next.compare_exchange_weak(ticket, ticket + 1, std::memory_order_relaxed,
                                                     std::memory_order_relaxed))
                return ticket;
        }
    }
    bool put(Message& message) {
        const auto ticket = ticket_of(sent_, [this](std::uint64_t of) { return free_at(of); });
        if (!ticket) return false;
        slot& mine = slots_[*ticket & mask_];
        mine.message = std::move(message);
        mine.turn.store(full_at(*ticket), std::memory_order_release);
        filled_.notify();
        // Slots may become free out of turn. Then who freed the later one has woken nobody that could use it.
        pass_on(freed_, [this] { return has_room(detail::relaxed_load{}); });
        return true;
    }
    std::optional<Message> take() {
        const auto ticket = ticket_of(received_, [this](std::uint64_t of) { return full_at(of); });
        if (!ticket) return std::nullopt;
        slot& mine = slots_[*ticket & mask_];
        std::optional<Message> message(std::move(mine.message));
        mine.turn.store(free_at(*ticket) + 2, std::memory_order_release);
        freed_.notify();
        pass_on(filled_, [this] { return has_message(detail::relaxed_load{}); });  // as above
        return message;
    }
    template <class Ready>
    static void pass_on(wait_policy& to, Ready ready) {
        if constexpr (requires { to.is_awaited(); })
            if (to.is_awaited() && ready()) to.notify();
    }

    // A late look at the count finds a later word, which is news as well: the caller looks again.
    template <class Load>
    bool has_message(Load load) const {
        const std::uint64_t ticket = load(received_.next, detail::plain_lines());
        return load(slots_[ticket & mask_].turn, detail::plain_lines()) >= full_at(ticket);
    }
    template <class Load>
    bool has_room(Load load) const {
        const std::uint64_t ticket = load(sent_.next, detail::plain_lines());
        return load(slots_[ticket & mask_].turn, detail::plain_lines()) >= free_at(ticket);
    }
    template <class Load>
    bool all_closed(Load load) const {
        return load(closed_, detail::plain_lines()) == senders_;
    }
    template <class Load>
    bool all_left(Load load) const {
        return load(left_, detail::plain_lines()) == receivers_;
    }

    bool put_or_refuse(Message& message) {
        if (put(message)) return true;
        if (all_left(detail::acquire_load{})) [[unlikely]]
            throw disconnected("croft::many_to_many: all receivers have left, and there is no room");
        return false;
    }
    template <class End>
    bool put_by(Message& message, const End& end) {
        while (!put_or_refuse(message))
            if (!wait(freed_, [this](auto load) { return this->has_room(load) || this->all_left(load); }, end))
                return put_or_refuse(message);
        return true;
    }
    template <class End>
    std::optional<Message> take_by(const End& end) {
        for (;;) {
            if (auto message = take()) return message;
            if (all_closed(detail::acquire_load{})) return take();
            if (!wait(filled_, [this](auto load) { return this->has_message(load) || this->all_closed(load); }, end))
                return take();
        }
    }
    // False if the end of waiting has come.
    template <class Scan, class End>
    static bool wait(wait_policy& at, Scan scan, const End& end) {
        if constexpr (std::is_same_v<End, for_ever>) {
            at.wait(scan);
            return true;
        } else {
            return waits::wait_until(at, scan, end);
        }
    }

    // Read by all, written by nobody.
    std::uint32_t senders_, receivers_;
    std::size_t mask_;
    int bits_;
    detail::line_array<slot, detail::plain_lines> slots_;
    tickets sent_, received_;
    alignas(port::cache_line) wait_policy filled_;
    alignas(port::cache_line) wait_policy freed_;
    alignas(port::cache_line) atomic<std::uint32_t> closed_{0};
    atomic<std::uint32_t> left_{0};
};

}  // namespace croft
