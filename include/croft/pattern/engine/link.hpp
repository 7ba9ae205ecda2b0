#pragma once
// A channel between two threads of a network. At the sender's it is an inlet; at the receiver's it is a role that hands
// each item to the next inlet, where it lies. A full channel has no room, so a slow receiver holds its sender back.
// Several channels of one thread may lead into one inlet: then one role takes from all of them, in turn.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <croft/channel/channel.hpp>
#include <croft/pattern/engine/executor.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/engine/pace.hpp>
#include <croft/pattern/engine/pointer_list.hpp>
#include <croft/pattern/hand_over.hpp>
#include <croft/pattern/run_state.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

template <class Item, class Policies>
class link_sender final : public inlet<Item, Policies>, public role<Policies> {
public:
    // `worker`: the core of the receiving role, if that is where work on the items begins; else any_core.
    link_sender(channel<Item, Policies>& through, role_state state, executor<Policies>& thread, int worker = any_core)
        : through_(through), state_(state), thread_(thread), worker_(worker) {}

    [[gnu::always_inline]] Item* acquire() override { return slot_ = through_.try_acquire(); }
    [[gnu::always_inline]] void publish() override {
        hand_over(slot_->slot(), worker_);
        through_.publish();
    }
    void consume(Item& item) override {
        if (move_item(state_, *slot_, item)) publish();
    }
    // Takes a slot, so it may have to wait for one.
    void end() override { thread_.defer(*this); }
    bool may_accept(const look<Policies>& load) override { return through_.may_send(load); }
    int worker() const override { return worker_; }

    channel<Item, Policies>& through() { return through_; }

    // Only while the end is to be sent.
    progress step() override {
        if (!through_.may_send(acquire_load{})) return progress::none;
        through_.close();
        return progress::ended;
    }
    bool may_step(const look<Policies>& load) override { return through_.may_send(load); }

private:
    channel<Item, Policies>& through_;
    role_state state_;
    executor<Policies>& thread_;
    int worker_;
    Item* slot_ = nullptr;
};

// The end of each channel is told to the inlet, which counts them if there are several.
template <class Item, class Policies>
class link_receiver final : public role<Policies> {
    using from = channel<Item, Policies>;

public:
    link_receiver(from& first, executor<Policies>& thread, inlet<Item, Policies>& next) : thread_(thread), next_(next) {
        add(first);
    }
    // Before the network runs.
    void add(from& another) { open_.push_back(&another); }

    progress step() override {
        if (!find(acquire_load{})) return progress::none;
        pace_.begin();
        std::uint32_t taken = 0;
        bool progressed = false;
        do {
            from& each = *open_[at_];
            if (!next_.acquire() && !each.ended()) break;
            progressed = true;
            if (Item* const item = each.front()) {
                next_.consume(*item);
                each.set_ack();
                ++taken;
                if constexpr (in_turn) at_ = after(at_);
            } else {
                next_.end();  // which needs no room
                open_.erase(at_);
                if (open_.empty()) return progress::ended;
                if (at_ == open_.size()) at_ = 0;
            }
        } while ((taken < pace_.budget() || goes_on()) && find(acquire_load{}));
        if constexpr (!in_turn) at_ = after(at_);
        if (pace_.end(taken)) before_wait();
        return progressed ? progress::some : progress::none;
    }
    bool may_step(const look<Policies>& load) override {
        if (!find(load)) return false;
        return next_.may_accept(load) || open_[at_]->ended();
    }
    void before_wait() override {
        if constexpr (from::holds_acks_back)
            for (from* each : open_) each->flush_acks();
    }

private:
    // The turn goes on after one item where an item has lines of its own. Natively, where several share a line, those
    // beside the one just taken cost next to nothing. So there a turn is as many items as a step takes.
    static constexpr bool in_turn = port::waits_on_lines;

    std::size_t after(std::size_t i) const { return i + 1 == open_.size() ? 0 : i + 1; }
    // From the channel whose turn it is on, makes the first that has something the next. Most looks find nothing, and a
    // look that acquires costs a fence on most machines. So where there are several channels, only the look that finds
    // something acquires.
    template <class Load>
    bool find(Load load) {
        if (open_.size() == 1) return open_[0]->may_receive(load);
        for (std::size_t seen = 0; seen < open_.size(); ++seen) {
            if constexpr (std::is_same_v<Load, acquire_load>) {
                if (open_[at_]->may_receive(relaxed_load{}) && open_[at_]->may_receive(load)) return true;
            } else {
                if (open_[at_]->may_receive(load)) return true;
            }
            at_ = after(at_);
        }
        return false;
    }

    // Acks held back are given at the end of a step that took long, so there steps have to end.
    bool goes_on() const { return !from::holds_acks_back && thread_.has_one_role(); }

    pointer_list<from> open_;
    executor<Policies>& thread_;
    inlet<Item, Policies>& next_;
    std::size_t at_ = 0;
    pace pace_;
};

}  // namespace croft::detail
