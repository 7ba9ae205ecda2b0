#pragma once
// A channel between two threads of a network: at the sender's an inlet, at the receiver's a role that hands what comes
// to the next inlet, where it lies. A full channel has no room, so a slow receiver holds its sender back.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <croft/channel/channel.hpp>
#include <croft/pattern/engine/executor.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/engine/pace.hpp>
#include <croft/pattern/run_state.hpp>

namespace croft::detail {

template <class Item, class Policies>
class link_sender final : public inlet<Item, Policies>, public role<Policies> {
public:
    link_sender(channel<Item, Policies>& through, run_state& state, executor<Policies>& thread)
        : through_(through), state_(state), thread_(thread) {}

    Item* acquire() override { return slot_ = through_.try_acquire(); }
    void publish() override { through_.publish(); }
    void consume(Item& item) override {
        if (move_item(state_, *slot_, item)) through_.publish();
    }
    // Takes a slot, so it may have to wait for one.
    void end() override { thread_.defer(*this); }
    bool may_accept(const look<Policies>& load) override { return through_.may_send(load); }
    std::optional<std::uint32_t> ahead() override {
        if constexpr (requires { through_.unread(); })
            return through_.unread();
        else
            return std::nullopt;
    }

    // Only while the end is to be sent.
    progress step() override {
        if (!through_.may_send(acquire_load{})) return progress::none;
        through_.close();
        return progress::ended;
    }
    bool may_step(const look<Policies>& load) override { return through_.may_send(load); }

private:
    channel<Item, Policies>& through_;
    run_state& state_;
    executor<Policies>& thread_;
    Item* slot_ = nullptr;
};

template <class Item, class Policies>
class link_receiver final : public role<Policies> {
public:
    link_receiver(channel<Item, Policies>& from, inlet<Item, Policies>& next) : from_(from), next_(next) {}

    progress step() override {
        if (!from_.may_receive(acquire_load{})) return progress::none;
        pace_.begin();
        std::uint32_t taken = 0;
        do {
            if (!next_.acquire()) {
                if (from_.ended()) return end();  // which needs no room
                break;
            }
            Item* const item = from_.front();
            if (!item) return end();
            next_.consume(*item);
            from_.set_ack();
        } while (++taken < pace_.budget() && from_.may_receive(acquire_load{}));
        if (pace_.end(taken)) from_.flush_acks();
        return taken ? progress::some : progress::none;
    }
    bool may_step(const look<Policies>& load) override {
        return from_.may_receive(load) && (next_.may_accept(load) || from_.ended());
    }
    void before_wait() override { from_.flush_acks(); }

private:
    progress end() {
        next_.end();
        return progress::ended;
    }

    channel<Item, Policies>& from_;
    inlet<Item, Policies>& next_;
    pace pace_;
};

}  // namespace croft::detail
