#pragma once
// A network that runs once: the parts that its patterns have made after a plan, and the threads that step them. The
// calling thread is the first of them.

#include <cstddef>
#include <utility>

#include <croft/pattern/engine/builder.hpp>
#include <croft/pattern/engine/meter.hpp>
#include <croft/pattern/engine/network_threads.hpp>
#include <croft/pattern/one_run.hpp>
#include <croft/pattern/plan.hpp>
#include <croft/pattern/run_state.hpp>
#include <croft/pattern/stop_request.hpp>
#include <croft/port/compiled.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

template <class Policies>
class network {
public:
    // `stop`: whose request ends it; null: nobody's. `slots`: of its channels; 0: the usual number.
    network(plan by, stop_request* stop, std::size_t slots);
    ~network();

    builder<Policies>& make() { return make_; }
    stop_request& stop() { return stop_; }

    // Returns once all has ended. Throws what a role threw, and std::system_error if a thread cannot be had.
    void run();

    // The same, if Policies say that the run is measured.
    run_metrics measured_run() {
        const clock::time_point began = clock::now();
        run();
        run_metrics made = make_.metrics();
        made.took = clock::now() - began;
        return made;
    }

private:
    const plan plan_;
    stop_request nobody_;
    stop_request& stop_;
    const one_run only_;
    const reset_after after_;
    run_state state_;
    builder<Policies> make_;
};

template <class Policies>
CROFT_INLINE network<Policies>::network(plan by, stop_request* stop, std::size_t slots)
    : plan_(std::move(by)),
      stop_(stop ? *stop : nobody_),
      only_(stop_, "croft::run: a stopper that another run has at the moment"),
      after_(stop_),
      state_(stop_),
      make_(plan_, state_, slots) {}

template <class Policies>
CROFT_INLINE network<Policies>::~network() {}

template <class Policies>
CROFT_INLINE void network<Policies>::run() {
    const port::affinity_guard caller;
    state_.ends().set_wake_all([this] { make_.wake_all(); });
    network_threads<Policies> threads(make_, plan_, 1);
    threads.run_here();
    threads.join();
    state_.rethrow();
}

#if defined(CROFT_COMPILED)
extern template class network<policies>;
#endif

}  // namespace croft::detail
