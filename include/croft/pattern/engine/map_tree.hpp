#pragma once
// A map whose results become one item. The first worker takes the item and tells those below it, which tell theirs.
// Each works on its share. Their results go up again, neighbours' beside each other, and the first worker passes on the
// whole.
//
// Several items are under way, as many as there are slots. A worker goes on with the next item while those below it are
// still busy with the one before. It keeps its own value of that one until theirs have come. Values are in the order of
// the items in every channel, so nothing has to say which item one is of.
//
// Why nothing waits in a circle. A role takes an item only if it finds room for what it sends down and for the value
// that it keeps. It sends a value up only if there is room, and never waits in a channel. The oldest item under way is
// the first of every worker that has it. For those that have not, it is on its way, or next. So the lowest of them can
// go on.
//
// A failure at an item is told in its place. A mark goes up with the item's value. It counts when its turn has come at
// the first worker, when all items before it have been passed on (run_state.hpp).

#include <cstddef>
#include <utility>

#include <croft/channel/channel.hpp>
#include <croft/memory/home.hpp>
#include <croft/memory/line_array.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/engine/map_branch.hpp>
#include <croft/pattern/hand_over.hpp>
#include <croft/pattern/run_state.hpp>

namespace croft::detail {

// Workers 1 to N - 1.
template <class Calls, class Policies>
class map_member final : public role<Policies> {
    using item = typename Calls::item;
    using down = typename Calls::down;
    using up = typename Calls::up;

public:
    map_member(map_branch<Calls, Policies> branch, channel<down, Policies>& from, channel<up, Policies>& to)
        : branch_(std::move(branch)), from_(from), to_(to) {}
    map_branch<Calls, Policies>& branch() { return branch_; }

    progress step() override {
        bool progressed = pass_up();
        if (!ended_ && from_.may_receive(acquire_load{}) && branch_.may_begin(acquire_load{})) {
            take();
            progressed = true;
        }
        return ended_ && branch_.is_empty() ? progress::ended : progressed ? progress::some : progress::none;
    }
    bool may_step(const look<Policies>& load) override {
        if (!ended_ && from_.may_receive(load) && branch_.may_begin(load)) return true;
        return !branch_.is_empty() && branch_.may_complete(load) && to_.may_send(load);
    }
    void before_wait() override {
        from_.flush_acks();
        branch_.flush_acks();
    }

private:
    bool pass_up() {
        if (branch_.is_empty() || !branch_.complete() || !to_.may_send(acquire_load{})) return false;
        branch_.write_oldest(to_.acquire());
        to_.publish();
        branch_.pop();
        return true;
    }
    void take() {
        down* const came = from_.receive_in_place();
        if (!came) {
            branch_.close();
            ended_ = true;
            return;
        }
        if constexpr (Calls::scatters) {
            branch_.begin(came->is_nothing() ? nullptr : &came->item);
            hand_over(came->item);
            from_.set_ack();
        } else {
            item* const whole = came->item;
            from_.set_ack();
            branch_.begin(whole);
        }
    }

    map_branch<Calls, Policies> branch_;
    channel<down, Policies>& from_;
    channel<up, Policies>& to_;
    bool ended_ = false;
};

// Worker 0, to which the items come and from which the results go. Items lie here until they are complete.
template <class Calls, class Shape, class Policies>
class map_root final : public inlet<item_of<typename Calls::item, Shape>, Policies>, public role<Policies> {
    using in_item = item_of<typename Calls::item, Shape>;
    using out_item = item_of<typename Calls::out, Shape>;
    struct entry {
        in_item content;
        bool nothing = false, failed = false;
    };

public:
    map_root(map_branch<Calls, Policies> branch, std::size_t slots, int core, role_state state,
             inlet<out_item, Policies>& next)
        : branch_(std::move(branch)), entries_(slots, plain_lines(core)), state_(state), next_(next) {}
    map_branch<Calls, Policies>& branch() { return branch_; }

    in_item* acquire() override { return has_room(acquire_load{}) ? &newest().content : nullptr; }
    void publish() override { begin(false); }
    void consume(in_item& in) override {
        const bool moved = state_.guard_in_order([&] { newest().content = std::move(in); });
        if (!moved) newest().content.take_marks(in);
        begin(!moved);
    }
    void end() override { ended_ = true; }
    bool may_accept(const look<Policies>& load) override { return has_room(load); }

    progress step() override {
        bool progressed = false;
        while (count_ > 0 && deliver()) progressed = true;
        if (count_ > 0 || !ended_ || !branch_.may_begin(acquire_load{}))
            return progressed ? progress::some : progress::none;
        branch_.close();
        next_.end();
        return progress::ended;
    }
    bool may_step(const look<Policies>& load) override {
        if (count_ == 0) return ended_ && branch_.may_begin(load);
        return (oldest().nothing || branch_.may_complete(load)) && next_.may_accept(load);
    }
    void before_wait() override { branch_.flush_acks(); }

private:
    template <class Load>
    bool has_room(Load load) const {
        return count_ < entries_.size() && branch_.may_begin(load);
    }
    entry& newest() { return entries_[(first_ + count_) % entries_.size()]; }
    entry& oldest() { return entries_[first_]; }

    void begin(bool failed) {
        entry& own = newest();
        own.failed = failed;
        own.nothing = failed || own.content.is_hole() || state_.drops();
        ++count_;
        if (!own.nothing) branch_.begin(&own.content.template get<typename Calls::item>());
    }
    // The oldest one; false if something else has to come first.
    bool deliver() {
        entry& own = oldest();
        if (!own.nothing && !branch_.complete()) return false;
        out_item* const to = next_.acquire();
        if (!to) return false;
        to->take_marks(own.content);
        if (own.failed || (!own.nothing && branch_.oldest().failed)) fail(*to);
        bool made = false;
        if (!own.nothing && !branch_.oldest().failed && !state_.drops())
            guard_item(state_, *to, [&] {
                to->slot() = branch_.finish(own.content.template get<typename Calls::item>());
                made = true;
            });
        if (!own.nothing) branch_.pop();
        hand_over(own.content.slot());
        first_ = first_ + 1 == entries_.size() ? 0 : first_ + 1;
        --count_;
        if constexpr (is_marked<Shape>) {
            to->set_hole(!made);
            made = true;
        }
        if (made) next_.publish();
        return true;
    }
    // All that comes before it has been passed on.
    void fail([[maybe_unused]] out_item& to) {
        if constexpr (is_numbered<Shape>)
            to.set_failed();
        else
            state_.failed();
    }

    map_branch<Calls, Policies> branch_;
    line_array<entry, plain_lines> entries_;  // a ring
    role_state state_;
    inlet<out_item, Policies>& next_;
    std::size_t first_ = 0, count_ = 0;
    bool ended_ = false;
};

}  // namespace croft::detail
