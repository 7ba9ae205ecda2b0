#pragma once
// A stage that makes any number of items from each. Items that find no room at once are kept here, and nothing more is
// taken until they are gone. So no more is ever kept than one call has sent.

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include <croft/pattern/engine/executor.hpp>
#include <croft/pattern/engine/flight.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/hand_over.hpp>
#include <croft/pattern/stage.hpp>
#include <croft/port/marks.hpp>
#include <croft/port/misuse.hpp>

namespace croft::detail {

template <class F, class In, class Shape, class Policies>
class emitting_node final : public inlet<item_of<In, Shape>, Policies>,
                            public role<Policies>,
                            private croft::out<typename stage_traits<F, In>::out> {
    using out_type = typename stage_traits<F, In>::out;
    using in_item = item_of<In, Shape>;
    using out_item = item_of<out_type, Shape>;

public:
    emitting_node(F& stage, role_state state, flight* loop, executor<Policies>& thread, inlet<out_item, Policies>& next)
        : stage_(stage), state_(state), loop_(loop), thread_(thread), next_(next) {}

    in_item* acquire() override { return kept_.empty() && (to_ = next_.acquire()) ? &own_ : nullptr; }
    void publish() override { consume(own_); }
    void consume(in_item& in) override {
        marks_.take_marks(in);
        sent_ = 0;
        if (!in.is_hole() && !state_.drops()) {
            CROFT_BEGINS(worker)
            guard_item(state_, marks_, [&] {
                const now_called until_it_returns(called_);
                stage_(std::move(in.template get<In>()), static_cast<croft::out<out_type>&>(*this));
            });
            CROFT_ENDS(worker)
        }
        hand_over(in.slot());
        close_item(in);
        if (!kept_.empty()) thread_.defer(*this);
    }
    void end() override {
        ended_ = true;
        if (kept_.empty()) next_.end();
    }
    bool may_accept(const look<Policies>& load) override { return kept_.empty() && next_.may_accept(load); }

    // Only while something is kept.
    progress step() override {
        bool progressed = false;
        while (!kept_.empty()) {
            if (!next_.acquire()) return progressed ? progress::some : progress::none;
            next_.consume(kept_.front());
            kept_.pop_front();
            progressed = true;
        }
        if (ended_) next_.end();
        return progress::ended;
    }
    bool may_step(const look<Policies>& load) override { return next_.may_accept(load); }

private:
    // In a loop each message is held until the next one has been counted. If it came to the exit before, the loop might
    // look empty in between. The first one takes the place of the one that came, in the count of those in flight.
    void send(out_type content) override {
        port::check_use(called_, "croft::out: send() after the stage has returned that it was given to");
        if (state_.drops()) return;
        if (!loop_) return pass(&content, false, false);
        if (sent_++ > 0) {
            loop_->add(1);
            pass_held();
        }
        held_.emplace(std::move(content));
    }
    void pass_held() {
        pass(held_ ? &*held_ : nullptr, false, !held_);
        held_.reset();
    }
    // Tells a marked shape also that there was nothing, or that this was all.
    void close_item(const in_item& in) {
        if constexpr (is_numbered<Shape>) {
            if (loop_ && sent_ > 0) {
                loop_->add(1);
                pass_held();
            }
            pass(nullptr, in.last, true);
        } else if constexpr (is_marked<Shape>) {
            if (sent_ > 0)
                pass_held();
            else
                pass(nullptr, true, true);
        }
    }
    void pass(out_type* content, bool last, bool hole) {
        if (!to_ && kept_.empty()) to_ = next_.acquire();
        if (to_) {
            write_item(state_, *std::exchange(to_, nullptr), marks_, content, last, hole);
            next_.publish();
        } else {
            write_item(state_, kept_.emplace_back(), marks_, content, last, hole);
        }
    }

    // Only debug builds want to know.
    struct now_called {
        [[gnu::always_inline]] explicit now_called([[maybe_unused]] bool& flag) : called(flag) {
#if !defined(NDEBUG)
            called = true;
#endif
        }
        [[gnu::always_inline]] ~now_called() {
#if !defined(NDEBUG)
            called = false;
#endif
        }
        bool& called;
    };

    struct no_content {};
    F& stage_;
    role_state state_;
    flight* loop_;
    executor<Policies>& thread_;
    inlet<out_item, Policies>& next_;
    std::deque<out_item> kept_;
    item_of<no_content, Shape> marks_;  // of the item that is being worked on
    std::uint32_t sent_ = 0;            // of it, in a loop
    std::optional<out_type> held_;
    out_item* to_ = nullptr;
    bool ended_ = false;
    bool called_ = false;  // the stage is
    in_item own_;
};

}  // namespace croft::detail
