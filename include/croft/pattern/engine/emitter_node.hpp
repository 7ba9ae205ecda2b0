#pragma once
// Gives each item to one of several branches. Branches on other threads are tried first, from the one after the last,
// so the choice among them is fair. A branch on this thread is called, not sent to, and only gets an item if no other
// has room for it. So a thread that has emitted enough to keep all others busy works as well.
//
// How far a branch may be ahead. Natively there are many slots, so that small items need not pay a line's journey for
// each look at an ack. But long items queued up behind each other would leave other workers idle at the end of the
// stream. So a branch gets no more than a window of items, if it tells how many it has. The window begins at one, so
// two long items go to two threads. It doubles whenever a branch has run dry. But its items take no more than 200
// microseconds, as far as this thread's own work on an item tells.
//
// The items inside may be numbered, for a collector that keeps order.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/engine/executor.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/engine/link.hpp>
#include <croft/pattern/engine/pace.hpp>
#include <croft/pattern/engine/pointer_list.hpp>
#include <croft/pattern/farm_options.hpp>
#include <croft/pattern/run_state.hpp>

namespace croft::detail {

// A branch on another thread: its channel itself, so that sending to it touches nothing else; its sender is for the
// end. (Of no type, so that the compiler has one vector of them: pointer_list.hpp.)
struct away_branch {
    void* channel;
    void* sender;
    int worker;
};

template <class T, class Shape, class Inside, class Policies>
class emitter_node final : public inlet<item_of<T, Shape>, Policies> {
    static constexpr bool numbers = !std::is_same_v<Shape, Inside>;
    using outer_item = item_of<T, Shape>;
    using inner_item = item_of<T, Inside>;

public:
    using sender_type = link_sender<inner_item, Policies>;
    using here_branch = inlet<inner_item, Policies>;

    // The branches on other threads, and those on this thread. The items are numbered `first`, `first` + `step` ...
    emitter_node(const pointer_list<sender_type>& away, pointer_list<here_branch> here, croft::schedule schedule,
                 role_state state, std::uint32_t first = 0, std::uint32_t step = 1)
        : here_(std::move(here)),
          schedule_(schedule),
          state_(state),
          sequence_(first),
          step_(step),
          sent_to_(away.size()) {
        away_.reserve(away.size());
        for (sender_type* each : away) away_.push_back({&each->through(), each, each->worker()});
    }

    [[gnu::always_inline]] outer_item* acquire() override {
        slot_ = find();
        if constexpr (numbers)
            return slot_ ? &slot_->outer : nullptr;
        else
            return slot_;
    }
    [[gnu::always_inline]] void publish() override {
        number();
        pass([this](away_branch& branch) { publish_to(branch); }, [](here_branch& branch) { branch.publish(); });
    }
    void consume(outer_item& in) override {
        if constexpr (numbers) {
            // (Of a plain item that cannot be moved a hole is left, or its number would be missed.)
            const bool moved = move_item(state_, slot_->outer, in);
            number();
            slot_->hole |= !moved;
            pass([this](away_branch& branch) { publish_to(branch); }, [](here_branch& branch) { branch.publish(); });
        } else {
            pass(
                [&](away_branch& branch) {
                    if (move_item(state_, *slot_, in)) publish_to(branch);
                },
                [&](here_branch& branch) { branch.consume(in); });
        }
    }
    void end() override {
        for (away_branch& each : away_) static_cast<sender_type*>(each.sender)->end();
        for (here_branch* each : here_) each->end();
    }
    bool may_accept(const look<Policies>& load) override {
        if (schedule_ == croft::schedule::round_robin)
            return next_ < away_.size() ? to(away_[next_]).may_send(load)
                                        : here_[next_ - away_.size()]->may_accept(load);
        for (away_branch& each : away_)
            if (to(each).may_send(load)) return true;
        for (here_branch* each : here_)
            if (each->may_accept(load)) return true;
        return false;
    }
    int worker() const override {
        return chosen_ < away_.size() ? away_[chosen_].worker : here_[chosen_ - away_.size()]->worker();
    }

private:
    static constexpr std::uint32_t least_window = 2, most_window = 64;

    static channel<inner_item, Policies>& to(away_branch& branch) {
        return *static_cast<channel<inner_item, Policies>*>(branch.channel);
    }
    [[gnu::always_inline]] inner_item* acquire_from(away_branch& branch) {
        return to(branch).may_send(relaxed_load{}) ? to(branch).try_acquire() : nullptr;
    }
    [[gnu::always_inline]] void publish_to(away_branch& branch) {
        hand_over(slot_->slot(), branch.worker);
        to(branch).publish();
    }

    // Only where there is something else to do than to wait for the branch.
    bool inside_window(std::size_t i) {
        const auto ahead = to(away_[i]).unread();
        if (!ahead) return true;
        if (*ahead == 0 && sent_to_[i] >= window_) window_ = std::min(2 * window_, most_window);
        if (*ahead == 0) sent_to_[i] = 0;
        return *ahead < std::min(window_, cap_);
    }
    [[gnu::always_inline]] inner_item* find() {
        if (schedule_ == croft::schedule::round_robin) {
            chosen_ = next_;
            return next_ < away_.size() ? acquire_from(away_[next_]) : here_[next_ - away_.size()]->acquire();
        }
        const auto any = [](std::size_t) { return true; };
        if (here_.empty()) return find_away(any);
        if (inner_item* const slot = find_away([this](std::size_t i) { return inside_window(i); })) return slot;
        for (std::size_t i = 0; i < here_.size(); ++i)
            if (inner_item* const slot = here_[i]->acquire()) {
                chosen_ = away_.size() + i;
                return slot;
            }
        return find_away(any);
    }
    template <class Condition>
    [[gnu::always_inline]] inner_item* find_away(Condition condition) {
        std::size_t i = next_;
        for (std::size_t seen = 0; seen < away_.size(); ++seen) {
            if (condition(i))
                if (inner_item* const slot = acquire_from(away_[i])) {
                    chosen_ = i;
                    return slot;
                }
            if (++i == away_.size()) i = 0;
        }
        return nullptr;
    }
    // Hands it on; on this thread that is the work itself, of which every eighth is timed.
    template <class Away, class Here>
    [[gnu::always_inline]] void pass(Away send, Here call) {
        const std::size_t all = schedule_ == croft::schedule::round_robin ? away_.size() + here_.size() : away_.size();
        if (chosen_ < all) next_ = chosen_ + 1 == all ? 0 : chosen_ + 1;
        if (chosen_ < away_.size()) {
            ++sent_to_[chosen_];
            return send(away_[chosen_]);
        }
        here_branch& here = *here_[chosen_ - away_.size()];
        if (worked_++ % 8 != 0) return call(here);
        const std::uint64_t began = port::cycles();
        call(here);
        const std::uint64_t took = port::cycles() - began + 1;
        const auto now = static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(100 * pace::usual_turn() / took, least_window, most_window));
        // One that took long is believed by and by: it may have been this thread that had to wait for its core. (The
        // first is believed as it is, because the bound begins at the least.)
        cap_ = std::max(now, cap_ / 2);
    }
    void number() {
        if constexpr (numbers) {
            slot_->sequence = sequence_;
            sequence_ += step_;
            slot_->last = true;
            slot_->hole = slot_->outer.is_hole();
            slot_->failed = false;
        }
    }

    std::vector<away_branch> away_;
    pointer_list<here_branch> here_;
    croft::schedule schedule_;
    role_state state_;
    std::size_t next_ = 0;    // to be tried first; those on this thread are numbered behind the others
    std::size_t chosen_ = 0;  // whose slot acquire() gave
    inner_item* slot_ = nullptr;
    std::uint32_t sequence_, step_;
    std::uint32_t window_ = 1, cap_ = least_window;
    std::uint32_t worked_ = 0;
    std::vector<std::uint32_t> sent_to_;  // each branch away, since it was seen to have run dry
};

// The same where the user says which branch gets an item. That can be said only once the item is there, so it is kept
// here until that branch has room.
template <class Choose, class T, class Shape, class Inside, class Policies>
class choosing_emitter_node final : public inlet<item_of<T, Shape>, Policies>, public role<Policies> {
    static constexpr bool numbers = !std::is_same_v<Shape, Inside>;
    using outer_item = item_of<T, Shape>;
    using inner_item = item_of<T, Inside>;
    using branch = inlet<inner_item, Policies>;

public:
    choosing_emitter_node(Choose& choose, pointer_list<branch> branches, role_state state, executor<Policies>& thread)
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
            state_.guard([&] { chosen_ = choose_(std::as_const(acquire()->template get<T>()), branches_.size()); });
        chosen_ %= branches_.size();
        if constexpr (numbers) {
            own_.sequence = sequence_++;
            own_.last = true;
            own_.hole = own_.outer.is_hole();
            own_.failed = false;
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
    pointer_list<branch> branches_;
    role_state state_;
    executor<Policies>& thread_;
    std::size_t chosen_ = 0;
    std::uint32_t sequence_ = 0;
    bool kept_ = false;
    bool ended_ = false;
    inner_item own_;
};

}  // namespace croft::detail
