#pragma once
// The receiving side of several channels: it chooses the one to take from. It looks first at the one after the one it
// served last. So a sender with a message waits for at most one message of each other sender.
//
// If a load tells of the channels' flags (channel::has_next_flag), it keeps the flags to look at side by side:
// pending_flags.hpp.

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <croft/channel/flag.hpp>
#include <croft/channel/pending_flags.hpp>

namespace croft::detail {

template <class Channel>
struct fair_choice {
    using message_type = typename Channel::message_type;
    struct entry {
        Channel* channel;
        std::size_t sender;
    };
    static constexpr bool keeps_flags = Channel::has_next_flag;
    struct no_flag {};
    using pending = typename decltype([] {
        if constexpr (keeps_flags)
            return std::type_identity<decltype(std::declval<const Channel&>().next_flag())>{};
        else
            return std::type_identity<no_flag>{};
    }())::type;

    entry* open;  // the senders whose end was not seen, in their order
    std::size_t open_count;
    std::size_t next;       // of these, the one to be looked at first: the one after the one served last
    entry last;             // served last
    message_type* holds;    // its message, handed out and not yet acknowledged
    pending* flags;         // of each that is open, if they are kept
    std::size_t stale = 0;  // of these, the one whose channel has come to its next slot since, counted from 1

    // The flag to look at for a channel.
    static pending flag_of(const entry& of) {
        if constexpr (keeps_flags)
            return of.channel->next_flag();
        else
            return {};
    }
    // The message that is held may be overwritten.
    void set_ack() {
        holds = nullptr;
        last.channel->set_ack();
    }

    bool next_is_ready() const { return open[next].channel->may_receive(acquire_load{}); }
    // The message of the sender that is next, which is ready; null if that is its end. Then it is taken out, and
    // `ended(entry)` told.
    template <class Ended>
    message_type* take_next(Ended ended) {
        if constexpr (keeps_flags) renew();
        const entry it = open[next];
        message_type* const message = it.channel->front();
        if (message) {
            last = it;
            if constexpr (keeps_flags) stale = next + 1;
            holds = message;
            ++next;
        } else {
            std::copy(open + next + 1, open + open_count, open + next);
            if constexpr (keeps_flags) std::copy(flags + next + 1, flags + open_count, flags + next);
            --open_count;
            ended(it);
        }
        if (next >= open_count) next = 0;
        return message;
    }
    // Makes the first sender that is ready, in fair order, the next one; while no message is held. Most looks find
    // nothing, and an acquiring one costs a fence on most machines; so the caller looks again, acquiring.
    template <class Load>
    [[gnu::always_inline]] bool find(Load load) {
        if constexpr (keeps_flags) return find_flag(load);
        std::size_t i = next;
        for (std::size_t seen = 0; seen < open_count; ++seen) {
            if (open[i].channel->may_receive(load)) {
                next = i;
                return true;
            }
            if (++i == open_count) i = 0;
        }
        return false;
    }

private:
    // Not by set_ack(): the sender waits for that, and nobody for this. While no message is held.
    [[gnu::always_inline]] void renew() {
        if (stale == 0) return;
        flags[stale - 1] = flag_of(last);
        stale = 0;
    }
    template <class Load>
    [[gnu::always_inline]] bool find_flag(Load load) {
        renew();
        const std::size_t count = open_count;
        if (count == 0) return false;
        const pending* const all = flags;
        std::size_t i = next;
        if (all[i].is_ready(load)) return true;
        auto further = looks_further(load);
        if ((count - 1) / 4 != 0) return find_among_many(further);  // which is worth a call
        for (std::size_t left = count - 1; left != 0; --left) {
            if (++i == count) i = 0;
            if (all[i].is_ready(further)) {
                next = i;
                return true;
            }
        }
        return false;
    }
    // Behind the next one.
    template <class Load>
    [[gnu::noinline]] bool find_among_many(Load load) {
        const pending* const all = flags;
        std::size_t from = next + 1, to = open_count;
        for (bool around = false;; around = true) {
            while (to - from >= 4 && !pending::any_of_four(all + from, load)) from += 4;
            for (; from != to; ++from)
                if (all[from].is_ready(load)) {
                    next = from;
                    return true;
                }
            if (around) return false;
            from = 0;
            to = next;
        }
    }
};

}  // namespace croft::detail
