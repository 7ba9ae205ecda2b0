#pragma once
// Gives each item to one of several branches. Branches on other threads are tried first, from the one after the last,
// so the choice among them is fair; a branch on this thread is called, not sent to, and only gets what no other one has
// room for: so a thread that has emitted enough to keep all others busy works as well.
//
// How far a branch may be ahead. Slots are many natively, so that small items need not pay a line's journey for each
// look at an ack; but long ones queued up behind each other would leave other workers idle at the end of the stream. So
// a branch gets no more than a window of items, if it tells how many it has: two at first, twice as many whenever a
// branch has run dry, but, as far as this thread's own work on an item tells, not more than take 200 microseconds.
//
// The items inside may be numbered, for a collector that keeps order.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <croft/pattern/engine/executor.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/engine/pace.hpp>
#include <croft/pattern/farm_options.hpp>
#include <croft/pattern/run_state.hpp>

namespace croft::detail {

template <class T, class Shape, class Inside, class Policies>
class emitter_node final : public inlet<item<T, Shape>, Policies> {
    static constexpr bool numbers = !std::is_same_v<Shape, Inside>;
    using outer_item = item<T, Shape>;
    using inner_item = item<T, Inside>;
    using branch = inlet<inner_item, Policies>;

public:
    // `here` of the branches, the last ones, are on this thread.
    emitter_node(std::vector<branch*> branches, std::size_t here, croft::schedule schedule, run_state& state)
        : branches_(std::move(branches)),
          away_(branches_.size() - here),
          schedule_(schedule),
          state_(state),
          sent_to_(away_) {}

    outer_item* acquire() override {
        slot_ = find();
        if constexpr (numbers)
            return slot_ ? &slot_->outer : nullptr;
        else
            return slot_;
    }
    void publish() override {
        number();
        sent();
        pass([this] { branches_[chosen_]->publish(); });
    }
    void consume(outer_item& in) override {
        if constexpr (numbers) {
            // (Of a plain item that cannot be moved a hole is left, or its number would be missed.)
            const bool moved = move_item(state_, slot_->outer, in);
            number();
            slot_->hole |= !moved;
            sent();
            pass([this] { branches_[chosen_]->publish(); });
        } else {
            sent();
            pass([&] { branches_[chosen_]->consume(in); });
        }
    }
    void end() override {
        for (branch* each : branches_) each->end();
    }
    bool may_accept(const look<Policies>& load) override {
        if (schedule_ == croft::schedule::round_robin) return branches_[next_]->may_accept(load);
        for (branch* each : branches_)
            if (each->may_accept(load)) return true;
        return false;
    }

private:
    static constexpr std::uint32_t least_window = 2, most_window = 64;

    // Only where there is something else to do than to wait for the branch.
    bool inside_window(std::size_t i) {
        if (away_ == branches_.size()) return true;
        const auto ahead = branches_[i]->ahead();
        if (!ahead) return true;
        if (*ahead == 0 && sent_to_[i] >= window_) window_ = std::min(2 * window_, most_window);
        if (*ahead == 0) sent_to_[i] = 0;
        return *ahead < std::min(window_, cap_);
    }
    inner_item* find() {
        if (schedule_ == croft::schedule::round_robin) return branches_[chosen_ = next_]->acquire();
        if (inner_item* const slot = find_away([this](std::size_t i) { return inside_window(i); })) return slot;
        for (std::size_t i = away_; i < branches_.size(); ++i)
            if (inner_item* const slot = branches_[chosen_ = i]->acquire()) return slot;
        if (away_ == branches_.size()) return nullptr;
        return find_away([](std::size_t) { return true; });
    }
    template <class Condition>
    inner_item* find_away(Condition condition) {
        std::size_t i = next_;
        for (std::size_t seen = 0; seen < away_; ++seen) {
            if (condition(i))
                if (inner_item* const slot = branches_[chosen_ = i]->acquire()) return slot;
            if (++i == away_) i = 0;
        }
        return nullptr;
    }
    // Hands it on; on this thread that is the work itself, of which every eighth is timed.
    template <class Action>
    void pass(Action action) {
        if (chosen_ < away_) ++sent_to_[chosen_];
        if (chosen_ < away_ || worked_++ % 8 != 0) return action();
        const std::uint64_t began = port::cycles();
        action();
        const std::uint64_t took = port::cycles() - began + 1;
        cap_ = static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(100 * pace::usual_turn() / took, least_window, most_window));
    }
    void sent() {
        if (schedule_ == croft::schedule::round_robin)
            next_ = chosen_ + 1 == branches_.size() ? 0 : chosen_ + 1;
        else if (chosen_ < away_)
            next_ = chosen_ + 1 == away_ ? 0 : chosen_ + 1;
    }
    void number() {
        if constexpr (numbers) {
            slot_->sequence = sequence_++;
            slot_->last = true;
            slot_->hole = slot_->outer.is_hole();
        }
    }

    std::vector<branch*> branches_;
    std::size_t away_;
    croft::schedule schedule_;
    run_state& state_;
    std::size_t next_ = 0;    // to be tried first
    std::size_t chosen_ = 0;  // whose slot acquire() gave
    inner_item* slot_ = nullptr;
    std::uint32_t sequence_ = 0;
    std::uint32_t window_ = least_window, cap_ = most_window;
    std::uint32_t worked_ = 0;
    std::vector<std::uint32_t> sent_to_;  // each branch away, since it was seen to have run dry
};

// The same where the user says which branch gets an item, which can be said only once the item is there: so it is kept
// here until that branch has room.
template <class Choose, class T, class Shape, class Inside, class Policies>
class choosing_emitter_node final : public inlet<item<T, Shape>, Policies>, public role<Policies> {
    static constexpr bool numbers = !std::is_same_v<Shape, Inside>;
    using outer_item = item<T, Shape>;
    using inner_item = item<T, Inside>;
    using branch = inlet<inner_item, Policies>;

public:
    choosing_emitter_node(Choose& choose, std::vector<branch*> branches, run_state& state, executor<Policies>& thread)
        : choose_(choose), branches_(std::move(branches)), state_(state), thread_(thread) {}

    outer_item* acquire() override {
        if (kept_) return nullptr;
        if constexpr (numbers)
            return &own_.outer;
        else
            return &own_;
    }
    void publish() override {
        chosen_ = 0;
        if (!acquire()->is_hole() && !state_.drops())
            state_.guard([&] { chosen_ = choose_(std::as_const(acquire()->get()), branches_.size()); });
        chosen_ %= branches_.size();
        if constexpr (numbers) {
            own_.sequence = sequence_++;
            own_.last = true;
            own_.hole = own_.outer.is_hole();
        }
        if (branches_[chosen_]->acquire()) return branches_[chosen_]->consume(own_);
        kept_ = true;
        thread_.defer(*this);
    }
    void consume(outer_item& in) override {
        if (move_item(state_, *acquire(), in)) publish();
    }
    void end() override {
        ended_ = true;
        if (!kept_) end_all();
    }
    bool may_accept(const look<Policies>&) override { return !kept_; }

    // Only while something is kept.
    progress step() override {
        if (!branches_[chosen_]->acquire()) return progress::none;
        branches_[chosen_]->consume(own_);
        kept_ = false;
        if (ended_) end_all();
        return progress::ended;
    }
    bool may_step(const look<Policies>& load) override { return branches_[chosen_]->may_accept(load); }

private:
    void end_all() {
        for (branch* each : branches_) each->end();
    }

    Choose& choose_;
    std::vector<branch*> branches_;
    run_state& state_;
    executor<Policies>& thread_;
    std::size_t chosen_ = 0;
    std::uint32_t sequence_ = 0;
    bool kept_ = false;
    bool ended_ = false;
    inner_item own_;
};

}  // namespace croft::detail
