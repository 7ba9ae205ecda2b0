#pragma once
// Joins several branches into one stream: as the items come, or in the order of their numbers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/engine/executor.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/run_state.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

// In order of arrival: one inlet for all branches, which ends with the last of them.
template <class Item, class Policies>
class merge_node final : public inlet<Item, Policies> {
public:
    merge_node(std::size_t branches, inlet<Item, Policies>& next) : open_(branches), next_(next) {}
    // Before the network runs.
    void add_branch() { ++open_; }

    Item* acquire() override { return next_.acquire(); }
    void publish() override { next_.publish(); }
    void consume(Item& item) override { next_.consume(item); }
    void end() override {
        if (--open_ == 0) next_.end();
    }
    bool may_accept(const look<Policies>& load) override { return next_.may_accept(load); }

private:
    std::size_t open_;
    inlet<Item, Policies>& next_;
};

// In the order of their numbers, which ascend by one over all branches and so, with gaps, in each. A message whose turn
// has not come is kept in its branch's inlet, so many in each; then that branch has no room. Nobody waits in vain. The
// number that is due is in front of its branch, or still under way there, because all lower ones have been passed on.
// Or nobody will send it. That happens if there are several emitters, each with the numbers of one remainder for its
// share of the branches, and some end before others. So a number is skipped once all branches of its emitter have
// ended.
template <class T, class Outer, class Policies>
class ordering_node final : public role<Policies> {
    using inner_item = item_of<T, numbered<Outer>>;
    using next_inlet = inlet<item_of<T, Outer>, Policies>;

    class branch final : public inlet<inner_item, Policies> {
    public:
        branch(ordering_node& all, std::size_t emitter) : all_(all), emitter_(emitter) {}

        inner_item* acquire() override { return full() ? nullptr : &own_; }
        void publish() override { consume(own_); }
        void consume(inner_item& in) override {
            if (!kept.empty() || !all_.passes(in)) move_item(all_.state_, kept.emplace_back(), in);
            all_.pass_all();
        }
        void end() override { all_.end_branch(emitter_); }
        bool may_accept(const look<Policies>&) override { return !full(); }
        bool full() const { return kept.size() >= all_.room_; }

        std::deque<inner_item> kept;

    private:
        ordering_node& all_;
        std::size_t emitter_;
        inner_item own_;
    };

public:
    // `room`: how many messages of a branch are kept at most. Branch i is emitter i modulo `emitters`'. `first`: the
    // number of the first item.
    ordering_node(std::size_t branches, std::size_t emitters, std::size_t room, role_state state,
                  executor<Policies>& thread, next_inlet& next, std::uint64_t first = 0)
        : state_(state), thread_(thread), next_(next), room_(room), open_(branches), open_of_(emitters) {
        due_ = static_cast<std::uint32_t>(first);
        if constexpr (!port::waits_on_lines) due_of_.now = first % emitters;
        for (std::size_t i = 0; i < branches; ++i) {
            branches_.push_back(std::make_unique<branch>(*this, i % emitters));
            ++open_of_[i % emitters];
        }
    }
    inlet<inner_item, Policies>& of(std::size_t i) { return *branches_[i]; }

    // Only while something that is due finds no room.
    progress step() override {
        const std::uint32_t before = passed_;
        pass_due();
        if (!blocked_) return progress::ended;
        return passed_ != before ? progress::some : progress::none;
    }
    bool may_step(const look<Policies>& load) override { return next_.may_accept(load); }

private:
    // True if it was due and could be passed on, from where it lies. A run that drops has no order to keep; but in a
    // marked shape whoever counts messages still waits for each.
    bool passes(inner_item& in) {
        if (drops() && !is_marked<Outer>) return true;
        if ((in.sequence != due_ && !drops()) || !next_.acquire()) return false;
        if (in.last) go_on();
        ++passed_;
        // All that comes before it has been passed on; nothing of what comes behind it will be.
        if (in.failed && !std::exchange(failed_, true) && !is_numbered<Outer>) state_.failed();
        if constexpr (is_marked<Outer>) {
            in.outer.set_hole(in.hole || drops());
            if constexpr (is_numbered<Outer>) {
                in.outer.last &= in.last;
                if (in.failed) in.outer.set_failed();
            }
            next_.consume(in.outer);
        } else {
            if (!in.hole) next_.consume(in.outer);
        }
        return true;
    }
    void pass_all() {
        if (blocked_) return;
        pass_due();
        if (blocked_) thread_.defer(*this);
    }
    void pass_due() {
        blocked_ = false;
        do {
            while (branch* const found = find_due()) {
                if (!passes(found->kept.front())) {
                    blocked_ = true;
                    return;
                }
                found->kept.pop_front();
            }
        } while (skip());
        if (open_ == 0 && !ended_) {
            ended_ = true;
            next_.end();
        }
    }
    // In an ordered farm around this farm, items other than that of this farm's worker are still to be passed on.
    bool drops() const { return failed_ || state_.drops(); }
    branch* find_due() {
        for (std::size_t seen = 0; seen < branches_.size(); ++seen) {
            if (++last_ >= branches_.size()) last_ = 0;
            branch& each = *branches_[last_];
            if (!each.kept.empty() && (each.kept.front().sequence == due_ || drops())) {
                --last_;  // it may have more of this number
                return &each;
            }
        }
        return nullptr;
    }
    // Whether the number that is due will never come, and a later one may.
    bool skip() {
        if (open_of_[emitter_due()] != 0) return false;
        if (open_ == 0 && std::ranges::all_of(branches_, [](const auto& each) { return each->kept.empty(); }))
            return false;
        go_on();
        return true;
    }
    void go_on() {
        ++due_;
        if constexpr (!port::waits_on_lines)
            if (++due_of_.now == open_of_.size()) due_of_.now = 0;
    }
    std::size_t emitter_due() const {
        if constexpr (port::waits_on_lines)
            return due_ % open_of_.size();
        else
            return due_of_.now;
    }
    void end_branch(std::size_t emitter) {
        --open_;
        --open_of_[emitter];
        pass_all();
    }

    role_state state_;
    executor<Policies>& thread_;
    next_inlet& next_;
    std::vector<std::unique_ptr<branch>> branches_;
    std::size_t room_;
    std::size_t open_;
    std::vector<std::size_t> open_of_;  // of each emitter
    std::size_t last_ = 0;
    std::uint32_t due_ = 0;  // modulo 2^32, as the messages' numbers are: there are fewer under way
    // The emitter of that number, kept beside it: the remainder of a number modulo 2^32 would be another emitter's. (A
    // simulated machine's programs, which are measured without it, send fewer.)
    struct emitter_number {
        std::size_t now = 0;
    };
    struct nothing {};
    [[no_unique_address]] std::conditional_t<port::waits_on_lines, nothing, emitter_number> due_of_;
    std::uint32_t passed_ = 0;
    bool blocked_ = false;
    bool ended_ = false;
    bool failed_ = false;
};

}  // namespace croft::detail
