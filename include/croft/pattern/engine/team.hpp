#pragma once
// N workers on one item at a time, as a tree. Worker 0 takes the item and tells its children, which tell theirs. Each
// works on its part, and their results go up again. Reduce, prefix and stencil differ in what they do on the way (a
// Kernel).
//
// The tree is binomial. Worker i's children are i + 1, i + 2, i + 4 ... as far as the lowest bit set in i. The child at
// i + 2^k speaks for the 2^k workers from there on. So a worker and its children, in this order, stand for neighbouring
// parts in their order. A reduction that is associative and no more needs that. An item reaches N workers in log2 N
// steps.
//
// Nobody ever waits for room. Parent and child take turns: a message down is acknowledged before the answer goes up,
// and the answer before the next message comes down. So one slot each way is enough.
//
// A Kernel is one worker's part in it: types `down` and `up`, the messages; `phases`, how often they go down and up for
// an item; and
//   first(item), next(phase)      worker 0's message of each phase
//   start(phase, down)            it has come
//   down_for(phase, child, down)  what child gets
//   work(phase)                   does its part; false: something else has to come first, which may_work(look) tells
//   combine(phase, child, up)     what a child found, called in their order
//   result(phase)                 what goes up
//   finish(item)                  worker 0's result of it all
// In a run that drops neither combine nor finish is called, and work must not call what is the user's.

#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/run_state.hpp>

namespace croft::detail {

// The parent of worker i, which is not the first.
inline std::size_t team_parent(std::size_t i) { return i & (i - 1); }

// All workers do this: a phase, step by step.
template <class Kernel, class Policies>
class team_member {
public:
    template <class Message>
    using channel_of = channel<Message, Policies>;
    struct child {
        channel_of<typename Kernel::down>* down;
        channel_of<typename Kernel::up>* up;
    };

    team_member(Kernel& kernel, role_state state) : kernel_(kernel), state_(state) {}
    void add_child(child one) { children_.push_back(one); }

    void begin(int phase, typename Kernel::down message) {
        phase_ = phase;
        working_ = true;
        heard_ = 0;
        // The child that speaks for most first.
        for (std::size_t k = children_.size(); k-- > 0;) children_[k].down->send(kernel_.down_for(phase, k, message));
        kernel_.start(phase, message);
    }
    // True once the phase is done.
    bool go_on() {
        if (working_) {
            bool done = true;
            if (!state_.guard([&] { done = kernel_.work(phase_); }))
                done = kernel_.work(phase_);  // now as one that drops
            if (!done) return false;
            working_ = false;
        }
        for (; heard_ < children_.size(); ++heard_) {
            auto& up = *children_[heard_].up;
            if (!up.may_receive(acquire_load{})) return false;
            auto found = up.receive();
            if (!state_.drops()) state_.guard([&] { kernel_.combine(phase_, heard_, std::move(*found)); });
        }
        return true;
    }
    bool may_go_on(const look<Policies>& load) {
        return working_ ? kernel_.may_work(load) : children_[heard_].up->may_receive(load);
    }
    void end() {
        for (child& each : children_) each.down->close();
    }
    int phase() const { return phase_; }

private:
    Kernel& kernel_;
    role_state state_;
    std::vector<child> children_;
    int phase_ = 0;
    bool working_ = false;
    std::size_t heard_ = 0;
};

// Workers 1 to N - 1.
template <class Kernel, class Policies>
class team_worker final : public role<Policies> {
    using member = team_member<Kernel, Policies>;

public:
    team_worker(Kernel& kernel, role_state state, channel<typename Kernel::down, Policies>& down,
                channel<typename Kernel::up, Policies>& up)
        : kernel_(kernel), member_(kernel, state), down_(down), up_(up) {}
    member& part() { return member_; }

    progress step() override {
        if (!busy_) {
            if (!down_.may_receive(acquire_load{})) return progress::none;
            auto message = down_.receive();
            if (!message) {
                member_.end();
                return progress::ended;
            }
            member_.begin(phase_, std::move(*message));
            busy_ = true;
        }
        if (!member_.go_on()) return progress::none;
        busy_ = false;
        up_.send(kernel_.result(phase_));
        phase_ = phase_ + 1 == Kernel::phases ? 0 : phase_ + 1;
        return progress::some;
    }
    bool may_step(const look<Policies>& load) override {
        return busy_ ? member_.may_go_on(load) : down_.may_receive(load);
    }
    void before_wait() override { down_.flush_acks(); }

private:
    Kernel& kernel_;
    member member_;
    channel<typename Kernel::down, Policies>& down_;
    channel<typename Kernel::up, Policies>& up_;
    int phase_ = 0;
    bool busy_ = false;
};

// Worker 0, to which the items come and from which the results go.
template <class Kernel, class In, class Out, class Shape, class Policies>
class team_root final : public inlet<item<In, Shape>, Policies>, public role<Policies> {
    using member = team_member<Kernel, Policies>;

public:
    team_root(Kernel& kernel, role_state state, inlet<item<Out, Shape>, Policies>& next)
        : kernel_(kernel), state_(state), member_(kernel, state), next_(next) {}
    member& part() { return member_; }

    item<In, Shape>* acquire() override { return busy_ ? nullptr : &own_; }
    void publish() override {
        busy_ = true;
        done_ = own_.is_hole() || state_.drops();
        if (!done_) member_.begin(0, kernel_.first(own_.get()));
    }
    void consume(item<In, Shape>& in) override {
        if (move_item(state_, own_, in)) publish();
    }
    void end() override { ended_ = true; }
    bool may_accept(const look<Policies>&) override { return !busy_; }

    progress step() override {
        if (!busy_) {
            if (!ended_) return progress::none;
            member_.end();
            next_.end();
            return progress::ended;
        }
        while (!done_) {
            if (!member_.go_on()) return progress::none;
            const int phase = member_.phase() + 1;
            if (phase == Kernel::phases)
                done_ = true;
            else
                member_.begin(phase, kernel_.next(phase));
        }
        item<Out, Shape>* const to = next_.acquire();
        if (!to) return progress::none;
        deliver(*to);
        busy_ = false;
        return progress::some;
    }
    bool may_step(const look<Policies>& load) override {
        if (!busy_) return ended_;
        return done_ ? next_.may_accept(load) : member_.may_go_on(load);
    }

private:
    void deliver(item<Out, Shape>& to) {
        to.take_marks(own_);
        bool made = !own_.is_hole() && !state_.drops();
        if (made) made = state_.guard([&] { to.slot() = kernel_.finish(own_.get()); });
        if constexpr (is_marked<Shape>) {
            to.set_hole(!made);
            made = true;
        }
        if (made) next_.publish();
    }

    Kernel& kernel_;
    role_state state_;
    member member_;
    inlet<item<Out, Shape>, Policies>& next_;
    item<In, Shape> own_;
    bool busy_ = false;
    bool done_ = false;  // and the result is to be sent
    bool ended_ = false;
};

}  // namespace croft::detail
