#pragma once
// The two ends of a network: where the user's source makes the items, and where the sink takes them.

#include <cstddef>
#include <cstdint>
#include <utility>

#include <croft/pattern/engine/executor.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/engine/own_item.hpp>
#include <croft/pattern/engine/pace.hpp>
#include <croft/pattern/hand_over.hpp>
#include <croft/pattern/role.hpp>
#include <croft/pattern/run_state.hpp>
#include <croft/port/marks.hpp>

namespace croft::detail {

// The only role that a stop request is for: with no new items the stream ends, and the end travels through the network.
// A source that takes numbers gets `first`, `first` + `step` ... Next may be an inlet's own type, where that is known:
// then an item costs no virtual call.
template <class Source, class T, class Policies, class Next = inlet<item_of<T, plain>, Policies>>
class source_role final : public role<Policies> {
public:
    source_role(Source& source, role_state state, executor<Policies>& thread, Next& next, std::size_t first = 0,
                std::size_t step = 1)
        : source_(source), state_(state), thread_(thread), next_(next), number_(first), step_(step) {}

    progress step() override {
        pace_.begin();
        std::uint32_t taken = 0;
        expected_worker<T> made_here;
        while (taken < pace_.budget() || thread_.has_one_role()) {
            if (state_.stops()) return end();
            item_of<T, plain>* const slot = next_.acquire();
            if (!slot) break;
            made_here.for_worker(next_.worker());
            bool made = false;
            CROFT_BEGINS(emitter)
            state_.guard([&] { made = emit<T>(source_, slot->content, number_); });
            CROFT_ENDS(emitter)
            if (!made) return end();
            next_.publish();
            number_ += step_;
            ++taken;
        }
        pace_.end(taken);
        return taken ? progress::some : progress::none;
    }
    bool may_step(const look<Policies>& load) override { return next_.may_accept(load); }

private:
    progress end() {
        next_.end();
        return progress::ended;
    }

    Source& source_;
    role_state state_;
    executor<Policies>& thread_;
    Next& next_;
    std::size_t number_, step_;
    pace pace_;
};

template <class Sink, class T, class Policies>
class sink_node final : public inlet<item_of<T, plain>, Policies> {
public:
    sink_node(Sink& sink, role_state state) : sink_(sink), state_(state) {}

    item_of<T, plain>* acquire() override { return &*own_; }
    void publish() override { consume(*own_); }
    void consume(item_of<T, plain>& in) override {
        if (!state_.drops()) {
            CROFT_BEGINS(collector)
            state_.guard([&] { sink_(std::move(in.template get<T>())); });
            CROFT_ENDS(collector)
        }
        hand_over(in.content);
    }
    void end() override {}
    bool may_accept(const look<Policies>&) override { return true; }

private:
    Sink& sink_;
    role_state state_;
    own_item<item_of<T, plain>> own_;
};

// One of several, or the only one, of a sink that takes numbers.
template <class Sink, class T, class Policies>
class numbered_sink_node final : public inlet<item_of<T, numbered<plain>>, Policies> {
public:
    numbered_sink_node(Sink& sink, role_state state, std::size_t collector)
        : sink_(sink), state_(state), collector_(collector) {}

    item_of<T, numbered<plain>>* acquire() override { return &*own_; }
    void publish() override { consume(*own_); }
    void consume(item_of<T, numbered<plain>>& in) override {
        if (in.failed) state_.failed();
        if (!in.hole && !state_.drops()) {
            CROFT_BEGINS(collector)
            state_.guard([&] { sink_(std::move(in.template get<T>()), farm_part{in.sequence, collector_}); });
            CROFT_ENDS(collector)
        }
        hand_over(in.slot());
    }
    void end() override {}
    bool may_accept(const look<Policies>&) override { return true; }

private:
    Sink& sink_;
    role_state state_;
    std::size_t collector_;
    own_item<item_of<T, numbered<plain>>> own_;
};

}  // namespace croft::detail
