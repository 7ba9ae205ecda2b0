#pragma once
// Slots that share nothing but the messages: their events travel as notifications (notifications.hpp; paper 000, figure
// 9). The sibling of slot.hpp; to be had with waits::notified, and best with homes::forwarded, RA-UDN in paper 000.
//
// A notification has to know its core. With `ends` it does. Without, each side tells the other where it runs when it
// first uses the channel. Then a sender's first publish() waits until the receiver has looked for its first message.

#include <croft/channel/notifications.hpp>

#if defined(CROFT_MANY_CORE)

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <croft/channel/flag.hpp>
#include <croft/channel/wait.hpp>
#include <croft/memory/line_array.hpp>
#include <croft/port/port.hpp>

namespace croft {

template <class Message, class Policies>
class notified_slots {
    static_assert(std::is_same_v<typename Policies::wait, waits::notified>,
                  "notified events are waited for by notified");
    using home = typename Policies::home;
    using line_kind = decltype(std::declval<const home&>().at(detail::part::message));
    struct alignas(port::cache_line) slot {
        Message message;
    };
    // One for each slot, together in lines at the core that they belong to.
    class event_flags {
    public:
        event_flags(std::size_t count, int core, std::uint32_t value) : count_(count), lines_(core) {
            flags_ = static_cast<event_flag*>(lines_.allocate(count * sizeof(event_flag)));
            for (std::size_t i = 0; i < count; ++i) std::construct_at(flags_ + i, value);
        }
        ~event_flags() { lines_.deallocate(flags_, count_ * sizeof(event_flag)); }
        event_flags(const event_flags&) = delete;
        event_flags& operator=(const event_flags&) = delete;
        event_flag* data() const { return flags_; }

    private:
        std::size_t count_;
        detail::plain_lines lines_;
        event_flag* flags_;
    };

    static constexpr std::uint32_t unknown = 0;  // else a core's number plus one

    struct side {
        slot *at, *first, *last;
        event_flag *event, *first_event;  // what this side waits for
        std::uint64_t tuple, first_tuple;
        port::address to{0, notifications::tag};
        bool knows_other = false;
        mutable bool looked = false;

        void advance() {
            if (at == last) {
                at = first;
                event = first_event;
                tuple = first_tuple;
            } else {
                ++at;
                ++event;
                tuple += notifications::next_slot;
            }
        }
    };

public:
    static constexpr bool holds_acks_back = false;

    struct sender_state : side {};
    struct receiver_state : side {};

    notified_slots(std::size_t count, home where, detail::ends cores)
        : lines_(checked(count), where.at(detail::part::message)),
          ready_(count, cores.receiver, 0),
          ack_(count, cores.sender, static_cast<std::uint32_t>(notifications::kind::ack)),
          number_(ready_.data(), ack_.data()),
          cores_(cores),
          sender_core_(static_cast<std::uint32_t>(cores.sender + 1)),
          receiver_core_(static_cast<std::uint32_t>(cores.receiver + 1)) {}

    void begin(sender_state& at) { begin(at, ack_.data(), cores_.receiver); }
    void begin(receiver_state& at) { begin(at, ready_.data(), cores_.sender); }

    Message& message(const side& at) const { return at.at->message; }
    void* own_lines(const side& at) const { return at.at; }
    static constexpr std::size_t own_size = sizeof(slot);
    const line_kind& lines() const { return lines_.kind(); }

    template <class Load>
    bool has_ack(const sender_state& at, Load load) const {
        return load(*at.event) != 0 || (first_look(at, cores_.sender, sender_core_) && load(*at.event) != 0);
    }
    [[gnu::always_inline]] void set_ready(sender_state& at, detail::announcement what) {
        at.event->store(0, std::memory_order_relaxed);
        if (!at.knows_other) [[unlikely]]
            meet(at, sender_core_, receiver_core_);
        lines().release();  // the message; or that it was read, and perhaps changed
        notifications::notify(
            at.to, at.tuple, what == detail::announcement::end ? notifications::kind::end : notifications::kind::ready);
        at.advance();
    }

    template <class Load>
    bool has_ready(const receiver_state& at, Load load) const {
        return load(*at.event) != 0 || (first_look(at, cores_.receiver, receiver_core_) && load(*at.event) != 0);
    }
    bool at_end(const receiver_state& at) const {
        return at.event->load(std::memory_order_relaxed) == static_cast<std::uint32_t>(notifications::kind::end);
    }
    [[gnu::always_inline]] bool set_ack(receiver_state& at) {
        at.event->store(0, std::memory_order_relaxed);
        if (!at.knows_other) [[unlikely]]
            meet(at, receiver_core_, sender_core_);
        lines().release();  // the message; or that it was read, and perhaps changed
        notifications::notify(at.to, at.tuple, notifications::kind::ack);
        at.advance();
        return true;
    }
    bool flush_acks(receiver_state&) { return false; }

private:
    static std::size_t checked(std::size_t count) {
        if (count > notifications::max_slots)
            throw std::length_error("croft::channel: a channel with notifications has 65536 slots at most");
        return count;
    }
    void begin(side& at, event_flag* events, int other) {
        at.at = at.first = &lines_[0];
        at.last = &lines_[lines_.size() - 1];
        at.event = at.first_event = events;
        at.tuple = at.first_tuple = number_.tuple(0);
        if (other != detail::any_core) know(at, static_cast<unsigned>(other));
    }
    static void know(side& at, unsigned other) {
        at.to = port::address(other, notifications::tag);
        at.knows_other = true;
    }

    // The first look that finds nothing: sees to it that later events come, and says where this side is. True if the
    // event may have come thereby.
    bool first_look(const side& at, int named, std::atomic<std::uint32_t>& own) const {
        if (at.looked) [[likely]]
            return false;
        return first_look_now(at, named, own);
    }
    [[gnu::noinline]] bool first_look_now(const side& at, int named, std::atomic<std::uint32_t>& own) const {
        const unsigned here = port::this_core();
        if (named != detail::any_core && named != static_cast<int>(here))
            throw std::logic_error("croft::channel: a side that was to run on core " + std::to_string(named) +
                                   " runs on core " + std::to_string(here));
        own.store(here + 1, std::memory_order_release);
        at.looked = true;
        notifications::attach();
        return true;
    }
    [[gnu::noinline]] void meet(side& at, std::atomic<std::uint32_t>& own, std::atomic<std::uint32_t>& other) {
        own.store(port::this_core() + 1, std::memory_order_release);
        waits::best waiter;
        std::uint32_t there;
        while ((there = other.load(std::memory_order_acquire)) == unknown)
            waiter.wait([&](auto load) { return load(other, detail::plain_lines()) != unknown; });
        know(at, there - 1);
    }

    detail::line_array<slot, line_kind> lines_;
    event_flags ready_, ack_;
    notifications::registration number_;
    detail::ends cores_;
    mutable std::atomic<std::uint32_t> sender_core_, receiver_core_;
};

}  // namespace croft

#endif
