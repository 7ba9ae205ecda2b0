#pragma once
// One role's channels to the workers that it sends its items on to.

#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/hand_over.hpp>
#include <croft/pattern/map_options.hpp>
#include <croft/pattern/map_roles.hpp>
#include <croft/pattern/role_threads.hpp>

namespace croft::detail {

template <class Item, class Channel, class Splitter>
class map_sender {
public:
    // Its items are for the workers of `branch`.
    map_sender(share branch, const Splitter& splitter, role_threads& roles)
        : branch_(branch), splitter_(&splitter), roles_(&roles) {}
    // `worker`: the core of the branch's first worker, which gets the part.
    void add(Channel& channel, share to, int worker) { targets_.push_back({&channel, within_branch(to), worker}); }

    // To each its part. Whatever is thrown, each gets something.
    void send(Item& item) const {
        for (const target& to : targets_)
            if (!roles_->guard([&] { send_part(item, to); })) to.channel->send(stand_in<Item>());
    }
    // The part of the branch's first worker. To be called last.
    Item first_part(Item&& item) const {
        if constexpr (!std::is_same_v<Splitter, whole_item>)
            if (branch_.count > 1) return (*splitter_)(item, share{0, 1, branch_.count});
        return std::move(item);
    }
    void close() const {
        for (const target& to : targets_) to.channel->close();
    }

private:
    struct target {
        Channel* channel;
        share part;
        int worker;
    };
    void send_part(Item& item, const target& to) const {
        expected_worker<Item> made_here;
        made_here.for_worker(to.worker);
        Item part = part_of(item, to.part);
        hand_over(part, to.worker);
        to.channel->send(std::move(part));
    }
    share within_branch(share to) const { return {to.first - branch_.first, to.count, branch_.count}; }
    Item part_of(Item& item, share part) const {
        if constexpr (!std::is_same_v<Splitter, whole_item>)
            return part.count < branch_.count ? (*splitter_)(item, part) : std::move(item);
        else
            return item;
    }

    share branch_;
    const Splitter* splitter_;
    role_threads* roles_;
    std::vector<target> targets_;
};

}  // namespace croft::detail
