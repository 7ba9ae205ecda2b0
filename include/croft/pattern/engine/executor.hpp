#pragma once
// One thread's roles, stepped in turn until all have ended. When none of them can go on, the thread waits. It has one
// waiter for the flags of all of them: every channel of the thread has that waiter.

#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/meter.hpp>
#include <croft/pattern/run_state.hpp>
#include <croft/port/port.hpp>
#include <croft/thread/forks.hpp>

namespace croft::detail {

template <class Policies>
class executor {
    using wait_policy = typename Policies::wait;

public:
    explicit executor(run_state& state) : state_(state) {}

    wait_policy& waiter() { return waiter_; }

    // Before the thread runs.
    void add(role<Policies>& one) { roles_.push_back(&one); }
    // Called by one of its roles, or something that these call: `one` has something to do later. Once at a time.
    void defer(role<Policies>& one) { deferred_.push_back(&one); }

    // Whether the one role that asks has nobody to make way for: then it goes on for as long as it can.
    bool has_one_role() const { return roles_.size() == 1 && deferred_.empty(); }

    void run() {
        if constexpr (port::waits_on_lines) {
            step_until_end();
        } else {
            try {
                step_until_end();
            } catch (...) {
                state_.abandon(std::current_exception());
            }
        }
    }
    // It looks again whether the run was abandoned.
    void wake() { waiter_.notify(); }
    // In a measured run: how long it found nothing to do. Once its thread was joined.
    auto waited() const { return waited_.time(); }

private:
    void step_until_end() {
        take_deferred();
        while (!roles_.empty() && !state_.abandoned())
            if (!step_all()) wait();
    }
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
    // A role throws here if a user's type throws when it is moved, or if there is no memory. The item is lost, and the
    // run has failed: it is abandoned, or the role is stepped again, as one that drops (abandonment.hpp).
    progress step(role<Policies>& one) {
        try {
            const progress made = one.step();
            if constexpr (!port::waits_on_lines)
                if (threw_ == &one) threw_ = nullptr;
            return made;
        } catch (...) {
            if constexpr (!port::waits_on_lines)
                if (!state_.ends().is_patient() || std::exchange(threw_, &one) == &one) throw;
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
        process_.check();
        const typename waiting_time<is_measured<Policies>>::scope measured(waited_);
        for (role<Policies>* each : roles_) each->before_wait();
        waiter_.wait([this](auto load) {
            if (state_.abandoned()) return true;
            const look<Policies> with(load);
            for (role<Policies>* each : roles_)
                if (each->may_step(with)) return true;
            return false;
        });
    }

    run_state& state_;
    std::vector<role<Policies>*> roles_, deferred_;
    wait_policy waiter_;
    [[no_unique_address]] waiting_time<is_measured<Policies>> waited_;
    struct nobody {};
    // The role that threw last, and has not been stepped since.
    [[no_unique_address]] std::conditional_t<port::waits_on_lines, nobody, const role<Policies>*> threw_{};
    [[no_unique_address]] this_process process_;
};

}  // namespace croft::detail
