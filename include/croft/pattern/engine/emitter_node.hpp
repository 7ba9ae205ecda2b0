#pragma once
// Gives each item to one of several branches. Branches on other threads are tried first, from the one after the last,
// so the choice among them is fair; a branch on this thread is called, not sent to, and only gets what no other one has
// room for: so a thread that has emitted enough to keep all others busy works as well.
//
// The items inside may be numbered, for a collector that keeps order.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <croft/pattern/engine/executor.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/engine/run_state.hpp>
#include <croft/pattern/farm_options.hpp>

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
        : branches_(std::move(branches)), away_(branches_.size() - here), schedule_(schedule), state_(state) {}

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
        branches_[chosen_]->publish();
    }
    void consume(outer_item& in) override {
        if constexpr (numbers) {
            // (Of a plain item that cannot be moved a hole is left, or its number would be missed.)
            const bool moved = move_item(state_, slot_->outer, in);
            number();
            slot_->hole |= !moved;
            sent();
            branches_[chosen_]->publish();
        } else {
            sent();
            branches_[chosen_]->consume(in);
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
    inner_item* find() {
        if (schedule_ == croft::schedule::round_robin) return branches_[chosen_ = next_]->acquire();
        std::size_t i = next_;
        for (std::size_t seen = 0; seen < away_; ++seen) {
            if (inner_item* const slot = branches_[chosen_ = i]->acquire()) return slot;
            if (++i == away_) i = 0;
        }
        for (i = away_; i < branches_.size(); ++i)
            if (inner_item* const slot = branches_[chosen_ = i]->acquire()) return slot;
        return nullptr;
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
