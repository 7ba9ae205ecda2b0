#pragma once
// The source of an accelerator, where its items come in. If the run was stopped or has failed, it ends the stream, and
// from then on takes and drops what comes. So a thread that offloads does not wait for ever. A bell wakes the source up
// for that.

#include <croft/channel/channel.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/link.hpp>
#include <croft/pattern/run_state.hpp>

namespace croft::detail {

template <class Item, class Policies>
class offload_role final : public role<Policies> {
public:
    offload_role(channel<Item, Policies>& from, channel<char, Policies>& bell, role_state state,
                 executor<Policies>& thread, inlet<Item, Policies>& next)
        : from_(from), bell_(bell), state_(state), next_(next), receiver_(from, thread, next) {}

    progress step() override {
        if (!stopped_) {
            if (!state_.stops()) return receiver_.step();
            stopped_ = true;
            next_.end();
            return progress::some;
        }
        bool progressed = false;
        for (; from_.may_receive(acquire_load{}); progressed = true) {
            if (!from_.front()) return progress::ended;
            from_.set_ack();
        }
        return progressed ? progress::some : progress::none;
    }
    bool may_step(const look<Policies>& load) override {
        if (stopped_) return from_.may_receive(load);
        return bell_.may_receive(load) || receiver_.may_step(load);
    }
    void before_wait() override { from_.flush_acks(); }

private:
    channel<Item, Policies>& from_;
    channel<char, Policies>& bell_;
    role_state state_;
    inlet<Item, Policies>& next_;
    link_receiver<Item, Policies> receiver_;
    bool stopped_ = false;
};

}  // namespace croft::detail
