#pragma once
// One thread's roles, stepped in turn until all have ended. When none of them can go on it waits, with one waiter for
// the flags of all of them: every channel of the thread was given that waiter.

#include <cstddef>
#include <exception>
#include <vector>

#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/run_state.hpp>

namespace croft::detail {

template <class Policies>
class executor {
    using wait_policy = typename Policies::wait;

public:
    explicit executor(run_state& state) : state_(state) {}

    wait_policy& waiter() { return waiter_; }

    // Before the thread runs.
    void add(role<Policies>& one) { roles_.push_back(&one); }
    // From one of its roles, or something that these call: this one has something to do later. Once at a time.
    void defer(role<Policies>& one) { deferred_.push_back(&one); }

    // Whether the one role that asks has nobody to make way for: then it goes on for as long as it can.
    bool has_one_role() const { return roles_.size() == 1 && deferred_.empty(); }

    void run() {
        take_deferred();
        while (!roles_.empty())
            if (!step_all()) wait();
    }

private:
    bool step_all() {
        bool progressed = false, ended = false;
        for (role<Policies>*& each : roles_) {
            const progress made = step(*each);
            progressed |= made != progress::none;
            if (made == progress::ended) {
                each = nullptr;
                ended = true;
            }
        }
        if (ended) std::erase(roles_, nullptr);
        take_deferred();
        return progressed;
    }
    // What a user's types throw when they are moved comes out here. The item is lost, and the run has failed.
    progress step(role<Policies>& one) {
        try {
            return one.step();
        } catch (...) {
            state_.fail(std::current_exception());
            return progress::some;
        }
    }
    void take_deferred() {
        if (deferred_.empty()) return;
        roles_.insert(roles_.end(), deferred_.begin(), deferred_.end());
        deferred_.clear();
    }
    void wait() {
        for (role<Policies>* each : roles_) each->before_wait();
        waiter_.wait([this](auto load) {
            const look<Policies> with(load);
            for (role<Policies>* each : roles_)
                if (each->may_step(with)) return true;
            return false;
        });
    }

    run_state& state_;
    std::vector<role<Policies>*> roles_, deferred_;
    wait_policy waiter_;
};

}  // namespace croft::detail
