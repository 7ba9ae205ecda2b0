#pragma once
// The receiving side of several channels: which of them it takes from. It looks first at the one after the one it
// served last, so a sender with a message waits for at most one message of each other sender.

#include <algorithm>
#include <cstddef>

#include <croft/channel/flag.hpp>

namespace croft {

template <class Channel>
struct fair_choice {
    using message_type = typename Channel::message_type;
    struct entry {
        Channel* channel;
        std::size_t sender;
    };

    entry* open;  // the senders whose end was not seen, in their order
    std::size_t open_count;
    std::size_t next;     // of these, the one to be looked at first: the one after the one served last
    entry last;           // served last
    message_type* holds;  // its message, handed out and not yet acknowledged

    bool next_is_ready() const { return open[next].channel->may_receive(acquire_load{}); }
    // The message of the sender that is next, which is ready; null if that is its end. Then it is taken out, and
    // `ended(entry)` told.
    template <class Ended>
    message_type* take_next(Ended ended) {
        const entry it = open[next];
        message_type* const message = it.channel->front();
        if (message) {
            last = it;
            holds = message;
            ++next;
        } else {
            std::copy(open + next + 1, open + open_count, open + next);
            --open_count;
            ended(it);
        }
        if (next >= open_count) next = 0;
        return message;
    }
    // Makes the first sender that is ready, in fair order, the next one. Most looks find nothing, and an acquiring one
    // costs a fence on most machines; so the caller looks again, acquiring.
    template <class Load>
    bool find(Load load) {
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
};

}  // namespace croft
