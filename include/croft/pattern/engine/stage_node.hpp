#pragma once
// A stage as a part of a network: calls the user's stage with each item, and hands the result to the next inlet. If the
// stage throws, the run fails. From then on it drops what comes, and in a marked shape says so (item.hpp).

#include <type_traits>
#include <utility>

#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/engine/own_item.hpp>
#include <croft/pattern/hand_over.hpp>
#include <croft/pattern/run_state.hpp>
#include <croft/pattern/stage.hpp>
#include <croft/port/marks.hpp>

namespace croft::detail {

// A stage that makes at most one item from each.
template <class F, class In, class Shape, class Policies>
class stage_node final : public inlet<item_of<In, Shape>, Policies> {
    using traits = stage_traits<F, In>;
    using in_item = item_of<In, Shape>;
    using out_item = item_of<typename traits::out, Shape>;

public:
    // `core`: its thread's.
    stage_node(F& stage, role_state state, int core, inlet<out_item, Policies>& next)
        : stage_(stage), state_(state), core_(core), next_(next) {}

    in_item* acquire() override { return (to_ = next_.acquire()) ? &*own_ : nullptr; }
    void publish() override { make(*own_, *to_); }
    void consume(in_item& in) override { make(in, *to_); }
    void end() override { next_.end(); }
    bool may_accept(const look<Policies>& load) override { return next_.may_accept(load); }
    int worker() const override { return core_; }

private:
    void make(in_item& in, out_item& to) {
        to.take_marks(in);
        bool made = false;
        if (!in.is_hole() && !state_.drops()) {
            expected_worker<typename traits::out> made_here;
            made_here.for_worker(core_);
            CROFT_BEGINS(worker)
            guard_item(state_, to, [&] { made = call(in.template get<In>(), to); });  // (false if it threw)
            CROFT_ENDS(worker)
        }
        hand_over(in.slot());
        if constexpr (is_marked<Shape>) {
            to.set_hole(!made);
            made = true;
        }
        if (made) next_.publish();
    }
    bool call(In& in, out_item& to) {
        if constexpr (traits::form == stage_form::in_place) {
            stage_(std::as_const(in), to.template get<typename traits::out>());
        } else if constexpr (traits::form == stage_form::filter) {
            auto made = stage_(std::move(in));
            if (!made) return false;
            to.slot() = std::move(*made);
        } else {
            to.slot() = stage_(std::move(in));
        }
        return true;
    }

    F& stage_;
    role_state state_;
    int core_;
    inlet<out_item, Policies>& next_;
    out_item* to_ = nullptr;
    own_item<in_item> own_;  // where a sender on this thread writes
};

}  // namespace croft::detail
