#pragma once
// How a run ends that cannot go on. An exception left a role in the middle of the network's own work. A user's type
// threw where it is moved on, or there is no memory. (Exceptions of a user's callable do not leave its role: they are
// caught where it is called, run_state.hpp.) Then every thread leaves its roles as they are, and the items under way
// are destroyed with the network. So no role has to be right behind any step of its own that may throw. Nobody waits
// for a message that will not come.
//
// An abandoned run's waiters are woken. The mark is stored, then all that may wait are rung. Each looks at the mark
// behind the heavy fence of its doorbell (channel/sleep.md).
//
// Natively. On a machine whose cores wait on lines nobody can be rung; there a role is stepped again.

#include <atomic>
#include <functional>
#include <type_traits>
#include <utility>

#include <croft/port/port.hpp>

namespace croft::detail {

class native_abandonment {
public:
    // Before the run: a function that rings all who may wait, in its threads or outside. Called perhaps by several
    // threads.
    void set_wake_all(std::function<void()> wake_all) { wake_all_ = std::move(wake_all); }
    // Release: a thread that finds it so may ask by which exception the run has failed.
    void begin() {
        begun_.store(true, std::memory_order_release);
        if (wake_all_) wake_all_();
    }
    bool has_begun() const { return begun_.load(std::memory_order_acquire); }

    // Before the run: other processes take part, which want to be told how it ends. So only what a role throws twice in
    // a row ends it like this.
    void be_patient() { patient_ = true; }
    bool is_patient() const { return patient_; }

private:
    std::atomic<bool> begun_{false};
    bool patient_ = false;
    std::function<void()> wake_all_;
};

struct no_abandonment {
    template <class WakeAll>
    void set_wake_all(WakeAll) {}
    void begin() {}
    static constexpr bool has_begun() { return false; }
    static constexpr bool is_patient() { return false; }
};

using abandonment = std::conditional_t<port::waits_on_lines, no_abandonment, native_abandonment>;

}  // namespace croft::detail
