#pragma once
// The parts of a data-flow graph that are no patterns. One gives an item to several takers, one makes pairs of two
// streams, and one ends a stream that nobody takes.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/engine/executor.hpp>
#include <croft/pattern/engine/flight.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/engine/pointer_list.hpp>
#include <croft/pattern/run_state.hpp>

namespace croft::detail {

// Its end counts where the others leave the graph. So these end only once nothing is under way on a branch that ends
// here. Whoever waits for the end hears of all that was thrown.
template <class T, class Out, class Policies>
class drain_node final : public inlet<item_of<T, plain>, Policies> {
public:
    explicit drain_node(inlet<item_of<Out, plain>, Policies>& output) : output_(output) {}

    item_of<T, plain>* acquire() override { return &own_; }
    void publish() override {}
    void consume(item_of<T, plain>&) override {}
    void end() override { output_.end(); }
    bool may_accept(const look<Policies>&) override { return true; }

private:
    inlet<item_of<Out, plain>, Policies>& output_;
    item_of<T, plain> own_;
};

// Where messages are counted: a hole goes on in place of each, to where others leave the graph.
template <class T, class Out, class Policies>
class counted_drain_node final : public inlet<item_of<T, holed>, Policies> {
public:
    explicit counted_drain_node(inlet<item_of<Out, holed>, Policies>& output) : output_(output) {}

    item_of<T, holed>* acquire() override { return (to_ = output_.acquire()) ? &own_ : nullptr; }
    void publish() override {
        to_->set_hole(true);
        output_.publish();
    }
    void consume(item_of<T, holed>&) override { publish(); }
    void end() override { output_.end(); }
    bool may_accept(const look<Policies>& load) override { return output_.may_accept(load); }

private:
    inlet<item_of<Out, holed>, Policies>& output_;
    item_of<Out, holed>* to_ = nullptr;
    item_of<T, holed> own_;
};

// Each gets every item, a copy but for the last one. Takers may find room at the same place, where their ways meet
// again on this thread. So each is asked again when its turn has come. If it has no room then, the item is kept for it,
// and nothing more is taken. `loop`: what counts the messages, if anybody does.
template <class T, class Shape, class Policies>
class fan_node final : public inlet<item_of<T, Shape>, Policies>, public role<Policies> {
    using taker = inlet<item_of<T, Shape>, Policies>;

public:
    fan_node(pointer_list<taker> takers, role_state state, flight* loop, executor<Policies>& thread)
        : takers_(std::move(takers)), given_(takers_.size()), state_(state), loop_(loop), thread_(thread) {}

    item_of<T, Shape>* acquire() override {
        if (gives()) return nullptr;
        for (taker* each : takers_)
            if (!each->acquire()) return nullptr;
        return &own_;
    }
    void publish() override {
        if (loop_) loop_->add(static_cast<std::int64_t>(takers_.size()) - 1);
        given_ = 0;
        if (!give())
            thread_.defer(*this);
        else if (ended_)
            end_all();  // in a loop on this thread the end comes with the last item, while it is given
    }
    void consume(item_of<T, Shape>& in) override {
        if (move_item(state_, own_, in)) publish();
    }
    void end() override {
        ended_ = true;
        if (!gives()) end_all();
    }
    bool may_accept(const look<Policies>& load) override {
        if (gives()) return false;
        for (taker* each : takers_)
            if (!each->may_accept(load)) return false;
        return true;
    }

    // Only while an item is kept.
    progress step() override {
        const std::size_t before = given_;
        if (!give()) return given_ != before ? progress::some : progress::none;
        if (ended_) end_all();
        return progress::ended;
    }
    bool may_step(const look<Policies>& load) override { return takers_[given_]->may_accept(load); }

private:
    bool gives() const { return given_ < takers_.size(); }
    // True once all have it.
    bool give() {
        for (; gives(); ++given_) {
            taker& next = *takers_[given_];
            if (!next.acquire()) return false;
            if (given_ + 1 == takers_.size()) {
                next.consume(own_);
                continue;
            }
            const bool made = !own_.is_hole() && state_.guard([&] { copy_.content = std::as_const(own_.content); });
            if constexpr (is_marked<Shape>) copy_.set_hole(!made);
            if (made || is_marked<Shape>) next.consume(copy_);
        }
        return true;
    }
    void end_all() {
        for (taker* each : takers_) each->end();
    }

    pointer_list<taker> takers_;
    std::size_t given_;  // so many takers have the item
    role_state state_;
    flight* loop_;
    executor<Policies>& thread_;
    bool ended_ = false;
    item_of<T, Shape> own_, copy_;
};

template <class Left, class Right>
void write_pair(content_of<std::pair<Left, Right>>& to, Left& left, Right& right) {
    if constexpr (std::is_same_v<content_of<std::pair<Left, Right>>, std::pair<Left, Right>>) {
        to.first = std::move(left);
        to.second = std::move(right);
    } else {
        to = std::pair<Left, Right>(std::move(left), std::move(right));
    }
}

// Pairs the n-th items of both streams. An item without a partner is kept, however many there are. With a bound, two
// streams that part somewhere and come at different rates would wait for each other. An item that can get no partner
// any more, because the other stream has ended, is dropped. The stream of pairs ends when both have, as in a drain.
template <class Left, class Right, class Policies>
class join_node final : public role<Policies> {
    using pair_item = item_of<std::pair<Left, Right>, plain>;

    template <class T>
    class side final : public inlet<item_of<T, plain>, Policies> {
    public:
        explicit side(join_node& all) : all_(all) {}
        item_of<T, plain>* acquire() override { return all_.blocked_ ? nullptr : &own_; }
        void publish() override { consume(own_); }
        void consume(item_of<T, plain>& in) override {
            if (all_.complete_) return;
            all_.state_.guard([&] { kept.push_back(std::move(in.template get<T>())); });
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
        item_of<T, plain> own_;
    };

public:
    join_node(role_state state, executor<Policies>& thread, inlet<pair_item, Policies>& next)
        : state_(state), thread_(thread), next_(next) {}
    inlet<item_of<Left, plain>, Policies>& left() { return left_; }
    inlet<item_of<Right, plain>, Policies>& right() { return right_; }

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
            const bool made =
                state_.guard([&] { write_pair<Left, Right>(to->content, left_.kept.front(), right_.kept.front()); });
            left_.kept.pop_front();
            right_.kept.pop_front();
            if (made) next_.publish();
        }
        if (left_.exhausted() || right_.exhausted()) {
            complete_ = true;
            left_.kept.clear();
            right_.kept.clear();
        }
        if (!ended_ && left_.exhausted() && right_.exhausted()) {
            ended_ = true;
            next_.end();
        }
    }

    role_state state_;
    executor<Policies>& thread_;
    inlet<pair_item, Policies>& next_;
    side<Left> left_{*this};
    side<Right> right_{*this};
    bool blocked_ = false;
    bool complete_ = false;  // there will be no further pair
    bool ended_ = false;
};

// The same where messages are counted: each that comes yields one, a pair if its partner has come, or a hole. So one
// that is kept for a partner is not under way any more, and nobody waits for it.
template <class Left, class Right, class Policies>
class counted_join_node final {
    using pair_item = item_of<std::pair<Left, Right>, holed>;

    template <class T>
    class side final : public inlet<item_of<T, holed>, Policies> {
    public:
        explicit side(counted_join_node& all) : all_(all) {}
        item_of<T, holed>* acquire() override { return (all_.to_ = all_.next_.acquire()) ? &own_ : nullptr; }
        void publish() override { consume(own_); }
        void consume(item_of<T, holed>& in) override {
            bool made = false;
            if (!in.is_hole() && !all_.state_.drops())
                all_.state_.guard([&] {
                    kept.push_back(std::move(in.template get<T>()));
                    made = all_.make_pair(all_.to_->content);
                });
            all_.to_->set_hole(!made);
            all_.next_.publish();
        }
        void end() override {
            if (--all_.open_ == 0) all_.next_.end();
        }
        bool may_accept(const look<Policies>& load) override { return all_.next_.may_accept(load); }

        std::deque<T> kept;

    private:
        counted_join_node& all_;
        item_of<T, holed> own_;
    };

public:
    counted_join_node(role_state state, inlet<pair_item, Policies>& next) : state_(state), next_(next) {}
    inlet<item_of<Left, holed>, Policies>& left() { return left_; }
    inlet<item_of<Right, holed>, Policies>& right() { return right_; }

private:
    bool make_pair(content_of<std::pair<Left, Right>>& to) {
        if (left_.kept.empty() || right_.kept.empty()) return false;
        write_pair<Left, Right>(to, left_.kept.front(), right_.kept.front());
        left_.kept.pop_front();
        right_.kept.pop_front();
        return true;
    }

    role_state state_;
    inlet<pair_item, Policies>& next_;
    side<Left> left_{*this};
    side<Right> right_{*this};
    pair_item* to_ = nullptr;
    int open_ = 2;
};

}  // namespace croft::detail
