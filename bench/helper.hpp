#pragma once
// A second thread that is there already and spins: what two cores can do at most, with nothing to wake.

#include <atomic>
#include <functional>
#include <thread>
#include <utility>

#include <croft/port/port.hpp>

namespace bench {

class helper {
public:
    helper() {
        begin([] {});
        end();  // so it runs
    }
    void begin(std::function<void()> work) {
        work_ = std::move(work);
        state_.store(state::busy, std::memory_order_release);  // with work_
    }
    void end() {
        // The caller reads what the work wrote after this.
        while (state_.load(std::memory_order_acquire) == state::busy) croft::port::pause();
    }
    ~helper() { state_.store(state::gone, std::memory_order_relaxed); }

private:
    enum class state { idle, busy, gone };
    std::function<void()> work_;
    std::atomic<state> state_{state::idle};
    std::jthread thread_{[this] {
        for (;;) switch (state_.load(std::memory_order_acquire)) {  // beside begin()
                case state::idle:
                    croft::port::pause();
                    break;
                case state::busy:
                    work_();
                    state_.store(state::idle, std::memory_order_release);  // beside end()
                    break;
                case state::gone:
                    return;
            }
    }};
};

}  // namespace bench
