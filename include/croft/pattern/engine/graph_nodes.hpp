#pragma once
// The parts of a data-flow graph that are no patterns: an item to several takers, two streams to one of pairs, and a
// stream that nobody takes.

#include <cstddef>
#include <deque>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/engine/executor.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/run_state.hpp>

namespace croft::detail {

template <class T, class Policies>
class drain_node final : public inlet<item<T, plain>, Policies> {
public:
    item<T, plain>* acquire() override { return &own_; }
    void publish() override {}
    void consume(item<T, plain>&) override {}
    void end() override {}
    bool may_accept(const look<Policies>&) override { return true; }

private:
    item<T, plain> own_;
};

// Each gets every item, a copy but for the last one; together, when all have room.
template <class T, class Policies>
class fan_node final : public inlet<item<T, plain>, Policies> {
    using taker = inlet<item<T, plain>, Policies>;

public:
    fan_node(std::vector<taker*> takers, run_state& state) : takers_(std::move(takers)), state_(state) {}

    item<T, plain>* acquire() override {
        for (taker* each : takers_)
            if (!each->acquire()) return nullptr;
        return &own_;
    }
    void publish() override { consume(own_); }
    void consume(item<T, plain>& in) override {
        for (std::size_t i = 0; i + 1 < takers_.size(); ++i)
            if (state_.guard([&] { copy_.content = std::as_const(in.content); })) takers_[i]->consume(copy_);
        takers_.back()->consume(in);
    }
    void end() override {
        for (taker* each : takers_) each->end();
    }
    bool may_accept(const look<Policies>& load) override {
        for (taker* each : takers_)
            if (!each->may_accept(load)) return false;
        return true;
    }

private:
    std::vector<taker*> takers_;
    run_state& state_;
    item<T, plain> own_, copy_;
};

// The n-th of the one stream with the n-th of the other. What has no partner yet is kept, however much it is: with a
// bound, two streams that part somewhere and come at different rates would wait for each other.
template <class Left, class Right, class Policies>
class join_node final : public role<Policies> {
    using pair_item = item<std::pair<Left, Right>, plain>;

    template <class T>
    class side final : public inlet<item<T, plain>, Policies> {
    public:
        explicit side(join_node& all) : all_(all) {}
        item<T, plain>* acquire() override { return all_.blocked_ ? nullptr : &own_; }
        void publish() override { consume(own_); }
        void consume(item<T, plain>& in) override {
            if (all_.ended_) return;
            all_.state_.guard([&] { kept.push_back(std::move(in.content)); });
            all_.pass_all();
        }
        void end() override {
            ended = true;
            all_.pass_all();
        }
        bool may_accept(const look<Policies>&) override { return !all_.blocked_; }

        bool exhausted() const { return ended && kept.empty(); }
        std::deque<T> kept;
        bool ended = false;

    private:
        join_node& all_;
        item<T, plain> own_;
    };

public:
    join_node(run_state& state, executor<Policies>& thread, inlet<pair_item, Policies>& next)
        : state_(state), thread_(thread), next_(next) {}
    inlet<item<Left, plain>, Policies>& left() { return left_; }
    inlet<item<Right, plain>, Policies>& right() { return right_; }

    // Only while a pair finds no room.
    progress step() override {
        if (!next_.acquire()) return progress::none;
        pass();
        return blocked_ ? progress::some : progress::ended;
    }
    bool may_step(const look<Policies>& load) override { return next_.may_accept(load); }

private:
    void pass_all() {
        if (blocked_) return;
        pass();
        if (blocked_) thread_.defer(*this);
    }
    void pass() {
        blocked_ = false;
        while (!left_.kept.empty() && !right_.kept.empty()) {
            pair_item* const to = next_.acquire();
            if (!to) {
                blocked_ = true;
                return;
            }
            const bool made = state_.guard([&] {
                to->content.first = std::move(left_.kept.front());
                to->content.second = std::move(right_.kept.front());
            });
            left_.kept.pop_front();
            right_.kept.pop_front();
            if (made) next_.publish();
        }
        if (!ended_ && (left_.exhausted() || right_.exhausted())) {
            ended_ = true;
            left_.kept.clear();
            right_.kept.clear();
            next_.end();
        }
    }

    run_state& state_;
    executor<Policies>& thread_;
    inlet<pair_item, Policies>& next_;
    side<Left> left_{*this};
    side<Right> right_{*this};
    bool blocked_ = false, ended_ = false;
};

}  // namespace croft::detail
