#pragma once
// Where a loop begins and ends: lets items into it, takes what comes round, and sends it back or out. Both happen on
// one thread, so the count of what is in the loop (flight.hpp) has one place where it becomes zero.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <type_traits>
#include <utility>

#include <croft/pattern/engine/executor.hpp>
#include <croft/pattern/engine/flight.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/engine/pace.hpp>
#include <croft/pattern/run_state.hpp>
#include <croft/pattern/stage.hpp>

namespace croft::detail {

enum class route_form { none, again, router };

// How a loop that items of type In enter treats what comes round, of type Made.
template <class Route, class In, class Made>
struct loop_route {
private:
    template <class R, class A, class B, class C>
    static C third(R (*)(A, B, C));
    template <class F, class R, class A, class B, class C>
    static C third(R (F::*)(A, B, C));
    template <class F, class R, class A, class B, class C>
    static C third(R (F::*)(A, B, C) const);
    static auto find() {
        using route = std::unwrap_reference_t<Route>;
        if constexpr (requires { third(&route::operator()); })
            return std::type_identity<typename unwrapped_out<decltype(third(&route::operator()))>::type>{};
        else if constexpr (requires(route r) { third(r); })
            return std::type_identity<typename unwrapped_out<decltype(third(std::declval<route>()))>::type>{};
        else
            return std::type_identity<void>{};
    }
    using leaves = typename decltype(find())::type;
    static constexpr route_form find_form() {
        if constexpr (std::predicate<Route&, const Made&>)
            return std::convertible_to<Made&&, In> ? route_form::again : route_form::none;
        else if constexpr (!std::is_void_v<leaves>)
            return std::invocable<Route&, Made&&, croft::out<In>&, croft::out<leaves>&> ? route_form::router
                                                                                        : route_form::none;
        else
            return route_form::none;
    }

public:
    static constexpr route_form form = find_form();
    using out = std::conditional_t<form == route_form::again, Made, leaves>;
};

template <class Route, class In, class Made, class Shape, class Policies>
class loop_node final : public inlet<item_of<In, Shape>, Policies>, public role<Policies> {
    using route_traits = loop_route<Route, In, Made>;
    using out_type = typename route_traits::out;
    using in_item = item_of<In, Shape>;
    using out_item = item_of<out_type, Shape>;
    using body_inlet = inlet<item_of<In, holed>, Policies>;
    // All that comes of one item has to leave together, so one item at a time is in the loop.
    static constexpr bool one_at_a_time = is_numbered<Shape>;

    // The inlet for messages that come round.
    class returning final : public inlet<item_of<Made, holed>, Policies> {
    public:
        explicit returning(loop_node& loop) : loop_(loop) {}
        item_of<Made, holed>* acquire() override { return loop_.kept_.empty() ? &own_ : nullptr; }
        void publish() override { loop_.come_round(own_); }
        void consume(item_of<Made, holed>& in) override { loop_.come_round(in); }
        void end() override { loop_.body_ended(); }
        bool may_accept(const look<Policies>&) override { return loop_.kept_.empty(); }

    private:
        loop_node& loop_;
        item_of<Made, holed> own_;
    };
    struct back_sender final : croft::out<In> {
        explicit back_sender(loop_node& loop) : loop_(loop) {}
        void send(In content) override { loop_.send_back(std::move(content)); }
        loop_node& loop_;
    };
    struct out_sender final : croft::out<out_type> {
        explicit out_sender(loop_node& loop) : loop_(loop) {}
        // In another loop only once all that come of an item are counted there, or it might look empty in between.
        void send(out_type content) override {
            if (!loop_.flight_.around()) return loop_.send_out(&content, false, false);
            if (loop_.state_.drops()) return;
            loop_.made_.push_back(std::move(content));
            ++loop_.sent_;
        }
        loop_node& loop_;
    };

public:
    loop_node(Route& route, role_state state, flight* around, executor<Policies>& thread,
              inlet<out_item, Policies>& next)
        : route_(route), state_(state), flight_(around), thread_(thread), next_(next) {}

    // To be known before the network runs.
    flight& in_flight() { return flight_; }
    inlet<item_of<Made, holed>, Policies>& back() { return back_; }
    void begin(body_inlet& body) { body_ = &body; }

    in_item* acquire() override { return may_enter() && (to_ = body_->acquire()) ? &own_ : nullptr; }
    void publish() override { consume(own_); }
    void consume(in_item& in) override {
        marks_.take_marks(in);
        if constexpr (one_at_a_time) {
            last_ = in.last;
            open_ = true;
            // In the loops around, the message that closes the item takes its place; those in the loop count besides.
            if (flight_.around()) flight_.around()->add(1);
        }
        flight_.enter();
        enter(in);
    }
    void end() override {
        ended_ = true;
        look_for_end();
    }
    bool may_accept(const look<Policies>& load) override { return may_enter() && body_->may_accept(load); }

    // Only while something is kept.
    progress step() override {
        bool progressed = false;
        while (!kept_.empty() && next_.acquire()) {
            next_.consume(kept_.front());
            kept_.pop_front();
            progressed = true;
        }
        for (std::uint32_t taken = 0; taken < pace::most && !returned_.empty(); ++taken) {
            if (state_.drops()) {
                drop_returned();
            } else {
                if (!(to_ = body_->acquire())) break;
                state_.guard([&] { to_->content = std::move(returned_.front()); });
                to_->set_hole(state_.drops());
                returned_.pop_front();
                body_->publish();
            }
            progressed = true;
        }
        look_for_end();
        if (kept_.empty() && body_ended_) pass_end();
        if (kept_.empty() && returned_.empty()) {
            deferred_ = false;
            return progress::ended;
        }
        return progressed ? progress::some : progress::none;
    }
    bool may_step(const look<Policies>& load) override {
        return (!kept_.empty() && next_.may_accept(load)) ||
               (!returned_.empty() && (state_.drops() || body_->may_accept(load)));
    }

private:
    bool may_enter() const { return returned_.empty() && kept_.empty() && !(one_at_a_time && open_); }

    void enter(in_item& in) {
        bool hole = in.is_hole() || state_.drops();
        if (!hole) hole = !state_.guard([&] { to_->content = std::move(in.template get<In>()); });
        to_->set_hole(hole);
        body_->publish();
    }

    void come_round(item_of<Made, holed>& in) {
        sent_ = 0;
        if (!in.is_hole() && !state_.drops()) state_.guard([&] { route(in.template get<Made>()); });
        // One message became sent_ others, here and in all loops around; but a marked shape outside misses none.
        if constexpr (is_marked<Shape> && !one_at_a_time)
            if (sent_ == 0) send_out(nullptr, true, true);
        if (flight_.around() && sent_ != 1) flight_.around()->add(sent_ - 1);
        for (out_type& each : made_) put_out(&each, false, false);
        made_.clear();
        flight_.leave();
        look_for_end();
        keep_going();
    }
    void route(Made& made) {
        if constexpr (route_traits::form == route_form::again) {
            if (route_(std::as_const(made)))
                send_back(std::move(made));
            else
                send_out(&made, false, false);
        } else {
            back_sender back(*this);
            out_sender out(*this);
            route_(std::move(made), static_cast<croft::out<In>&>(back), static_cast<croft::out<out_type>&>(out));
        }
    }
    void send_back(In content) {
        if (state_.drops()) return;
        returned_.push_back(std::move(content));
        flight_.enter();
        ++sent_;
    }
    void drop_returned() {
        returned_.pop_front();
        flight_.leave();
        if constexpr (is_marked<Shape> && !one_at_a_time)
            send_out(nullptr, true, true);  // in its place
        else if (flight_.around())
            flight_.around()->add(-1);
    }
    void send_out(out_type* content, bool last, bool hole) {
        if (content && state_.drops()) return;
        ++sent_;
        put_out(content, last, hole);
    }
    void put_out(out_type* content, bool last, bool hole) {
        out_item* const to = kept_.empty() ? next_.acquire() : nullptr;
        write_item(state_, to ? *to : kept_.emplace_back(), marks_, content, last, hole);
        if (to) next_.publish();
    }

    void look_for_end() {
        if (!flight_.empty()) return;
        if constexpr (one_at_a_time) {
            if (open_) {
                open_ = false;
                send_out(nullptr, last_, true);
                keep_going();
            }
        }
        if (!ended_ || told_) return;
        told_ = true;
        body_->end();
    }
    void body_ended() {
        body_ended_ = true;
        if (kept_.empty()) pass_end();
    }
    void pass_end() {
        if (!std::exchange(passed_end_, true)) next_.end();
    }
    void keep_going() {
        if (deferred_ || (kept_.empty() && returned_.empty())) return;
        deferred_ = true;
        thread_.defer(*this);
    }

    struct no_content {};
    Route& route_;
    role_state state_;
    flight flight_;
    executor<Policies>& thread_;
    inlet<out_item, Policies>& next_;
    body_inlet* body_ = nullptr;
    returning back_{*this};
    std::deque<In> returned_;
    std::deque<out_type> made_;         // of what is being routed
    std::deque<out_item> kept_;         // leaves when there is room
    item_of<no_content, Shape> marks_;  // of what entered last; all that matter if it is alone in the loop
    item_of<In, holed>* to_ = nullptr;
    in_item own_;
    std::int64_t sent_ = 0;
    bool last_ = false;
    bool open_ = false;  // the one item is in the loop
    bool ended_ = false, told_ = false, body_ended_ = false, passed_end_ = false, deferred_ = false;
};

}  // namespace croft::detail
