#pragma once
// The two ends of a network: where the user's source makes the items, and where the sink takes them.

#include <optional>
#include <utility>

#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/engine/pace.hpp>
#include <croft/pattern/role.hpp>
#include <croft/pattern/run_state.hpp>

namespace croft::detail {

// The only role that a stop request is for: with no new items the stream ends, and the end travels through the network.
template <class Source, class T, class Policies>
class source_role final : public role<Policies> {
public:
    source_role(Source& source, run_state& state, inlet<item<T, plain>, Policies>& next)
        : source_(source), state_(state), next_(next) {}

    progress step() override {
        pace_.begin();
        std::uint32_t taken = 0;
        while (taken < pace_.budget()) {
            if (state_.stops()) return end();
            item<T, plain>* const slot = next_.acquire();
            if (!slot) break;
            bool made = false;
            state_.guard([&] { made = make(slot->content); });
            if (!made) return end();
            next_.publish();
            ++taken;
        }
        pace_.end(taken);
        return taken ? progress::some : progress::none;
    }
    bool may_step(const look<Policies>& load) override { return next_.may_accept(load); }

private:
    bool make(T& slot) {
        if constexpr (emits_in_place<Source, T>) {
            return source_(slot);
        } else {
            std::optional<T> made = source_();
            if (made) slot = std::move(*made);
            return made.has_value();
        }
    }
    progress end() {
        next_.end();
        return progress::ended;
    }

    Source& source_;
    run_state& state_;
    inlet<item<T, plain>, Policies>& next_;
    pace pace_;
};

template <class Sink, class T, class Policies>
class sink_node final : public inlet<item<T, plain>, Policies> {
public:
    sink_node(Sink& sink, run_state& state) : sink_(sink), state_(state) {}

    item<T, plain>* acquire() override { return &own_; }
    void publish() override { consume(own_); }
    void consume(item<T, plain>& in) override {
        if (!state_.drops()) state_.guard([&] { sink_(std::move(in.content)); });
    }
    void end() override {}
    bool may_accept(const look<Policies>&) override { return true; }

private:
    Sink& sink_;
    run_state& state_;
    item<T, plain> own_;
};

}  // namespace croft::detail
