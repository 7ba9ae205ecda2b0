#pragma once
// One role's channels to the workers that it sends a map's items on to. It also does the work on an item that is split
// on its way.

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/memory/ends.hpp>
#include <croft/pattern/hand_over.hpp>
#include <croft/pattern/map_form.hpp>
#include <croft/pattern/map_options.hpp>
#include <croft/pattern/run_state.hpp>

namespace croft::detail {

// Whether a role may wait for such a channel and for something else at once. A role that shares its thread must.
template <class Channel>
inline constexpr bool can_be_asked = false;
template <class Channel>
    requires requires(Channel& channel) { channel.may_send(acquire_load{}); }
inline constexpr bool can_be_asked<Channel> = !requires { requires Channel::waits_alone; };

// Items for the workers of `branch`, of which the first may be the one that sends.
template <class Message, class Channels>
class map_sender {
    using through = channel<Message, Channels>;

public:
    struct target {
        through* channel;
        share part;  // of the branch
        int worker;  // the core of the part's first worker, to which it goes
    };

    explicit map_sender(share branch) : branch_(branch) {}
    void add(through& channel, share to, int worker) {
        targets_.push_back({&channel, {to.first - branch_.first, to.count, branch_.count}, worker});
    }

    // To each what `send(target)` sends; `instead(target)` where that throws. False if it did.
    template <class Guard, class Send, class Instead>
    [[gnu::always_inline]] bool send(Guard guard, Send send, Instead instead) const {
        bool all = true;
        for (const target& to : targets_)
            if (!guard([&] { send(to); })) {
                instead(to);
                all = false;
            }
        return all;
    }
    void close() const {
        for (const target& to : targets_) to.channel->close();
    }
    template <class Load>
    bool may_send(Load load) const {
        if constexpr (can_be_asked<through>)
            for (const target& to : targets_)
                if (!to.channel->may_send(load)) return false;
        return true;
    }
    // How many workers' items come here, and the first one's part of them.
    std::size_t count() const { return branch_.count; }
    share first_part() const { return {0, 1, branch_.count}; }
    // The core to which an item goes, if that is one.
    int worker() const { return targets_.size() == 1 ? targets_[0].worker : any_core; }

private:
    share branch_;
    std::vector<target> targets_;
};

// A part of an item, made for `worker`'s core to work on.
template <class Item, class Splitter>
[[gnu::always_inline]] inline Item part_of(Item& item, Splitter& splitter, share part, int worker) {
    if constexpr (std::same_as<Splitter, whole_item>) {
        return item;
    } else {
        if (part.count == part.workers) return std::move(item);
        expected_worker<Item> made_here;
        made_here.for_worker(worker);
        return splitter(item, part);
    }
}

}  // namespace croft::detail
